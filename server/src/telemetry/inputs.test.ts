import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { testService } from '../testing.ts'

const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false })
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\u0000', '\ud800', '', 'a'.repeat(300)),
)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary }, { weight: 1, arbitrary: json })
const time = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom('0000-01-01T00:00:00Z', '9999-12-31T23:59:59-12:00', '2026-02-30T00:00:00Z', 'now'),
)
const event = fc.record(
  {
    source: maybe(text),
    topic: maybe(text),
    event_type: maybe(text),
    entities: maybe(fc.dictionary(text, text, { maxKeys: 4 })),
    payload: maybe(fc.dictionary(fc.string(), json, { maxKeys: 4 })),
    timestamp: maybe(time),
  },
  { requiredKeys: [] },
)
const span = fc.record(
  {
    span_id: maybe(text),
    name: maybe(text),
    parent_span_id: maybe(text),
    started_at: maybe(time),
    ended_at: maybe(time),
    duration_ms: maybe(fc.double()),
    attributes: maybe(
      fc.dictionary(
        fc.oneof(
          fc.string(),
          fc.constantFrom('entities', 'entity.x', 'agent', 'model', 'gen_ai.usage.input_tokens'),
        ),
        json,
        { maxKeys: 4 },
      ),
    ),
  },
  { requiredKeys: [] },
)
const trace = fc.record(
  { trace_id: maybe(text), name: maybe(text), spans: fc.array(span, { maxLength: 4 }) },
  { requiredKeys: [] },
)
const otlp = fc.record({
  resourceSpans: maybe(
    fc.array(
      fc.record({
        scopeSpans: fc.array(
          fc.record({
            spans: fc.array(
              fc.record(
                {
                  traceId: fc.constantFrom('0af7651916cd43dd8448eb211c80319c', 'x', ''),
                  spanId: fc.constantFrom('00f067aa0ba902b7', '00f067aa0ba902b8', 'x'),
                  name: json,
                  kind: json,
                  startTimeUnixNano: json,
                  endTimeUnixNano: fc.oneof(json, fc.bigInt({ min: 0n }).map(String)),
                  attributes: maybe(
                    fc.array(
                      fc.record({
                        key: maybe(text),
                        value: fc.oneof(
                          json,
                          fc.record({ stringValue: json }),
                          fc.record({ intValue: json }),
                        ),
                      }),
                    ),
                  ),
                  status: json,
                  events: json,
                },
                { requiredKeys: ['traceId', 'spanId'] },
              ),
              { maxLength: 4 },
            ),
          }),
          { maxLength: 2 },
        ),
      }),
      { maxLength: 2 },
    ),
  ),
})

describe('any input', () => {
  it('to events, traces, signals and OTLP is stored whole or refused whole, and never breaks the service', async () => {
    await using service = await testService()
    const count = async (table: string) =>
      (await service.storage.pool.query(`select count(*) as n from ${table}`)).rows[0].n
    const answered = (status: number) => assert.ok(status < 500, `answered ${status}`)
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 5 }), async (events) => {
        const before = await count('events')
        const { status, body } = await service.call('POST', '/v1/events/batch', events)
        answered(status)
        assert.equal((await count('events')) - before, status === 201 ? events.length : 0)
        if (status !== 201) assert.ok(body.error)
      }),
      { numRuns: 150 },
    )
    await fc.assert(
      fc.asyncProperty(trace, async (sent) => {
        const { status, body } = await service.call('POST', '/v1/traces/track', sent)
        answered(status)
        if (status === 201)
          answered((await service.call('GET', `/v1/traces/${encodeURIComponent(body.trace_id)}`)).status)
      }),
      { numRuns: 150 },
    )
    await fc.assert(
      fc.asyncProperty(otlp, async (sent) => {
        answered((await service.call('POST', '/v1/traces', sent)).status)
      }),
      { numRuns: 150 },
    )
    await fc.assert(
      fc.asyncProperty(fc.record({ event_id: json, signal_name: json, properties: json }), async (sent) => {
        answered((await service.call('POST', '/v1/signals/track', sent)).status)
      }),
      { numRuns: 50 },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.constantFrom('source', 'topic', 'since', 'entity_type', 'entity_id', 'cursor', 'limit'),
          fc.string({ unit: 'binary' }),
        ),
        async (query) => {
          const search = new URLSearchParams(query)
          answered((await service.call('GET', `/v1/events?${search}`)).status)
          answered(
            (await service.call('GET', `/v1/timeline/${encodeURIComponent(query.source ?? 'a')}/b`)).status,
          )
        },
      ),
      { numRuns: 100 },
    )
    assert.deepEqual(service.logged, [])
  })
})
