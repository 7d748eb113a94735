import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { parsePlan } from '../cli/plan/read-plan.ts'
import { type TestService, testService } from '../server/src/testing.ts'
import { sampleCompany } from '../server/src/worlds/sample.ts'
import { blueprintPage } from './blueprint-page.ts'
import { collectionsPage } from './collections-page.ts'
import { coveragePage } from './coverage-page.ts'
import { type Block, blocksOf, pages } from './docs-blocks.ts'
import { root } from './sources.ts'

const run = promisify(execFile)
const blocks = pages().flatMap((page) => blocksOf(page))
const sdk = pathToFileURL(join(root, 'sdk', 'index.ts')).href
let service: TestService
let scratch: string

before(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'diorama-docs-'))
  service = await testService()
  const code = readFileSync(join(root, 'examples', 'agents', 'careful', 'agent.mjs'), 'utf8')
  // What a reader has done by the time he is on the later pages: the sample company and the careful agent are there.
  const registered = await service.call('POST', '/v1/agents/register', {
    name: 'careful',
    version: '1.0.0',
    files: { 'agent.mjs': code },
    run: { command: 'node agent.mjs' },
  })
  assert.equal(registered.status, 201, registered.text)
})
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(scratch, { recursive: true, force: true })
})

const execute = async (program: string, args: readonly string[], where: string) => {
  const env = {
    PATH: [dirname(process.execPath), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
    PYTHONPATH: join(root, 'python'),
    PYTHONDONTWRITEBYTECODE: '1',
    DIORAMA_BASE_URL: service.baseUrl,
    DIORAMA_API_KEY: service.key,
    SCRATCH: scratch,
  }
  try {
    return await run(program, [...args], { cwd: root, env, timeout: 240_000 })
  } catch (error) {
    throw new Error(`${where} does not run`, { cause: error })
  }
}

const place = ({ page, line }: Block) => `${page}:${line}`
const ofKind = (info: string) => blocks.filter((block) => block.info === info)

/** A page's commands are one story: what one block sets, the next ones use. */
const runShell = async (page: string) => {
  const script = ofKind('sh run')
    .filter((block) => block.page === page)
    .map(({ text }) => text)
    .join('\n')
  return execute('bash', ['-euo', 'pipefail', '-c', script], page)
}

const runProgram = (block: Block) => {
  if (block.info === 'python run') return execute('python3', ['-c', block.text], place(block))
  const file = join(scratch, `${block.page.replaceAll(/\W/g, '-')}-${block.line}.ts`)
  writeFileSync(file, block.text.replaceAll("'@diorama-dev/sdk'", `'${sdk}'`))
  return execute(process.execPath, [file], place(block))
}

const finished = async (jobId: string): Promise<void> => {
  const stream = await fetch(`${service.baseUrl}/v1/backtests/jobs/${jobId}/stream`, {
    headers: { authorization: `Bearer ${service.key}` },
    signal: AbortSignal.timeout(240_000),
  })
  await stream.text()
}

/** What each kind of block is held to; a block of another kind is a fault. */
const shownAlone = ['mermaid', 'ini', 'text']
const known =
  /^(sh (run|show)|(python|ts) (run|scorer)|python show|json|json blueprint|yaml evaluation|(yaml|ts) file=\S+)$/

describe('every block of code in the handbook', () => {
  it('says what it is held to', () => {
    assert.ok(blocks.length > 15)
    assert.deepEqual(
      blocks
        .filter(({ info }) => !known.test(info) && !shownAlone.includes(info))
        .map((block) => `${place(block)} ${block.info}`),
      [],
    )
  })

  it('that is JSON can be read, and a blueprint compiles without a warning', async () => {
    for (const block of ofKind('json')) assert.doesNotThrow(() => JSON.parse(block.text), place(block))
    assert.ok(ofKind('json blueprint').length > 0)
    for (const block of ofKind('json blueprint')) {
      const { body } = await service.call('POST', '/v1/builder/worlds/validate', {
        blueprint: JSON.parse(block.text),
      })
      assert.deepEqual([body.valid, body.errors, body.warnings], [true, [], []], place(block))
    }
  })

  it('that is a file is that file, and can be read', () => {
    const files = blocks.filter(({ info }) => info.includes(' file='))
    assert.ok(files.some(({ info }) => info.startsWith('ts')))
    for (const block of files) {
      const [language, file = ''] = block.info.split(' file=')
      assert.equal(block.text, readFileSync(join(root, file), 'utf8'), place(block))
      if (language === 'yaml') assert.ok(parse(block.text).jobs.gate, file)
    }
  })

  it('that is a command is one, and names files that are there', async () => {
    for (const block of [...ofKind('sh show'), ...ofKind('sh run')]) {
      await execute('bash', ['-n', '-c', block.text], place(block))
      for (const [path] of block.text.matchAll(/\b(examples|server|python|scripts)\/[\w./-]+\.\w+/g))
        assert.ok(existsSync(join(root, path)), `${place(block)}: ${path}`)
    }
  })

  it('that is Python for a package of others can be compiled', async () => {
    const compile = "import ast, sys; compile(sys.argv[1], 'block', 'exec', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)"
    for (const block of ofKind('python show'))
      await execute('python3', ['-c', compile, block.text], place(block))
  })

  it('that is shell runs, and the quick start gets a failing and then a passing gate', async () => {
    const { stdout } = await runShell('docs/quick-start.md')
    assert.match(
      stdout,
      /✘ fail[\s\S]*0 of 0 new messages name the date[\s\S]*\nfail\n[\s\S]*✔ pass[\s\S]*\npass\n/,
    )
  })

  it('that is an evaluation file can be read', () => {
    assert.ok(ofKind('yaml evaluation').length > 0)
    for (const block of ofKind('yaml evaluation'))
      assert.doesNotThrow(() => parsePlan(block.text, place(block)))
  })

  it('that is a program, or shell on another page, runs too', async () => {
    const pagesOfShell = new Set(ofKind('sh run').map(({ page }) => page))
    pagesOfShell.delete('docs/quick-start.md')
    const programs = [...ofKind('ts run'), ...ofKind('python run')]
    assert.ok(programs.length >= 5 && pagesOfShell.size >= 2)
    await Promise.all([...[...pagesOfShell].map(runShell), ...programs.map(runProgram)])
  })

  it('that is a scorer gives a score in a real trial', async () => {
    const scorers = [...ofKind('python scorer'), ...ofKind('ts scorer')]
    assert.ok(scorers.length >= 3 && scorers.length <= 5)
    const tasks = scorers.map((block, n) => ({
      key: `scorer-${n}`,
      title: place(block),
      instruction: 'Do nothing.',
      expectedOutcome: 'Nothing.',
      steps: [],
      scorers: [
        {
          key: 'it',
          scorer: {
            name: place(block),
            kind: 'code',
            language: block.info.startsWith('ts') ? 'typescript' : 'python',
            code: block.text,
          },
        },
      ],
    }))
    const scenario = { ...(sampleCompany.scenario as object), tasks }
    const { body: world } = await service.call('POST', '/v1/builder/worlds', {
      blueprint: { ...sampleCompany, scenario },
    })
    await service.call('POST', '/v1/agents/register', {
      name: 'idle',
      version: '1',
      run: { command: 'echo 2 > "$WORK_DIR/output.txt"' },
    })
    const { body: job } = await service.call('POST', '/v1/backtests/jobs', {
      task_suite_id: world.evaluation.taskSuiteId,
      agents: ['idle@1'],
    })
    await finished(job.id)
    const { body } = await service.call('GET', `/v1/backtests/jobs/${job.id}/trials`)
    const scores = body.items.map(
      (trial: { scores: { name: string; score: number; error: string }[] }) => trial.scores[0],
    )
    assert.equal(scores.length, scorers.length)
    for (const score of scores) assert.ok(typeof score.score === 'number', `${score.name}: ${score.error}`)
  })
})

describe('the handbook', () => {
  it('shows the coverage of the twins as their ledgers have it', () => {
    const { wanted, found } = coveragePage()
    assert.equal(found, wanted, 'docs/twins.md is stale: run node test/coverage-page.ts')
  })

  it('shows every collection and field that scorers see as the twins have them', () => {
    const { wanted, found } = collectionsPage()
    assert.equal(found, wanted, 'docs/collections.md is stale: run node test/collections-page.ts')
  })

  it('shows every field of a blueprint as the schema has it', () => {
    const { wanted, found } = blueprintPage()
    assert.equal(found, wanted, 'docs/blueprint-reference.md is stale: run node test/blueprint-page.ts')
  })

  it('explains every environment variable that the service reads, and no other', () => {
    const config = readFileSync(join(root, 'server', 'src', 'config.ts'), 'utf8')
    const schema = config.slice(
      config.indexOf('const Environment = z.object({'),
      config.indexOf('type Environment'),
    )
    const read = [...schema.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name)
    const page = readFileSync(join(root, 'docs', 'operating.md'), 'utf8')
    const rows = [...page.matchAll(/^\| (`[A-Z0-9_`, ]+`) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name),
    )
    assert.ok(read.length > 20)
    assert.deepEqual(rows.sort(), read.sort())
  })

  it('is listed whole in llms.txt, whose links lead somewhere', () => {
    const text = readFileSync(join(root, 'llms.txt'), 'utf8')
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path)
    assert.deepEqual(
      links.filter((path) => !existsSync(join(root, path))),
      [],
    )
    const handbook = pages().filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')
    assert.deepEqual(
      handbook.filter((page) => !links.includes(page)),
      [],
    )
  })
})
