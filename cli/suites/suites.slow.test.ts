import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type TestService, testService } from '../../server/src/testing.ts'
import { runProgram } from '../program.ts'

let service: TestService
let folder = ''
before(async () => {
  service = await testService()
  folder = mkdtempSync(join(tmpdir(), 'diorama-suites-'))
})
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const diorama = async (words: readonly string[], env: Record<string, string> = {}) => {
  let out = ''
  let err = ''
  const status = await runProgram(
    words,
    {
      out: (text) => {
        out += text
      },
      err: (text) => {
        err += text
      },
      colour: { out: false, err: false },
      isLive: false,
      readerGone: new AbortController().signal,
      columns: 200,
      env: {
        PATH: process.env.PATH,
        DIORAMA_BASE_URL: service.baseUrl,
        DIORAMA_API_KEY: service.key,
        ...env,
      },
      cwd: folder,
      now: Date.now,
      signal: new AbortController().signal,
    },
    '0',
  )
  return { status, out, err }
}
const worked = async (words: readonly string[], env?: Record<string, string>): Promise<string> => {
  const { status, out, err } = await diorama(words, env)
  assert.equal(status, 0, `${words.join(' ')}: ${err}`)
  return out
}
const json = async (...words: string[]) => JSON.parse(await worked([...words, '--json']))

const scorer = (answer: string) =>
  `def handler(input, output, expected, metadata):\n    return {'score': 1 if output.strip() == '${answer}' else 0}\n`

const suiteFile = `name: Answers
description: What the agent says.
tasks:
  - title: Say yes
    instruction: Say yes.
    scorers:
      - {name: Says yes, file: yes.py}
  - title: Say no
    instruction: Say no.
    scorers:
      - {name: Says no, language: python, code: "def handler(input, output, expected, metadata):\\n    return {'score': 0}\\n"}
`

describe('suites and scorers from the command line', () => {
  it('are created, imported, exported and edited, by name', async () => {
    writeFileSync(join(folder, 'yes.py'), scorer('yes'))
    writeFileSync(join(folder, 'answers.yaml'), suiteFile)
    assert.match(
      await worked(['suite', 'import', 'answers.yaml']),
      /^Created .*: 2 tasks created, 0 kept, 0 deleted/,
    )
    const before = await json('suite', 'show', 'Answers')
    assert.deepEqual(
      before.tasks.map(({ title }: { title: string }) => title),
      ['Say yes', 'Say no'],
    )
    await worked(['suite', 'export', 'Answers', '-o', 'exported.yaml'])
    const again = await json('suite', 'import', 'exported.yaml')
    assert.deepEqual([again.isNew, again.created, again.updated, again.deleted], [false, 0, 2, 0])
    const kept = await json('suite', 'show', 'Answers')
    assert.deepEqual(
      kept.tasks.map(({ id, scorers }: { id: string; scorers: unknown }) => [id, scorers]),
      before.tasks.map(({ id, scorers }: { id: string; scorers: unknown }) => [id, scorers]),
      'tasks keep their ids, and scorers that did not change keep their version',
    )
    const edited = await worked(['suite', 'edit', 'Answers'], { EDITOR: "sed -i 's/Say no/Refuse/'" })
    assert.match(edited, /1 tasks created, 1 kept, 1 deleted/)
    await worked(['suite', 'edit', 'Answers', '--unasked-changes', 'warn', '--name', 'Words'])
    assert.equal((await json('suite', 'show', 'Words')).unaskedChanges, 'warn')
    assert.match(await worked(['suite', 'edit', 'Words'], { EDITOR: 'true' }), /Nothing was changed/)
    const gone = await diorama(['suite', 'show', 'Answers'])
    assert.deepEqual([gone.status, /There is no suite named Answers/.test(gone.err)], [3, true])
    const wrong = await diorama(['suite', 'import', 'answers.yaml', '--world', 'Nowhere'])
    assert.match(wrong.err, /There is no world named Nowhere/)
  })

  it('scorers get new versions from options and from an editor', async () => {
    writeFileSync(join(folder, 'exact.py'), scorer('yes'))
    const made = await json('scorer', 'create', 'Exact', '--file', 'exact.py', '--pass-threshold', '1')
    assert.deepEqual([made.version, made.language, made.passThreshold], [1, 'python', 1])
    const edited = await worked(['scorer', 'edit', 'Exact'], { EDITOR: "sed -i 's/yes/YES/'" })
    assert.match(edited, /Exact is version 2/)
    await worked(['scorer', 'edit', 'Exact', '--description', 'Shouting', '--name', 'Loud'])
    const shown = await worked(['scorer', 'show', 'Loud'])
    assert.match(shown, /version\s+3[\s\S]*Shouting[\s\S]*== 'YES'/)
    writeFileSync(join(folder, 'judge.txt'), 'Is {{output}} polite?')
    const judge = ['scorer', 'create', 'Polite', '--prompt', 'judge.txt', '--choice', 'yes=1,no=0']
    assert.match(await worked(judge), /Polite is version 1/)
    assert.match(await worked(['scorer', 'list']), /Polite\s+judge/)
    await worked(['scorer', 'archive', 'Polite'])
    assert.doesNotMatch(await worked(['scorer', 'list']), /Polite/)
    for (const [words, message] of [
      [['scorer', 'create', 'None'], /--file, or the prompt/],
      [['scorer', 'create', 'None', '--file', 'exact.rb'], /must end in \.py or \.ts/],
      [['scorer', 'create', 'None', '--prompt', 'judge.txt', '--choice', 'yes'], /form label=score/],
      [['scorer', 'create', 'None', '--file', 'exact.py', '--pass-threshold', '2'], /from 0 to 1/],
    ] as const) {
      const { status, err } = await diorama(words)
      assert.equal(status, 3)
      assert.match(err, message)
    }
  })
})

describe('runs from the command line', () => {
  it('are compared, rescored and looked into, and --watch prints what show does', async () => {
    writeFileSync(join(folder, 'word.py'), scorer('yes'))
    const one = '    instruction: Go on.\n    scorers:\n      - {name: Word, file: word.py}\n'
    writeFileSync(join(folder, 'word.yaml'), `name: One word\ntasks:\n  - title: Yes\n${one}`)
    await worked(['suite', 'import', 'word.yaml'])
    for (const word of ['yes', 'no'])
      await service.call('POST', '/v1/agents/register', {
        name: word,
        version: '1',
        run: {
          command: `echo ${word} > "$WORK_DIR/output.txt"; echo said ${word}; echo loudly >&2`,
          network: 'none',
        },
      })
    const run = (agent: string) =>
      worked([
        'eval',
        'run',
        '--suite',
        'One word',
        '-a',
        `${agent}@1`,
        '--name',
        `Run of ${agent}`,
        '--watch',
      ])
    const watched = await run('yes')
    assert.equal(watched, await worked(['eval', 'show', 'Run of yes']))
    assert.match(await run('no'), /WHY NOT/)
    const compared = await worked(['eval', 'compare', 'Run of yes', 'Run of no'])
    assert.match(compared, /Yes\s+✔ 1\/1\s+✘ 0\/1\s+broken/)
    assert.match(compared, /0 fixed, 1 broken, 0 the same/)
    const [trial] = (await json('eval', 'show', 'Run of no')).trials
    const logs = await diorama(['eval', 'logs', 'Run of no', trial.id])
    assert.deepEqual([logs.out, logs.err], ['said no\n', 'loudly\n'])
    assert.match(await worked(['eval', 'diff', 'Run of no', trial.id]), /changed nothing/)
    const rescored = await worked(['eval', 'rescore', 'Run of no', '--label', 'second look'])
    assert.match(rescored, /is rescored: second look scg_/)
    assert.match(
      (await diorama(['eval', 'compare', 'Run of no', 'nothing'])).err,
      /no evaluation named nothing/,
    )
    assert.match(readFileSync(join(folder, 'word.py'), 'utf8'), /yes/)
  })
})
