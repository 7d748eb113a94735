import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { twinKinds } from '@diorama/contract'
import { decisions } from './rules/composition.ts'
import { importCycles } from './rules/cycles.ts'
import { fixedWaits } from './rules/fixed-waits.ts'
import { lacking, twinsIn } from './rules/floor-plan.ts'
import { crowdedFolders } from './rules/folders.ts'
import { foreignTables } from './rules/foreign-tables.ts'
import { orphanedData } from './rules/generated.ts'
import { retiredWords } from './rules/language.ts'
import { functionsIn, longFiles, longFunctions } from './rules/lengths.ts'
import { namelessLogLines } from './rules/log-events.ts'
import { secondOnes } from './rules/one-of-each.ts'
import { deadFiles, productCode } from './rules/reachable.ts'
import { emptyNamed, putOff, tracesOfMachines, vendorWords, worldlyCalls } from './rules/words.ts'
import { readSources } from './sources.ts'

const sources = readSources()
const product = productCode(sources)
const folders = [
  ...new Set(
    sources
      .filter(({ path }) => /\/.*\.(ts|tsx|mjs)$/.test(path))
      .map(({ path }) => path.split('/')[0] ?? ''),
  ),
]

/** One file for each noun of the wire, for each migration, for each command's part, for each rule of a process. */
const roomyFolders = [
  'contract',
  'cli',
  'python/diorama/api',
  'python/diorama/api/aio',
  'server/src/storage/migrations',
  'twins/erp/rules',
]

describe('the repository', () => {
  it('has no file of more than 400 lines', () => {
    assert.deepEqual(longFiles(sources), [])
  })
  it('has no function of more than 70 lines, inner functions aside', () => {
    const functions = functionsIn(folders)
    assert.ok(functions.length > 500, 'the linter names the functions')
    assert.deepEqual(longFunctions(functions), [])
  })
  it('has no file or folder with an empty name', () => {
    assert.deepEqual(emptyNamed(sources), [])
  })
  it('reads the clock, randomness and the environment only in entry points', () => {
    assert.ok(product.some(({ path }) => path === 'server/src/app.ts'))
    assert.deepEqual(worldlyCalls(product), [])
  })
  it('has no file that nothing reaches', () => {
    assert.deepEqual(deadFiles(sources), [])
  })
  it('has no files that import each other in a circle', () => {
    assert.deepEqual(importCycles(sources), [])
  })
  it("names another noun's table in SQL text only where it is listed", () => {
    assert.deepEqual(foreignTables(sources), [])
  })
  it('has one reader of server-sent events and of XML, one isRecord, one rule of idempotency keys', () => {
    assert.deepEqual(secondOnes(sources), [])
  })
  it('gives every log line a stable event name', () => {
    assert.deepEqual(namelessLogLines(product), [])
  })
  it('waits in tests by condition, not for a fixed time, but for the files named there', () => {
    assert.deepEqual(fixedWaits(sources), [])
  })
  it('has the generator, the sources and their date of every generated file', () => {
    assert.deepEqual(orphanedData(sources), [])
  })
  it('decides nothing in the composition root', () => {
    assert.ok(sources.some(({ path }) => path.startsWith('server/src/composition/')))
    assert.deepEqual(decisions(sources), [])
  })
  it('has no folder of more than 15 source files, but for those named here', () => {
    assert.deepEqual(crowdedFolders(sources, roomyFolders), [])
  })
  it('uses the words of the trade', () => {
    assert.deepEqual(retiredWords(sources), [])
  })
  it('puts no work off in comments', () => {
    assert.deepEqual(putOff(sources), [])
  })
  it("says a vendor's name only in its twin, in the table of hosts and on the wire", () => {
    assert.deepEqual(vendorWords(product), [])
  })
  it('says nothing of the machines it was made on', () => {
    assert.deepEqual(tracesOfMachines(sources), [])
  })
  it('has the same files and exported names in the folder of every twin', () => {
    const kinds = twinsIn(sources)
    assert.ok(kinds.includes('notes') && twinKinds.every((kind) => kinds.includes(kind)))
    assert.deepEqual(lacking(sources, kinds, twinKinds), [])
  })
})

const functionsOf = (text: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'diorama-tidy-'))
  try {
    writeFileSync(join(folder, 'x.ts'), text)
    return functionsIn(['x.ts'], folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const lines = (count: number) => Array.from({ length: count }, (_, n) => `  work(${n})`).join('\n')
const at = (path: string, text: string) => [{ path, text }]

describe('the check of lengths', () => {
  it('refuses a file of 401 lines and takes one of 400', () => {
    assert.equal(longFiles(at('server/src/x.ts', 'x\n'.repeat(401))).length, 1)
    assert.equal(longFiles(at('server/src/x.ts', 'x\n'.repeat(400))).length, 0)
    assert.equal(longFiles(at('twins/chat/data/x.generated.ts', 'x\n'.repeat(401))).length, 0)
  })
  it('refuses a function of 71 lines and takes one of 70', () => {
    const long = (count: number) => `const f = () => {\n${lines(count - 2)}\n}\n`
    assert.equal(longFunctions(functionsOf(long(71))).length, 1)
    assert.equal(longFunctions(functionsOf(long(70))).length, 0)
  })
  it('counts the lines of an inner function once', () => {
    const text = `const f = () => {\n${`const g = () => {\n${lines(40)}\n}\n`.repeat(3)}}\n`
    assert.equal(longFunctions(functionsOf(text)).length, 0)
    const between = `const f = () => {\n${lines(70)}\nconst g = () => {\n${lines(40)}\n}\n}\n`
    assert.equal(longFunctions(functionsOf(between)).length, 1)
  })
})

describe('the check of dead files', () => {
  const main = { path: 'server/src/main.ts', text: "import { a } from './a.ts'" }
  it('refuses a file that nothing imports, and what only that file imports', () => {
    const dead = deadFiles([
      main,
      { path: 'server/src/a.ts', text: '' },
      { path: 'server/src/b.ts', text: "import { c } from './c.ts'" },
      { path: 'server/src/c.ts', text: '' },
    ])
    assert.deepEqual(
      dead.map((line) => line.split(' ')[0]),
      ['server/src/b.ts', 'server/src/c.ts'],
    )
  })
  it('follows a worker that is named and not imported', () => {
    const a = { path: 'server/src/a.ts', text: "new Worker(new URL('./worker.ts', import.meta.url))" }
    assert.deepEqual(deadFiles([main, a, { path: 'server/src/worker.ts', text: '' }]), [])
  })
  it('tells the product from what only tests use', () => {
    const test = { path: 'server/src/a.test.ts', text: "import './testing.ts'" }
    const testing = { path: 'server/src/testing.ts', text: '' }
    assert.deepEqual(
      productCode([main, { path: 'server/src/a.ts', text: '' }, test, testing]).map(({ path }) => path),
      ['server/src/main.ts', 'server/src/a.ts'],
    )
  })
})

describe('the check of structure', () => {
  it('finds a circle of imports, and takes a line of them', () => {
    const circle = [
      { path: 'server/src/a.ts', text: "import { b } from './b.ts'" },
      { path: 'server/src/b.ts', text: "import type { c } from './c.ts'" },
      { path: 'server/src/c.ts', text: "import { a } from './a.ts'" },
    ]
    assert.equal(importCycles(circle).length, 1)
    assert.deepEqual(importCycles(circle.slice(0, 2)), [])
  })
  it('finds a folder of 16 files, unless it is named', () => {
    const many = Array.from({ length: 16 }, (_, n) => ({ path: `server/src/x/f${n}.ts`, text: '' }))
    assert.equal(crowdedFolders(many, []).length, 1)
    assert.deepEqual(crowdedFolders(many, ['server/src/x']), [])
    assert.deepEqual(crowdedFolders(many.slice(1), []), [])
  })
  it('finds a table of another noun in SQL text, and an exception that nothing needs', () => {
    const tables = { path: 'server/src/suites/tables.ts', text: 'export interface T {\n  tasks: {\n  }\n}' }
    const reads = (path: string) => ({ path, text: 'sql`select id from tasks`' })
    assert.equal(foreignTables([tables, reads('server/src/worlds/a.ts')], {}).length, 1)
    assert.deepEqual(foreignTables([tables, reads('server/src/suites/a.ts')], {}), [])
    assert.equal(
      foreignTables([tables], { 'server/src/worlds/a.ts': { tables: ['tasks'], reason: 'x' } }).length,
      1,
    )
  })
  it('finds a second implementation of what there is once, and a reason that nothing needs', () => {
    const here = { path: 'a.ts', text: 'const isRecord = (value: unknown) => true' }
    const list = [{ idea: 'x', form: /isRecord = /, files: { 'a.ts': 'the one' } }]
    assert.deepEqual(secondOnes([here], list), [])
    assert.equal(secondOnes([here, { ...here, path: 'b.ts' }], list).length, 1)
    assert.equal(secondOnes([], list).length, 1)
    const again = [
      "const plain = typeof value === 'object' && value !== null && !Array.isArray(value)",
      "lines.filter((line) => line.startsWith('data:'))",
      "throw new ApiError('idempotency_conflict', 'x')",
      'const waitUntil = async () => {}',
    ]
    for (const text of again)
      assert.ok(
        secondOnes(at('server/src/a.ts', text)).some((line) => line.startsWith('server/src/a.ts')),
        text,
      )
  })
  it('finds a log line without an event name of the form subject.event', () => {
    const logs = (facts: string) =>
      namelessLogLines(at('server/src/a.ts', `parts.log.warn(\n  ${facts},\n  'x')`))
    assert.deepEqual(logs("{ event: 'lease.lost', twin }"), [])
    assert.deepEqual(logs("{\n event: 'key_watch.not_read',\n}"), [])
    for (const facts of [
      "'lost'",
      '{ twin }',
      "{ event: 'lost' }",
      "{ event: 'Lease.Lost' }",
      '{ event }',
      'facts',
    ])
      assert.equal(logs(facts).length, 1, facts)
  })
  it('finds a fixed wait in a test, and takes one in the program of an agent', () => {
    const wait = 'await new Promise((resolve) => setTimeout(resolve, 500))'
    assert.equal(fixedWaits(at('server/src/a.test.ts', `${wait}\nassert.equal(calls, 0)`), {}).length, 1)
    assert.equal(fixedWaits(at('server/src/a.test.ts', 'await pause(10)'), {}).length, 1)
    assert.equal(fixedWaits(at('server/src/a.test.ts', ''), { 'server/src/a.test.ts': 'x' }).length, 1)
    assert.deepEqual(fixedWaits(at('server/src/a.test.ts', `const program = \`${wait}\``), {}), [])
    assert.deepEqual(fixedWaits(at('server/src/a.ts', wait), {}), [])
  })
  it('finds generated data without a generator, a test of it, or the date of its sources', () => {
    const data = { path: 'twins/chat/data/emoji.generated.json', text: '{}' }
    const program = { path: 'twins/chat/data/make.mjs', text: 'emoji --check 2026-08' }
    const test = { path: 'twins/chat/data/make.test.ts', text: 'make.mjs' }
    assert.deepEqual(orphanedData([data, program, test]), [])
    assert.equal(orphanedData([data, test]).length, 1)
    assert.equal(orphanedData([data, program]).length, 1)
    assert.equal(orphanedData([data, { ...program, text: 'emoji --check' }, test]).length, 1)
  })
  it('finds a branch in the composition root, and takes it elsewhere', () => {
    const text = '/** What is there, if it is. */\nconst a = () => (b ? c : d)\nconst e = f ?? g\nif (h) i()'
    assert.equal(decisions(at('server/src/composition/a.ts', text)).length, 3)
    assert.deepEqual(decisions(at('server/src/worlds/a.ts', text)), [])
  })
  it('finds a retired word in code and in the documentation', () => {
    assert.equal(retiredWords(at('server/src/a.ts', 'const mostRows = 5')).length, 1)
    assert.equal(retiredWords(at('docs/a.md', 'For whoever reads it.')).length, 1)
    assert.equal(retiredWords(at('docs/a.md', 'It runs in a process of its own.')).length, 1)
    assert.equal(retiredWords(at('docs/a.md', 'It starts by itself.')).length, 1)
    assert.deepEqual(retiredWords(at('docs/a.md', 'It starts on its own, in its own process.')), [])
    assert.deepEqual(retiredWords(at('server/src/a.ts', 'const maxRows = 5 // almost')), [])
  })
})

describe('the check of words', () => {
  const refused: readonly (readonly [
    check: (sources: { path: string; text: string }[]) => string[],
    path: string,
    text: string,
  ])[] = [
    [emptyNamed, 'server/src/utils.ts', ''],
    [emptyNamed, 'twins/shared/text.ts', ''],
    [worldlyCalls, 'server/src/app.ts', 'const at = Date.now()'],
    [worldlyCalls, 'server/src/app.ts', 'const at = new Date()'],
    [worldlyCalls, 'server/src/app.ts', 'const at = new Date( ).getTime()'],
    [worldlyCalls, 'twins/chat/ids.ts', 'Math.random() * 2'],
    [worldlyCalls, 'server/src/app.ts', "import { randomUUID } from 'node:crypto'"],
    [worldlyCalls, 'server/src/config.ts', 'process.env.PORT'],
    [putOff, 'server/src/app.ts', `// ${'TO'}DO later`],
    [putOff, 'server/src/app.ts', `// ${'FIX'}ME`],
    [vendorWords, 'server/src/twins/host.ts', "if (kind === 'slack') return"],
    [vendorWords, 'server/src/twins/host.ts', '// as Linear does'],
    [vendorWords, 'twin-kit/kernel/twin.ts', '// unlike SAP'],
    [vendorWords, 'server/src/app.ts', 'const host = "login.salesforce.com"'],
    [tracesOfMachines, 'README.md', ['', 'home', 'ada', 'diorama'].join('/')],
    [tracesOfMachines, 'package-lock.json', `"${'resolved'}": "https://example.com/x.tgz"`],
    [tracesOfMachines, '.npmrc', `${'registry'}=https://corp.example`],
    [tracesOfMachines, 'server/src/app.ts', `connect('${['10', '1', '2', '3'].join('.')}')`],
  ]
  for (const [check, path, text] of refused)
    it(`refuses ${path}${text ? ` with ${text}` : ''}`, () => {
      assert.equal(check([{ path, text }]).length, 1)
    })

  const taken: typeof refused = [
    [worldlyCalls, 'server/src/main.ts', 'openApp({ now: Date.now, env: process.env })'],
    [worldlyCalls, 'server/src/app.ts', 'new Date(now())'],
    [vendorWords, 'twins/chat/wire.ts', '// as Slack does'],
    [vendorWords, 'twins/tracker/shapes.ts', 'slackNewIssue: true'],
    [vendorWords, 'server/src/app.ts', '// in linear time'],
    [emptyNamed, 'server/src/http/edge.ts', ''],
    [tracesOfMachines, 'server/src/app.ts', "listen('127.0.0.1')"],
  ]
  for (const [check, path, text] of taken)
    it(`takes ${path}${text ? ` with ${text}` : ''}`, () => {
      assert.deepEqual(check([{ path, text }]), [])
    })

  it('misses a file, a folder and an exported name that a twin lacks', () => {
    const found = lacking(at('twins/chat/seed.ts', 'export const seedChat = 1'), ['chat'])
    for (const name of [
      'wire.ts',
      'fault.ts',
      'present.ts',
      'operations/index.ts',
      'shapes/',
      'clients.test.ts',
    ])
      assert.ok(found.includes(`twins/chat/${name} is missing`), name)
    assert.ok(found.includes('twins/chat/seed.ts does not export seed'))
    assert.ok(!lacking([], ['chat'], []).includes('twins/chat/clients.test.ts is missing'))
  })
})
