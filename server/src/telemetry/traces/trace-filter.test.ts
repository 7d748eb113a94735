import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TestService, testService } from '../../testing.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 2, 2, 9) + ms).toISOString()

const span = (name: string, ms: number, more: object = {}) => ({
  span_id: name,
  name,
  started_at: at(0),
  ended_at: at(ms),
  ...more,
})

const record = async ({ call }: TestService): Promise<void> => {
  const track = (body: object) => call('POST', '/v1/traces/track', body)
  await track({
    trace_id: 'refund',
    name: 'Refund 100% of Öl_order',
    attributes: {
      agent: 'desk@2.0.0',
      'diorama.trial.id': 'trl_1',
      'diorama.evaluation.id': 'job_1',
      'diorama.task.id': 'tsk_1',
      'diorama.task.title': 'Refund the Order',
    },
    spans: [
      span('chat', 4_000, {
        status: 'error',
        attributes: { 'gen_ai.request.model': 'm', 'gen_ai.usage.cost': 0.25, region: 'eu=west' },
      }),
      span('chat 2', 10, { attributes: { 'gen_ai.request.model': 'm', 'llm.cost.total': 0.5 } }),
    ],
  })
  await track({ trace_id: 'quick', attributes: { agent: 'desk@1.0.0' }, spans: [span('look', 20)] })
  await track({ trace_id: 'open', spans: [{ span_id: 'o', name: 'wait', started_at: at(0) }] })
}

describe('a list of traces', () => {
  it('is narrowed by agent, task, status, duration, attribute, text and time', async () => {
    await using service = await testService()
    await record(service)
    const found = async (query: string): Promise<string[]> => {
      const { body } = await service.call('GET', `/v1/traces?${query}`)
      return body.items.map(({ trace_id }: { trace_id: string }) => trace_id).sort()
    }
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['agent=desk', ['quick', 'refund']],
      ['agent=desk@2.0.0', ['refund']],
      ['task=tsk_1', ['refund']],
      ['task=the+order', ['refund']],
      ['task=%25', []],
      ['status=error', ['refund']],
      ['status=ok', ['quick']],
      ['status=unset', ['open']],
      ['min_duration_ms=20', ['quick', 'refund']],
      ['max_duration_ms=20', ['quick']],
      ['min_duration_ms=21&max_duration_ms=3999', []],
      ['attribute=region%3Deu%3Dwest', ['refund']],
      ['attribute=region', ['refund']],
      ['attribute=region%3Dus', []],
      ['attribute=agent%3Ddesk@1.0.0', ['quick']],
      ['q=100%25+of+%C3%B6l_', ['refund']],
      ['since=2026-03-03T00:00:00Z', []],
      ['status=error&agent=desk@1.0.0', []],
    ]
    for (const [query, expected] of cases) assert.deepEqual(await found(query), expected, query)
  })

  it('has the trial and the cost of each trace', async () => {
    await using service = await testService()
    await record(service)
    const { body } = await service.call('GET', '/v1/traces?agent=desk@2.0.0')
    assert.deepEqual(body.items[0].trial, {
      trial_id: 'trl_1',
      job_id: 'job_1',
      task_id: 'tsk_1',
      task_title: 'Refund the Order',
    })
    assert.equal(body.items[0].totals.cost_usd, 0.75)
    const { body: quick } = await service.call('GET', '/v1/traces/quick')
    assert.equal(quick.trial, null)
    assert.equal(quick.totals.cost_usd, null)
  })

  it('refuses what cannot be a filter, by its name', async () => {
    await using service = await testService()
    for (const [query, field] of [
      ['status=broken', '/status'],
      ['min_duration_ms=soon', '/min_duration_ms'],
      ['attribute=%3Dvalue', '/attribute'],
      ['since=yesterday', '/since'],
    ]) {
      const { status, body } = await service.call('GET', `/v1/traces?${query}`)
      assert.equal(status, 400, query)
      assert.match(JSON.stringify(body.details), new RegExp(field ?? ''), query)
    }
  })
})
