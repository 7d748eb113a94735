import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createSuite, pythonScorer } from '../../server/src/evaluations/testing-runs.ts'
import { type TestService, testService } from '../../server/src/testing.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))
const cache = fileURLToPath(new URL('../../node_modules/.cache/diorama-compile', import.meta.url))

describe('suites of other tools from the command line', () => {
  let service: TestService
  let folder: string
  before(async () => {
    service = await testService()
    folder = mkdtempSync(join(tmpdir(), 'diorama-exchange-'))
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  const diorama = (...words: string[]): Promise<{ status: number; out: string; err: string }> =>
    new Promise((resolve) => {
      const env = {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: cache,
        DIORAMA_BASE_URL: service.baseUrl,
        DIORAMA_API_KEY: service.key,
      }
      execFile(process.execPath, [main, 'suite', ...words], { cwd: folder, env }, (error, out, err) =>
        resolve({ status: error ? Number(error.code) : 0, out, err }),
      )
    })
  const json = async (...words: string[]) => {
    const { status, out, err } = await diorama(...words, '--json')
    assert.equal(status, 0, err)
    return JSON.parse(out)
  }
  const tasksOf = async (suiteId: string) =>
    (await service.call('GET', `/v1/task-suites/${suiteId}/tasks`)).body.items

  it('writes Harbor task folders, which it reads again', async () => {
    const suiteId = await createSuite(service, {
      tasks: 2,
      scorers: [pythonScorer('Says yes', 'return 1 if "yes" in output else 0')],
    })
    const written = await json('export', suiteId, '--format', 'harbor', '--output', 'tasks')
    assert.equal(written.folder, join(folder, 'tasks'))
    assert.deepEqual(readdirSync(join(folder, 'tasks')).sort(), ['dataset.toml', 'task-0', 'task-1'])
    for (const file of ['task.toml', 'instruction.md', 'environment/Dockerfile', 'tests/test.sh'])
      assert.ok(existsSync(join(folder, 'tasks', 'task-0', file)), file)
    const made = await json('import', '--harbor', 'tasks', '--name', 'Again — 試験')
    assert.deepEqual([made.suite.name, made.tasks.length, made.refused], ['Again — 試験', 2, []])
    const plain = (task: { title: string; instruction: string }) => [task.title, task.instruction]
    assert.deepEqual((await tasksOf(made.suite.id)).map(plain), (await tasksOf(suiteId)).map(plain))
    const [full, nowhere] = await Promise.all([
      diorama('export', suiteId, '--format', 'harbor', '--output', 'tasks'),
      diorama('export', suiteId, '--format', 'harbor'),
    ])
    assert.match(full.err, /is not empty/)
    assert.match(nowhere.err, /Specify a new folder/)
  })

  it('names each Harbor task that cannot be run here, with the reason', async () => {
    for (const [name, toml] of [
      ['open', '[environment]\nnetwork_mode = "public"\n'],
      ['steps', '[[steps]]\nname = "one"\n'],
    ] as const) {
      mkdirSync(join(folder, 'others', name, 'tests'), { recursive: true })
      writeFileSync(join(folder, 'others', name, 'task.toml'), toml)
      writeFileSync(join(folder, 'others', name, 'instruction.md'), 'Do it.')
      writeFileSync(join(folder, 'others', name, 'tests', 'test.sh'), '')
    }
    const { status, err } = await diorama('import', '--harbor', 'others')
    assert.notEqual(status, 0)
    assert.match(err, /network_mode of the agent is public/)
    assert.match(err, /several steps/)
  })

  it('makes suites of promptfoo tests and of Inspect samples', async () => {
    writeFileSync(
      join(folder, 'promptfooconfig.yaml'),
      `description: Capitals
prompts: ['What is the capital of {{country}}?']
tests:
  - vars: { country: Österreich }
    assert: [{ type: contains, value: Wien }]
`,
    )
    writeFileSync(
      join(folder, 'sums.jsonl'),
      ['{"input": "1+1?", "target": "2", "metadata": {"level": 1}}', '{"input": "2+2?", "target": "4"}'].join(
        '\n',
      ),
    )
    const [capitals, sums] = await Promise.all([
      json('import', '--promptfoo', 'promptfooconfig.yaml'),
      json('import', '--inspect', 'sums.jsonl', '--scorer', 'match_exact'),
    ])
    const [capital] = await tasksOf(capitals.suite.id)
    assert.equal(capital.instruction, 'What is the capital of Österreich?')
    assert.deepEqual([sums.suite.name, sums.tasks.length], ['sums', 2])
    const [sum] = await tasksOf(sums.suite.id)
    assert.deepEqual([sum.instruction, sum.expected_outcome, sum.metadata.level], ['1+1?', '2', 1])
  })

  it('says what is wrong with a call', async () => {
    writeFileSync(join(folder, 'bad.yaml'), 'tests: [')
    const [two, missing, bad] = await Promise.all([
      diorama('import', '--inspect', 'sums.jsonl', '--promptfoo', 'x.yaml'),
      diorama('import', '--inspect', 'nowhere.jsonl'),
      diorama('import', '--promptfoo', 'bad.yaml'),
    ])
    for (const { status } of [two, missing, bad]) assert.notEqual(status, 0)
    assert.match(two.err, /Specify exactly one of --harbor, --promptfoo and --inspect/)
    assert.match(missing.err, /nowhere\.jsonl cannot be read: it does not exist/)
    assert.match(bad.err, /YAML/)
  })
})
