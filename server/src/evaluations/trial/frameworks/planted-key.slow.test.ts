import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { allRoutes } from '@diorama/contract'
import pg from 'pg'
import { type Asked, openStandIn, type Scripted } from '../../../models/testing.ts'
import { testDatabase } from '../../../storage/testing.ts'
import { startProcess, stopProcess } from '../../../testing-process.ts'
import { sampleCompany } from '../../../worlds/sample.ts'

const mark = 'sk-planted-'
const key = `${mark}${randomBytes(12).toString('hex')}`

/** Asks, also in ways that fail, and then looks for the key in every file, variable and process that it can read. */
const agentCode = `
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
const ask = async (content, stream) => {
  const reply = await fetch('https://api.openai.com/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'small', stream, messages: [{ role: 'user', content }] }),
  })
  return JSON.stringify([...reply.headers]) + await reply.text()
}
const heard = []
for (const what of ['echo', 'refuse', 'echo again']) heard.push(await ask(what, true), await ask(what + ' plainly', false))
const seen = { files: 0, found: [] }
const look = (path, depth) => {
  if (depth > 6 || seen.files > 20_000) return
  let names = []
  try { names = readdirSync(path, { withFileTypes: true }) } catch { return }
  for (const one of names) {
    const file = path + '/' + one.name
    if (one.isDirectory()) look(file, depth + 1)
    // Reading a pipe would block.
    if (!one.isFile()) continue
    try {
      if (statSync(file).size > 4e6) continue
      const text = readFileSync(file, 'latin1')
      seen.files++
      if (text.includes('sk-' + 'planted-')) seen.found.push(file)
    } catch {}
  }
}
for (const root of [process.cwd(), process.env.HOME, process.env.WORK_DIR, '/tmp', '/etc', '/run', '/var', '/dev/shm', '/opt', '/home', '/root']) if (root) look(root, 0)
for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)))
  for (const name of ['environ', 'cmdline'])
    try { seen.files++; if (readFileSync('/proc/' + pid + '/' + name, 'latin1').includes('sk-' + 'planted-')) seen.found.push(pid + name) } catch {}
writeFileSync(process.env.WORK_DIR + '/output.txt', 'done')
writeFileSync(process.env.WORK_DIR + '/heard.txt', JSON.stringify([heard, process.env]))
writeFileSync(process.env.WORK_DIR + '/seen.json', JSON.stringify(seen))
`

/** A provider that repeats the key wherever it can: in its answers, its errors and its headers. */
const echoing = ({ headers, body }: Asked): Scripted => {
  const sent = String(headers.authorization)
  const said = JSON.stringify(body.messages)
  if (said.includes('refuse'))
    return { status: 400, text: `No to ${sent}`, headers: { 'request-id': sent, 'x-echo': sent } }
  if (body.response_format) return { text: JSON.stringify({ score: 1, rationale: `Because of ${sent}` }) }
  return { text: `Your key is ${sent} and again ${sent}.` }
}

/** Whatever the bytes are, and whatever they unpack to. */
const holdsKey = (bytes: Buffer): boolean => {
  if (bytes.includes(mark) || bytes.includes(Buffer.from(mark).toString('hex'))) return true
  if (bytes.includes(Buffer.from(key).toString('base64').slice(0, 20))) return true
  return [gunzipSync, brotliDecompressSync, inflateSync, zstdDecompressSync].some((unpack) => {
    try {
      return unpack(bytes).includes(mark)
    } catch {
      return false
    }
  })
}

const valuesOf = (value: unknown): Buffer[] => {
  if (Buffer.isBuffer(value)) return [value]
  return value === null || value === undefined ? [] : [Buffer.from(JSON.stringify(value) ?? '')]
}

/** The columns of the database that hold the key, and how many values were looked at. */
const searchDatabase = async (url: string): Promise<{ looked: number; found: string[] }> => {
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  const found: string[] = []
  let looked = 0
  try {
    const { rows: tables } = await pool.query(
      "select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    )
    for (const { table_name } of tables)
      for (const row of (await pool.query(`select * from "${table_name}"`)).rows)
        for (const [column, value] of Object.entries(row))
          for (const bytes of valuesOf(value)) {
            looked++
            if (holdsKey(bytes)) found.push(`${table_name}.${column}`)
          }
  } finally {
    await pool.end()
  }
  return { looked, found: [...new Set(found)] }
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))

it('a planted key is in no log, table, file, reply, export, cassette or sandbox', async () => {
  await using standIn = await openStandIn(echoing)
  await using database = await testDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'diorama-planted-'))
  const operator = `dk_${randomBytes(24).toString('hex')}`
  const running = await startProcess(dataDir, operator, {
    DATABASE_URL: database.url,
    DIORAMA_LOG: 'all',
    DIORAMA_JUDGE_MODEL: 'openai/small',
    DIORAMA_MODEL_PRIVATE_HOSTS: new URL(standIn.baseUrl).host,
  })
  const call = async (method: string, path: string, body?: unknown) => {
    const reply = await fetch(`${running.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(300_000),
    })
    return { status: reply.status, text: `${JSON.stringify([...reply.headers])}\n${await reply.text()}` }
  }
  // biome-ignore lint/suspicious/noExplicitAny: a test that looks into replies of several routes.
  const made = async (method: string, path: string, body?: unknown): Promise<any> => {
    const { status, text } = await call(method, path, body)
    assert.ok(status < 300, `${method} ${path} ${status} ${text}`)
    return JSON.parse(text.slice(text.indexOf('\n') + 1))
  }
  try {
    await made('PUT', '/v1/model-providers/openai', { base_url: standIn.baseUrl, api_key: key })
    const world = await made('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
    await made('POST', '/v1/agents/register', {
      ...{ name: 'looks', version: '1', files: { 'agent.mjs': agentCode } },
      run: { command: ['node', 'agent.mjs'], network: 'world', timeout_seconds: 120 },
    })
    const scorer = await made('POST', '/v1/scorers', { name: 'Judge', passThreshold: 0.5 })
    const suite = await made('POST', '/v1/task-suites', { name: 'Planted' })
    const task = await made('POST', `/v1/task-suites/${suite.id}/tasks`, {
      ...{ title: 'Look', instruction: 'Look around.', expected_outcome: 'done' },
      ...{
        scorers: [{ scorer_id: scorer.id }],
        environment_version_id: world.evaluation.environmentVersionId,
      },
    })
    const examples = [
      { output: 'good', label: 'pass' },
      { output: 'bad', label: 'fail' },
    ]
    await made('POST', `/v1/scorers/${scorer.id}/calibrations`, { examples })
    const job = await made('POST', '/v1/backtests/jobs', {
      ...{ task_suite_id: suite.id, agents: ['looks@1'], models: { mode: 'record', cassette: 'planted' } },
    })
    const stream = await call('GET', `/v1/backtests/jobs/${job.id}/stream`)
    const path = `/v1/backtests/jobs/${job.id}`
    const [trial] = (await made('GET', `${path}/trials`)).items
    assert.equal(trial.status, 'succeeded', JSON.stringify(trial))
    assert.ok(standIn.asked.length >= 7)
    assert.ok(standIn.asked.every(({ headers }) => headers.authorization === `Bearer ${key}`))

    const seen = await made('GET', `${path}/trials/${trial.id}/artifacts/seen.json`)
    assert.deepEqual(seen.found, [])
    assert.ok(seen.files > 20, `${seen.files} files were searched in the sandbox`)
    const heard = (await call('GET', `${path}/trials/${trial.id}/artifacts/heard.txt`)).text
    assert.match(heard, /Your key is Bearer \[redacted\]/)
    assert.match(heard, /sk-diorama-placeholder/)

    const [modelCall] = (await made('GET', `${path}/trials/${trial.id}/model-calls`)).items
    const ids: Record<string, string> = {
      ...{ jobId: job.id, trialId: trial.id, callId: modelCall.id, scorerId: scorer.id, suiteId: suite.id },
      ...{ taskId: task.id, worldId: world.id ?? world.world?.id, traceId: trial.id, version: '1' },
      ...{ artifact: 'heard.txt', file: 'heard.txt', path: 'heard.txt' },
    }
    const answered: string[] = []
    for (const [name, route] of Object.entries(allRoutes)) {
      if (route.method !== 'GET' || /text\/event-stream/.test('gives' in route ? String(route.gives) : ''))
        continue
      const place = route.path.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
        field === 'name'
          ? /cassette/.test(route.path)
            ? 'planted'
            : /provider/.test(route.path)
              ? 'openai'
              : 'looks'
          : (ids[field] ?? 'none'),
      )
      const { status, text } = await call('GET', place)
      if (status === 200) answered.push(name)
      assert.ok(!holdsKey(Buffer.from(text)), `${name} shows the key`)
    }
    for (const name of [
      'readTrial',
      'readModelCall',
      'exportCassette',
      'readModelProvider',
      'listCalibrations',
    ])
      assert.ok(answered.includes(name), `${name} was answered: ${answered.join(', ')}`)
    assert.ok(answered.length > 30, `${answered.length} routes were answered`)
    assert.ok(!holdsKey(Buffer.from(stream.text)))
  } finally {
    await stopProcess(running)
  }
  const logged = running.output()
  assert.ok(logged.split('\n').length > 20, 'the service logged what it did')
  assert.ok(!holdsKey(Buffer.from(logged)), 'the log holds the key')
  const { looked, found } = await searchDatabase(database.url)
  assert.deepEqual(found, [])
  assert.ok(looked > 500, `${looked} values of the database were searched`)
  for (const file of filesIn(dataDir))
    assert.ok(statSync(file).size > 64e6 || !holdsKey(readFileSync(file)), `${file} holds the key`)
  rmSync(dataDir, { recursive: true, force: true })
})
