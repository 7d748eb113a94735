import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eventually } from '../../../../test/eventually.ts'
import { openStandIn, type Scripted, type StandIn } from '../../models/testing.ts'
import { type TestService, testService } from '../../testing.ts'
import { createSuite, pythonScorer, registerCommand, runToEnd } from '../testing-runs.ts'

const key = 'sk-planted-9f8e7d6c5b4a'
const isBlue = pythonScorer('Blue', 'return "blue" in output.lower()')

/** Asks a model by streaming, as a client does that knows nothing of us, and once more with the answer. */
const agentCode = (question: string) => `
import { readFileSync, writeFileSync } from 'node:fs'
const ask = async (messages) => {
  const reply = await fetch('https://api.openai.com/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'small', stream: true, user: 'run ' + Math.random(), messages }),
  })
  const body = await reply.text()
  if (!reply.ok) throw new Error(reply.status + ' ' + body)
  return body.split('\\n').filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? '').join('')
}
const system = { role: 'system', content: 'It is ' + new Date().toISOString() + ' in trial ' + process.env.SVC_TRIAL_ID }
const first = await ask([system, { role: 'user', content: ${JSON.stringify(question)} }])
const second = await ask([system, { role: 'user', content: 'Say it again: ' + first }])
writeFileSync(process.env.WORK_DIR + '/output.txt', second)
writeFileSync(process.env.WORK_DIR + '/env.txt', JSON.stringify(process.env))
`

const reply = (says: string): Scripted => ({ text: says, usage: { input: 1_000, output: 100 } })
const saidIn = (body: { messages?: { content: string }[] }) => body.messages?.at(-1)?.content ?? ''
const answers = (body: { messages?: { content: string }[]; response_format?: unknown }): Scripted => {
  if (body.response_format) return reply(JSON.stringify({ score: 0.9, rationale: 'It is blue.' }))
  const last = saidIn(body)
  return reply(last.startsWith('Say it again') ? `It is ${last.slice(13)}` : 'blue as the sky')
}

describe('the models of a trial', () => {
  let service: TestService
  let standIn: StandIn
  let suiteId: string
  let isHeld = false
  const waiting = (): Scripted => (isHeld ? { silent: true } : reply('go'))
  const provider = (more: object = {}) =>
    service.call('PUT', '/v1/model-providers/openai', {
      base_url: standIn.baseUrl,
      api_key: key,
      prices: { small: { input: 1, output: 10 } },
      ...more,
    })
  const run = (models: object | null, agents = ['asks@1']) =>
    runToEnd(service, { task_suite_id: suiteId, agents, models })
  const callsOf = async (trial: { id: string; job_id: string }) =>
    (await service.call('GET', `/v1/backtests/jobs/${trial.job_id}/trials/${trial.id}/model-calls`)).body
      .items

  before(async () => {
    standIn = await openStandIn(({ body }) => (saidIn(body) === 'Wait' ? waiting() : answers(body)))
    service = await testService({
      judgeModel: 'openai/small',
      models: {
        ...{ providers: {}, prices: {}, timeoutMs: 1_500 },
        privateHosts: [new URL(standIn.baseUrl).host],
      },
    })
    await provider()
    const register = (name: string, question: string) =>
      registerCommand(
        service,
        name,
        { command: ['node', 'agent.mjs'], network: 'world' },
        { 'agent.mjs': agentCode(question) },
      )
    await register('asks', 'What colour is it?')
    await register('other', 'Which hue does it have?')
    suiteId = await createSuite(service, { scorers: [isBlue, { name: 'Judge', passThreshold: 0.5 }] })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await standIn[Symbol.asyncDispose]()
  })

  it('are recorded, and replay without provider or key: same verdicts, tokens and cost', async () => {
    const recorded = await run({ mode: 'record', cassette: 'colours' })
    const [first] = recorded.trials
    assert.deepEqual([first.status, first.passed], ['succeeded', true], JSON.stringify(first))
    assert.deepEqual(
      [first.usage.model_calls, first.usage.input_tokens, first.usage.output_tokens, first.usage.cost_usd],
      [2, 2_000, 200, 0.004],
    )
    assert.ok(standIn.asked.every(({ headers }) => headers.authorization === `Bearer ${key}`))
    const exported = await service.call('GET', '/v1/cassettes/colours/export')
    assert.equal(exported.text.trim().split('\n').length, 4, exported.text)
    assert.equal((await service.call('DELETE', '/v1/model-providers/openai')).status, 204)
    assert.equal((await service.call('DELETE', '/v1/cassettes/colours')).status, 204)
    const asked = standIn.asked.length
    const imported = await service.call('POST', '/v1/cassettes/tape/import', exported.text, {
      headers: { 'content-type': 'application/jsonl' },
    })
    assert.deepEqual(
      [imported.status, imported.body.version, imported.body.entries],
      [201, 1, 3],
      imported.text,
    )
    const replayed = await run({ mode: 'replay', cassette: 'tape' })
    const [second] = replayed.trials
    assert.equal(second.error, null)
    assert.deepEqual([second.passed, second.attempt, replayed.job.models.cassette], [true, 1, 'tape@1'])
    assert.deepEqual(
      second.scores.map(({ score, reason }: { score: number; reason: string }) => [score, reason]),
      first.scores.map(({ score, reason }: { score: number; reason: string }) => [score, reason]),
    )
    const { latency_ms: _, ...usage } = second.usage
    const { latency_ms: __, ...before } = first.usage
    assert.deepEqual(usage, { ...before, replayed_calls: 2 })
    assert.equal(standIn.asked.length, asked)
    const calls = await callsOf(second)
    assert.deepEqual(
      calls.map(({ source, served }: { source: string; served: string }) => [source, served]).toReversed(),
      [
        ['agent', 'cassette'],
        ['agent', 'cassette'],
        ['judge', 'cassette'],
      ],
    )
    await provider()
  })

  it('that a cassette does not hold fail the trial as a platform matter that names the nearest request', async () => {
    const { trials, results } = await run({ mode: 'replay', cassette: 'tape' }, ['other@1'])
    const [trial] = trials
    assert.deepEqual(
      [trial.status, trial.passed, trial.cause, trial.attempt],
      ['errored', null, 'platform', 1],
    )
    assert.match(trial.error, /holds no reply.*differs in 1 places: \/body\/messages\/1\/content/)
    assert.match(trial.error, /What colour is it\?.*Which hue does it have\?/)
    const { total } = (await service.call('GET', `/v1/backtests/jobs/${trial.job_id}/model-usage`)).body
    assert.equal(total.missing, 1)
    assert.equal(results.gate.verdict, 'inconclusive')
    const auto = await run({ mode: 'auto', cassette: 'tape' }, ['other@1'])
    assert.equal(auto.trials[0].passed, true, auto.trials[0].error)
    const { items } = (await service.call('GET', '/v1/cassettes/tape/versions')).body
    assert.deepEqual(
      items.map((one: { version: number; entries: number }) => [one.version, one.entries]),
      [
        [2, 4],
        [1, 3],
      ],
    )
    const again = await run({ mode: 'replay', cassette: 'tape' }, ['other@1'])
    assert.equal(again.trials[0].passed, true, again.trials[0].error)
  })

  it('end a trial cleanly when its budget is spent', async () => {
    const tokens = await run({ mode: 'live', max_tokens: 1_100 })
    const dollars = await run({ mode: 'live', max_cost_usd: 0.001 })
    for (const { trials, results } of [tokens, dollars]) {
      assert.deepEqual([trials[0].status, trials[0].passed, trials[0].cause], ['failed', false, 'budget'])
      assert.equal(results.gate.verdict, 'fail')
    }
    assert.match(tokens.trials[0].error, /1100 tokens.*max_tokens 1100/)
    assert.match(dollars.trials[0].error, /max_cost_usd 0.001/)
    await provider({ prices: {} })
    const unpriced = await run({ mode: 'live', max_cost_usd: 0.001 })
    assert.match(unpriced.trials[0].error, /no price for openai\/small/)
    assert.deepEqual([unpriced.trials[0].cause, unpriced.trials[0].attempt], ['platform', 1])
    await provider()
  })

  it('follow a script without any provider', async () => {
    const script = {
      rules: [
        { when: { any_message: 'criteria' }, reply: { text: '{"score": 1, "rationale": "ok"}' } },
        { when: { last_message: 'say it again: *' }, reply: { text: 'Again: {{1}}' } },
        { when: { last_message: 'colour' }, reply: { text: 'Navy blue.' } },
      ],
    }
    const { trials } = await run({ mode: 'scripted', script })
    assert.deepEqual([trials[0].passed, trials[0].usage.replayed_calls], [true, 2], JSON.stringify(trials[0]))
    const other = await run({ mode: 'scripted', script }, ['other@1'])
    assert.deepEqual([other.trials[0].cause, other.trials[0].attempt], ['platform', 1])
    assert.match(other.trials[0].error, /No rule of the script answers .*Which hue does it have/)
  })

  it('are metered while the trial runs, so that a crash does not lose them', async () => {
    const wait = "while (await ask([{ role: 'user', content: 'Wait' }]).catch(() => '') !== 'go') {}"
    const command = { command: ['node', 'agent.mjs'], network: 'world' } as const
    const code = `${agentCode('What colour is it?')}\n${wait}`
    const agents = [await registerCommand(service, 'lingers', command, { 'agent.mjs': code })]
    isHeld = true
    const started = await service.call('POST', '/v1/backtests/jobs', { task_suite_id: suiteId, agents })
    const path = `/v1/backtests/jobs/${started.body.id}`
    const [trial] = (await service.call('GET', `${path}/trials`)).body.items
    const calls = await eventually(async () => {
      const found = await callsOf(trial)
      return found.length >= 2 && found
    })
    assert.equal((await service.call('GET', `${path}/trials/${trial.id}`)).body.status, 'running')
    assert.ok(calls.some(({ input_tokens }: { input_tokens: number }) => input_tokens === 1_000))
    assert.ok((await service.call('GET', `${path}/model-usage`)).body.total.input_tokens >= 2_000)
    isHeld = false
    await eventually(async () => (await service.call('GET', path)).body.finished_at !== null)
    assert.equal((await service.call('GET', `${path}/trials/${trial.id}`)).body.passed, true)
  })

  it('leave their key in no log, trial, cassette, file or row', async () => {
    const { trials, job } = await run({ mode: 'record', cassette: 'search' })
    const path = `/v1/backtests/jobs/${job.id}/trials/${trials[0].id}`
    const env = await service.call('GET', `${path}/artifacts/env.txt`)
    assert.equal(JSON.parse(env.text).OPENAI_API_KEY, 'sk-diorama-placeholder')
    const [call] = await callsOf(trials[0])
    const texts = [
      env.text,
      (await service.call('GET', path)).text,
      (await service.call('GET', `${path}/trajectory`)).text,
      (await service.call('GET', `/v1/model-calls/${call.id}`)).text,
      (await service.call('GET', `/v1/backtests/jobs/${job.id}/results.jsonl`)).text,
      (await service.call('GET', '/v1/cassettes/search/export')).text,
      (await service.call('GET', `/v1/traces/${trials[0].id}`)).text,
      JSON.stringify(service.logged.map(({ facts, message }) => [Object.values(facts).map(String), message])),
    ]
    assert.ok(texts.every((text) => text.length > 2 && !text.includes(key)))
    const { rows } = await service.storage.pool.query(
      "select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    )
    const hex = Buffer.from(key).toString('hex')
    for (const { table_name } of rows) {
      const found = await service.storage.pool.query(
        `select 1 from "${table_name}" t where t::text like '%${key}%' or t::text like '%${hex}%' limit 1`,
      )
      assert.equal(found.rowCount, 0, table_name)
    }
    const packed = await service.storage.pool.query('select request, response from model_calls')
    const { gunzipSync } = await import('node:zlib')
    for (const { request, response } of packed.rows)
      for (const bytes of [request, response]) assert.ok(!gunzipSync(bytes).includes(key))
  })
})
