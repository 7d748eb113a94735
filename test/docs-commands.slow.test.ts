import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type TestService, testService } from '../server/src/testing.ts'
import { sampleCompany } from '../server/src/worlds/sample.ts'
import { blocksOf, pages } from './docs-blocks.ts'
import { root } from './sources.ts'

const run = promisify(execFile)

/** Commands of the handbook that are not run here, with the test of what they do. */
const elsewhere: Readonly<Record<string, RegExp>> = {
  'cli/forward.test.ts': /^diorama twin forward/,
  'cli/bench/commands.slow.test.ts': /^diorama bench/,
  'cli/models.slow.test.ts': /^diorama scorer calibrate/,
  'server/src/evaluations/trial/model-calls.slow.test.ts': /--models (record|replay)|^diorama cassette/,
}
const commands = pages()
  .flatMap((page) => blocksOf(page))
  .filter(({ info }) => info === 'sh show')
  .flatMap(({ page, text }) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('diorama '))
      .map((line) => ({ page, line: line.replace(/\s+#.*$/, '') })),
  )
const runHere = commands.filter(({ line }) => !Object.values(elsewhere).some((known) => known.test(line)))

let service: TestService
let folder = ''
/** The placeholder of an id on the pages, and an existing id of its kind. */
const ids = new Map<string, string>()

const shell = async (script: string): Promise<string> => {
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: {
      PATH: [dirname(process.execPath), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
      DIORAMA_BASE_URL: service.baseUrl,
      DIORAMA_API_KEY: service.key,
      SUITE: ids.get('ste_…') ?? '',
      JOB: ids.get('job_…') ?? '',
    },
    maxBuffer: 2 ** 26,
  })
  return stdout
}
const json = async (command: string) => JSON.parse(await shell(`${command} --json`))

/** A dataset as a zip of one file for each collection, from one as lines. */
const zipRows = `
import json, zipfile
files = {}
for line in open("ember.ndjson"):
    row = json.loads(line)
    name, value = ("company.json", row["company"]) if "company" in row else (row["service"] + "/" + row["collection"] + ".ndjson", row["row"])
    files.setdefault(name, []).append(json.dumps(value))
with zipfile.ZipFile("ember.zip", "w") as made:
    for name, lines in files.items():
        made.writestr(name, "\\n".join(lines))
`

/** What a reader has by then: a company, its suite, an agent, an evaluation with a trial, a snapshot. */
const prepare = async (): Promise<void> => {
  writeFileSync(join(folder, 'company.json'), JSON.stringify(sampleCompany))
  const world = await json('diorama world launch --sample')
  ids.set('wld_…', world.world.id).set('ste_…', world.evaluation.taskSuiteId)
  for (const name of ['careful --agent-version 1.0.0', 'careful --name helper'])
    await shell(`diorama agent register ${root}/examples/agents/${name} --run "node agent.mjs"`)
  const { job } = await json('diorama eval run --suite "$SUITE" -a careful@1.0.0 --watch')
  const [trial] = (await json(`diorama eval show ${job.id}`)).trials
  ids.set('job_…', job.id).set('trl_…', trial.id)
  ids.set('scr_…', (await json('diorama scorer list'))[0].id)
  ids.set('dsv_…', (await json(`diorama world snapshot ${world.world.id} --name first`)).id)
  await shell(`diorama dataset export ${world.world.id} --out ember.ndjson && python3 -c '${zipRows}'`)
  const suite = await shell('diorama suite export "$SUITE"')
  writeFileSync(join(folder, 'new-suite.yaml'), suite.replace(/^name: .*$/m, 'name: New'))
  writeFileSync(join(folder, 'order.yaml'), suite.replace(/^name: .*$/m, 'name: Order desk'))
  await shell('diorama suite import order.yaml --world "Fernwright Instruments"')
  writeFileSync(join(folder, 'samples.jsonl'), '{"input": "1+1?", "target": "2"}\n')
  writeFileSync(
    join(folder, 'promptfooconfig.yaml'),
    "prompts: ['What is the capital of {{country}}?']\ntests: [{vars: {country: Austria}, assert: [{type: contains, value: Vienna}]}]\n",
  )
  const info = { title: 'Billing', version: '1' }
  const servers = [{ url: 'https://billing.example' }]
  const paths = { '/customers': { get: { responses: { 200: { description: 'All of them.' } } } } }
  writeFileSync(
    join(folder, 'billing.openapi.yaml'),
    JSON.stringify({ openapi: '3.0.3', info, servers, paths }),
  )
  const request = { method: 'GET', url: 'https://rates.example/today', headers: [], queryString: [] }
  const content = { mimeType: 'application/json', text: '{"eur": 1}' }
  const entry = { request, response: { status: 200, headers: [], content } }
  writeFileSync(join(folder, 'rates.har'), JSON.stringify({ log: { version: '1.2', entries: [entry] } }))
}

before(
  async () => {
    folder = mkdtempSync(join(tmpdir(), 'diorama-commands-'))
    service = await testService()
    await prepare()
  },
  { timeout: 600_000 },
)
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

describe('the commands that the handbook shows with ids of the reader', () => {
  it('are many, and there are tests of the others', () => {
    assert.ok(runHere.length >= 12, String(runHere.length))
    for (const [test, known] of Object.entries(elsewhere))
      assert.ok(existsSync(join(root, test)) && commands.some(({ line }) => known.test(line)), test)
  })

  for (const { page, line } of runHere)
    it(`work as printed: ${line} (${page})`, { timeout: 600_000 }, async () => {
      const filled = [...ids].reduce((text, [shown, id]) => text.replaceAll(shown, id), line)
      assert.doesNotMatch(filled, /_…/, 'every id is known')
      await shell(filled)
    })
})
