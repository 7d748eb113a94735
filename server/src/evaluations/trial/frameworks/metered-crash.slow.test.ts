import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { eventually } from '../../../../../test/eventually.ts'
import { openStandIn } from '../../../models/testing.ts'
import { testDatabase } from '../../../storage/testing.ts'
import { killProcess, type Running, startProcess, stopProcess } from '../../../testing-process.ts'

const agentCode = `
import { writeFileSync } from 'node:fs'
const ask = async (content) => (await fetch('https://api.openai.com/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content }] }),
})).json()
await ask('What colour is it?')
while ((await ask('May I go?')).choices?.[0].message.content !== 'go') await new Promise((go) => setTimeout(go, 100))
writeFileSync(process.env.WORK_DIR + '/output.txt', 'blue')
`

it('model calls that were paid for are still there when the service is killed in the middle of their trial', async () => {
  let mayGo = false
  await using standIn = await openStandIn(({ body }) => ({
    text: body.messages[0].content === 'May I go?' && mayGo ? 'go' : 'stay',
    usage: { input: 1_000, output: 100 },
  }))
  await using database = await testDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'diorama-metered-'))
  const key = `dk_${randomBytes(24).toString('hex')}`
  const start = () =>
    startProcess(dataDir, key, {
      DATABASE_URL: database.url,
      DIORAMA_MODEL_PRIVATE_HOSTS: new URL(standIn.baseUrl).host,
    })
  let running: Running = await start()
  // biome-ignore lint/suspicious/noExplicitAny: a test that looks into replies of several routes.
  const call = async (method: string, path: string, body?: unknown): Promise<any> => {
    const reply = await fetch(`${running.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    assert.ok(reply.ok, `${method} ${path} ${reply.status}`)
    return reply.json()
  }
  try {
    await call('PUT', '/v1/model-providers/openai', { base_url: standIn.baseUrl, api_key: 'sk-real' })
    await call('POST', '/v1/agents/register', {
      ...{ name: 'asks', version: '1', files: { 'agent.mjs': agentCode } },
      run: { command: ['node', 'agent.mjs'], network: 'world', timeout_seconds: 300 },
    })
    const suite = await call('POST', '/v1/task-suites', { name: 'Colours' })
    await call('POST', `/v1/task-suites/${suite.id}/tasks`, {
      ...{ title: 'Colour', instruction: 'Say it.', expected_outcome: 'blue', scorers: [] },
    })
    const job = await call('POST', '/v1/backtests/jobs', { task_suite_id: suite.id, agents: ['asks@1'] })
    const path = `/v1/backtests/jobs/${job.id}`
    const [trial] = (await call('GET', `${path}/trials`)).items
    const calls = async () => (await call('GET', `${path}/trials/${trial.id}/model-calls?limit=200`)).items
    const before = await eventually(async () => {
      const found = await calls()
      return found.length >= 3 && found
    })
    await killProcess(running)
    running = await start()
    const ids = new Set((await calls()).map(({ id }: { id: string }) => id))
    assert.ok(before.every(({ id }: { id: string }) => ids.has(id)))
    mayGo = true
    const ended = await eventually(
      async () => {
        const found = await call('GET', `${path}/trials/${trial.id}`)
        return found.finished_at !== null && found
      },
      'the trial did not end',
      12_000,
    )
    assert.deepEqual([ended.status, ended.attempt], ['succeeded', 2], JSON.stringify(ended.error))
    const attempts = new Set((await calls()).map(({ attempt }: { attempt: number }) => attempt))
    assert.deepEqual([...attempts].sort(), [1, 2])
    const { total } = await call('GET', `${path}/model-usage`)
    assert.ok(total.input_tokens >= (before.length + 2) * 1_000)
  } finally {
    await stopProcess(running)
    rmSync(dataDir, { recursive: true, force: true })
  }
})
