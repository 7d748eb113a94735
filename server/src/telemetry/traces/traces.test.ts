import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { silentLog } from '../../storage/log.ts'
import { testService } from '../../testing.ts'
import { readGenAi } from '../otlp/genai.ts'
import { type ObservedRun, tellRuns } from './runs.ts'
import { know, mergeSent, type SentSpan } from './spans.ts'
import { traceStore } from './trace-store.ts'
import { type FlatSpan, treeOf } from './tree.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 2, 2, 9) + ms).toISOString()

describe('traces', () => {
  it('are put together from spans in any order and in several calls', async () => {
    await using service = await testService()
    const spans = [
      { span_id: 'root', name: 'run', started_at: at(0), ended_at: at(5_000) },
      { span_id: 'a', parent_span_id: 'root', name: 'first', started_at: at(100), duration_ms: 50 },
      { span_id: 'b', parent_span_id: 'root', name: 'second', started_at: at(200), duration_ms: 70 },
      { span_id: 'c', parent_span_id: 'b', name: 'inner', ended_at: at(260), duration_ms: 10 },
    ]
    const made = await service.call('POST', '/v1/traces/track', {
      trace_id: 'trace-1',
      spans: [spans[3], spans[2]],
    })
    assert.equal(made.status, 201)
    assert.equal(made.body.items.length, 2)
    await service.call('POST', '/v1/traces/track', { trace_id: 'trace-1', name: 'named', spans: [spans[1]] })
    const half = await service.call('GET', '/v1/traces/trace-1')
    assert.ok(half.body.spans[0].parent_missing)
    await service.call('POST', '/v1/traces/track', { trace_id: 'trace-1', spans: [spans[0]] })
    const { body } = await service.call('GET', '/v1/traces/trace-1')
    assert.deepEqual(
      body.spans.map((span: { span_id: string; depth: number }) => [span.span_id, span.depth]),
      [
        ['root', 0],
        ['a', 1],
        ['b', 1],
        ['c', 2],
      ],
    )
    assert.equal(body.name, 'named')
    assert.equal(body.duration_ms, 5_000)
    assert.equal(body.spans[3].started_at, at(250))
    assert.equal(body.spans[1].ended_at, at(150))
    assert.deepEqual(body.root_span_ids, ['root'])
    assert.deepEqual(body.spans[0].child_span_ids, ['a', 'b'])
    assert.ok(!body.spans.some(({ parent_missing }: { parent_missing: boolean }) => parent_missing))
    const listed = await service.call('GET', '/v1/traces')
    assert.equal(listed.body.items[0].totals.spans, 4)
  })

  it('merge a span that is sent twice: what the second omits stays', async () => {
    await using service = await testService()
    const track = (span: object) =>
      service.call('POST', '/v1/traces/track', {
        trace_id: 't',
        spans: [{ span_id: 's', name: 'n', ...span }],
      })
    const first = await track({ started_at: at(0), attributes: { a: 1, 'entity.order': '1' }, kind: 'tool' })
    const open = await service.call('GET', '/v1/traces/t')
    assert.equal(open.body.ended_at, null)
    const second = await track({
      ended_at: at(250),
      status: 'error',
      attributes: { b: 2, 'entity.order': '2' },
    })
    assert.equal(first.body.items[0].id, second.body.items[0].id)
    const { body } = await service.call('GET', '/v1/traces/t')
    assert.equal(body.spans.length, 1)
    assert.equal(body.spans[0].duration_ms, 250)
    assert.equal(body.spans[0].kind, 'tool')
    assert.equal(body.spans[0].attributes.a, 1)
    assert.equal(body.status, 'error')
    const timeline = async (id: string) => (await service.call('GET', `/v1/timeline/order/${id}`)).body.items
    assert.equal((await timeline('1')).length, 0)
    assert.equal((await timeline('2')).length, 1)
  })

  it('take a thousand spans a call and no more, and name the span that does not fit', async () => {
    await using service = await testService()
    const spans = Array.from({ length: 1_000 }, (_, n) => ({ span_id: `s${n}`, name: `span ${n}` }))
    assert.equal((await service.call('POST', '/v1/traces/track', { trace_id: 't', spans })).status, 201)
    const more = [...spans, { span_id: 'x', name: 'x' }]
    assert.equal((await service.call('POST', '/v1/traces/track', { trace_id: 't', spans: more })).status, 400)
    const nameless = await service.call('POST', '/v1/traces/track', {
      trace_id: 't',
      spans: [{ span_id: 'x' }],
    })
    assert.equal(nameless.body.details[0].pointer, '/spans/0/name')
    const backwards = { span_id: 'x', name: 'x', started_at: at(10), ended_at: at(0) }
    const refused = await service.call('POST', '/v1/traces/track', { trace_id: 't', spans: [backwards] })
    assert.equal(refused.body.details[0].pointer, '/spans/0/ended_at')
    assert.equal((await service.call('GET', '/v1/traces/t')).body.spans.length, 1_000)
    const nameMade = await service.call('POST', '/v1/traces/track', { spans: [{ span_id: 'x', name: 'x' }] })
    assert.equal((await service.call('GET', `/v1/traces/${nameMade.body.trace_id}`)).status, 200)
    assert.equal((await service.call('GET', '/v1/traces/none')).status, 404)
  })

  it('keep the right sums when many calls about one trace arrive at once', async () => {
    await using service = await testService()
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        service.call('POST', '/v1/traces/track', {
          trace_id: 'busy',
          spans: [{ span_id: `s${n % 30}`, name: 'chat', attributes: { model: 'm', input_tokens: 2 } }],
        }),
      ),
    )
    const { body } = await service.call('GET', '/v1/traces/busy')
    assert.equal(body.totals.spans, 30)
    assert.equal(body.totals.input_tokens, 60)
    assert.equal(service.logged.length, 0)
  })

  it('of an agent are recorded as its run, again when more is known', async () => {
    await using service = await testService()
    const store = traceStore(service.storage)
    const runs: ObservedRun[] = []
    const tell = tellRuns({ store, log: silentLog, recordRun: async (run) => void runs.push(run) })
    const track = (spans: object[]) => service.call('POST', '/v1/traces/track', { trace_id: 'r', spans })
    const agent = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'helper',
      agent_version: '2',
    }
    await track([{ span_id: 'root', name: 'run', started_at: at(0), attributes: agent }])
    await tell()
    assert.equal(runs.at(-1)?.status, 'running')
    await track([
      { span_id: 'root', name: 'run', ended_at: at(900) },
      {
        span_id: 'tool',
        parent_span_id: 'root',
        name: 'look up',
        started_at: at(10),
        duration_ms: 20,
        status: 'error',
        attributes: { 'gen_ai.tool.name': 'lookup' },
      },
    ])
    await tell()
    await tell()
    assert.equal(runs.length, 2)
    assert.equal(runs[1]?.agentName, 'helper')
    assert.equal(runs[1]?.agentVersion, '2')
    assert.equal(runs[1]?.status, 'succeeded')
    assert.deepEqual(runs[1]?.toolCalls, [{ name: 'lookup', status: 'failed', durationMs: 20 }])
    const byAgent = await service.call('GET', '/v1/traces?agent=helper@2')
    assert.equal(byAgent.body.items.length, 1)
    assert.equal((await service.call('GET', '/v1/traces?agent=other')).body.items.length, 0)
  })
})

describe('the view of a model call', () => {
  const cases: [string, Record<string, unknown>][] = [
    [
      'today',
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'acme',
        'gen_ai.response.model': 'm-1',
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 4,
      },
    ],
    [
      'yesterday',
      {
        'gen_ai.system': 'acme',
        'gen_ai.request.model': 'm-1',
        'llm.request.type': 'chat',
        'gen_ai.usage.prompt_tokens': 10,
        'gen_ai.usage.completion_tokens': '4',
      },
    ],
    [
      'in OpenInference',
      {
        'openinference.span.kind': 'LLM',
        'llm.provider': 'acme',
        'llm.model_name': 'm-1',
        'llm.token_count.prompt': 10,
        'llm.token_count.completion': 4,
      },
    ],
  ]
  for (const [when, attributes] of cases)
    it(`is the same however it was written: ${when}`, () => {
      const view = readGenAi(attributes, null)
      assert.equal(view?.operation, 'chat')
      assert.equal(view?.provider, 'acme')
      assert.equal(view?.model, 'm-1')
      assert.equal(view?.input_tokens, 10)
      assert.equal(view?.output_tokens, 4)
    })

  it('says nothing of spans that speak of no model, tool or agent', () => {
    assert.equal(readGenAi({ 'http.method': 'GET' }, 'client'), undefined)
  })
})

describe('the tree of a trace', () => {
  it('holds every span once, each after its parent, whatever the parents say', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
    const spans = fc.uniqueArray(fc.record({ id: name, parent: fc.option(name), start: fc.nat(1_000) }), {
      selector: ({ id }) => id,
    })
    fc.assert(
      fc.property(spans, (sent) => {
        const flat = sent.map(({ id, parent, start }) => flatSpan(id, parent, start))
        const tree = treeOf(flat)
        assert.deepEqual(tree.spans.map(({ span_id }) => span_id).sort(), sent.map(({ id }) => id).sort())
        const placed = new Set<string>()
        for (const span of tree.spans) {
          if (span.depth > 0) assert.ok(span.parent_span_id !== null && placed.has(span.parent_span_id))
          placed.add(span.span_id)
        }
      }),
    )
  })

  it('knows the same about a span in whichever order its parts arrive', () => {
    const part = fc.record({
      start: fc.option(fc.nat(1_000), { nil: undefined }),
      end: fc.option(fc.integer({ min: 1_000, max: 2_000 }), { nil: undefined }),
    })
    fc.assert(
      fc.property(part, (times) => {
        const whole = sentSpan(times)
        const parts = [sentSpan({ start: times.start }), sentSpan({ end: times.end })] as const
        const received = new Date(Date.UTC(2026, 0, 1))
        const one = know(mergeSent(parts[0], parts[1]), 'id', received)
        const other = know(mergeSent(parts[1], parts[0]), 'id', received)
        assert.deepEqual(one, other)
        assert.deepEqual(one, know(whole, 'id', received))
        assert.ok(one.endedAt === undefined || one.endedAt >= one.startedAt)
      }),
    )
  })
})

const flatSpan = (id: string, parent: string | null, start: number): FlatSpan => ({
  id,
  span_id: id,
  parent_span_id: parent,
  name: id,
  kind: null,
  status: null,
  status_message: null,
  started_at: at(start),
  ended_at: null,
  duration_ms: null,
  attributes: {},
  entities: {},
  gen_ai: null,
  otlp: null,
})

const sentSpan = (times: { start?: number | undefined; end?: number | undefined }): SentSpan => ({
  traceId: 't',
  spanId: 's',
  parentSpanId: undefined,
  name: 'n',
  kind: undefined,
  status: undefined,
  statusMessage: undefined,
  start: times.start === undefined ? undefined : new Date(times.start),
  end: times.end === undefined ? undefined : new Date(times.end),
  durationMs: undefined,
  attributes: {},
  entities: {},
  otlp: undefined,
  source: undefined,
})
