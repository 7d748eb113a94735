import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testService } from '../../testing.ts'
import { bucketOf, quantile } from './durations.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString()
const run = (n: number, more = {}) => ({
  run_id: `r${n}`,
  agent: 'helper@1',
  started_at: at(n * 1_000),
  finished_at: at(n * 1_000 + 100),
  status: 'succeeded',
  ...more,
})

const serviceWithAgent = async (prices = {}) => {
  const service = await testService({
    models: { providers: {}, prices, timeoutMs: 1_000 },
  })
  for (const version of ['1', '2'])
    await service.call('POST', '/v1/agents/register', {
      name: 'helper',
      version,
      model: { provider: 'openai', id: 'small' },
    })
  return service
}

describe('recorded runs', () => {
  it('are counted once however often they are sent, for the version and for the agent', async () => {
    await using service = await serviceWithAgent({ small: { input: 1, output: 10 } })
    const runs = [
      run(1, { usage: { input_tokens: 1_000_000, output_tokens: 100_000 } }),
      run(2, {
        status: 'error',
        tool_calls: [
          { name: 'a', status: 'ok', duration_ms: 5 },
          { name: 'b', status: 'failed' },
        ],
      }),
      run(3, { agent: 'helper' }),
      run(4, { status: 'cancelled', agent: 'helper@current' }),
    ]
    const sent = await service.call('POST', '/v1/agents/runs/batch', runs)
    assert.equal(sent.status, 201)
    assert.deepEqual(sent.body.items, [{ id: 'r1' }, { id: 'r2' }, { id: 'r3' }, { id: 'r4' }])
    await Promise.all(
      Array.from({ length: 5 }, () =>
        service.call('POST', '/v1/agents/runs/batch', { runs: [...runs, runs[0]] }),
      ),
    )
    const { body } = await service.call('GET', '/v1/agents/helper')
    assert.equal(body.runs.count, 4)
    assert.equal(body.runs.success_rate, 2 / 3)
    assert.equal(body.runs.cost_usd, 2)
    assert.equal(body.runs.tool_calls, 2)
    assert.equal(body.runs.tool_failures, 1)
    assert.equal(body.runs.p50_duration_ms, 100)
    const counts = body.versions.map((one: { version: string; runs: { count: number } }) => [
      one.version,
      one.runs.count,
    ])
    assert.deepEqual(counts.sort(), [
      ['1', 2],
      ['2', 2],
    ])
  })

  it('count when they finish: a run that was running is finished by the same id, once', async () => {
    await using service = await serviceWithAgent()
    const record = (body: unknown) => service.call('POST', '/v1/agents/runs/batch', [body])
    await record(run(1, { status: 'running', finished_at: null }))
    assert.equal((await service.call('GET', '/v1/agents/helper')).body.runs.count, 0)
    await record(run(1))
    await record(run(1, { status: 'failed' }))
    const { body } = await service.call('GET', '/v1/agents/helper')
    assert.deepEqual([body.runs.count, body.runs.succeeded, body.runs.failed], [1, 1, 0])
    assert.equal((await service.call('GET', '/v1/agents/runs/r1')).body.status, 'succeeded')
  })

  it('are refused whole when one is wrong, and the fault names its place', async () => {
    await using service = await serviceWithAgent()
    const unknown = await service.call('POST', '/v1/agents/runs/batch', [
      run(1),
      run(2, { agent: 'nobody@1' }),
    ])
    assert.equal(unknown.status, 400)
    assert.equal(unknown.body.code, 'invalid_reference')
    assert.equal(unknown.body.details[0].pointer, '/1/agent')
    const misshapen = await service.call('POST', '/v1/agents/runs/batch', [run(1), run(2, { status: 'odd' })])
    assert.equal(misshapen.body.details[0].pointer, '/1/status')
    const backwards = await service.call('POST', '/v1/agents/runs/batch', [run(1, { finished_at: at(0) })])
    assert.equal(backwards.body.details[0].pointer, '/0/finished_at')
    const many = await service.call(
      'POST',
      '/v1/agents/runs/batch',
      Array.from({ length: 101 }, (_, n) => run(n)),
    )
    assert.equal(many.status, 400)
    assert.deepEqual((await service.call('GET', '/v1/agents/runs')).body.items, [])
  })

  it('are listed by their start, in pages, by agent, version, status and origin', async () => {
    await using service = await serviceWithAgent()
    await service.call('POST', '/v1/agents/runs/batch', [
      run(1),
      run(2, { agent: 'helper@2' }),
      run(3, { status: 'failed' }),
      run(4, { run_id: undefined }),
    ])
    const ids = async (query: string) =>
      (await service.call('GET', `/v1/agents/runs?${query}`)).body.items.map(
        (one: { run_id: string }) => one.run_id,
      )
    assert.deepEqual((await ids('')).slice(1), ['r3', 'r2', 'r1'])
    assert.match((await ids(''))[0], /^run_/)
    assert.deepEqual(await ids('agent=helper@2'), ['r2'])
    assert.deepEqual(await ids('agent=helper@current'), ['r2'])
    assert.deepEqual(await ids('agent=helper&status=failed'), ['r3'])
    assert.deepEqual(await ids('origin=chat'), [])
    const page = await service.call('GET', '/v1/agents/runs?limit=3')
    assert.deepEqual(await ids(`limit=3&cursor=${page.body.next_cursor}`), ['r1'])
    assert.equal((await service.call('GET', '/v1/agents/runs/none')).status, 404)
  })

  it('are made of traces of registered agents, and not twice', async () => {
    await using service = await serviceWithAgent()
    const organization = (await service.call('GET', '/v1/me')).body.organization.id
    await service.call('POST', '/v1/agents/runs/batch', [run(1, { trace_id: 't1' })])
    const { runs } = service.app.agents
    const seen = (traceId: string, agentName: string) =>
      runs.observe({
        organizationId: organization,
        traceId,
        agentName,
        agentVersion: null,
        startedAt: new Date(at(0)),
        finishedAt: new Date(at(50)),
        status: 'succeeded',
        toolCalls: [],
        usage: { inputTokens: 1, outputTokens: 1 },
      })
    await seen('t1', 'helper')
    await seen('t2', 'helper')
    await seen('t2', 'helper')
    await seen('t3', 'stranger')
    const { body } = await service.call('GET', '/v1/agents/runs')
    assert.deepEqual(
      body.items.map((one: { run_id: string; origin: string }) => [one.run_id, one.origin]),
      [
        ['r1', 'recorded'],
        ['trace:t2', 'trace'],
      ],
    )
  })
})

describe('quantiles', () => {
  it('are within 5 % of the exact ones', () => {
    const values = Array.from({ length: 5_000 }, (_, n) => 1 + ((n * 7_919) % 60_000))
    const counts = Array.from({ length: 196 }, () => 0)
    for (const value of values) counts[bucketOf(value)] = (counts[bucketOf(value)] ?? 0) + 1
    const sorted = [...values].sort((a, b) => a - b)
    for (const share of [0.05, 0.5, 0.95, 0.99]) {
      const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0
      const found = quantile({ counts, shortestMs: sorted[0] ?? 0, maxMs: sorted.at(-1) ?? 0 }, share) ?? 0
      assert.ok(Math.abs(found - exact) / exact < 0.05, `${share}: ${found} for ${exact}`)
    }
  })
})
