import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as HttpExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import fc from 'fast-check'
import protobuf from 'protobufjs'
import { type TestService, testService } from '../../testing.ts'
import { exportRequest } from './otlp-messages.ts'
import { readMessage } from './protobuf.ts'

const definition = `
syntax = "proto3";
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
  ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Status { string message = 2; int32 code = 3; }
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4; }
message Link { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4; uint32 dropped_attributes_count = 5; fixed32 flags = 6; }
message Span { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; uint32 dropped_attributes_count = 10;
  repeated Event events = 11; uint32 dropped_events_count = 12; repeated Link links = 13; uint32 dropped_links_count = 14; Status status = 15; fixed32 flags = 16;
  string future_field = 99; }
message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message Request { repeated ResourceSpans resource_spans = 1; }
message Partial { int64 rejected_spans = 1; string error_message = 2; }
message Reply { Partial partial_success = 1; }`
const { root } = protobuf.parse(definition)
const Request = root.lookupType('Request')
const Reply = root.lookupType('Reply')

const bytesOf = (hex: string) => Buffer.from(hex, 'hex')
const encode = (spans: object[], resource: object = {}) =>
  Buffer.from(
    Request.encode(
      Request.fromObject({
        resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'tests' }, spans }] }],
      }),
    ).finish(),
  )
const protobufHeaders = { 'content-type': 'application/x-protobuf' }
const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = (n: number) => n.toString(16).padStart(16, '0')

describe('the reader of protobuf', () => {
  it('reads what protobufjs writes, for any message', () => {
    const any = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.record({ stringValue: fc.string({ unit: 'grapheme' }) }),
        fc.record({ boolValue: fc.boolean() }),
        fc.record({ intValue: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String) }),
        fc.record({ doubleValue: fc.double({ noNaN: true }) }),
        fc.record({ arrayValue: fc.record({ values: fc.array(tie('value'), { maxLength: 3 }) }) }),
      ),
    })).value
    const attributes = fc.array(fc.record({ key: fc.string({ minLength: 1 }), value: any }), { maxLength: 4 })
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
    const nano = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)
    const span = fc.record({
      traceId: bytes(16),
      spanId: bytes(8),
      name: fc.string({ unit: 'grapheme' }),
      kind: fc.nat(5),
      startTimeUnixNano: nano,
      endTimeUnixNano: nano,
      attributes,
      events: fc.array(fc.record({ timeUnixNano: nano, name: fc.string(), attributes }), { maxLength: 2 }),
      flags: fc.nat(2 ** 31),
    })
    fc.assert(
      fc.property(fc.array(span, { maxLength: 3 }), attributes, (spans, held) => {
        const bytes = encode(spans, { attributes: held })
        const theirs = Request.toObject(Request.decode(bytes), {
          longs: String,
          bytes: Buffer,
          oneofs: false,
        })
        const ours = readMessage(exportRequest, bytes)
        assert.deepEqual(comparable(ours), comparable(theirs))
      }),
      { numRuns: 200 },
    )
  })

  it('keeps fields that it does not know, and refuses bytes that are no message without reading past them', () => {
    const bytes = encode([{ traceId: bytesOf(traceId), spanId: bytesOf(spanId(1)), futureField: 'later' }])
    assert.match(JSON.stringify(readMessage(exportRequest, bytes)), /"field":99/)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        try {
          readMessage(exportRequest, noise)
        } catch (error) {
          assert.equal((error as Error).name, 'BadProtobuf')
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

/** NUL is not kept; empty lists and texts are the same as none. */
const comparable = (value: unknown): unknown => {
  if (Buffer.isBuffer(value) || value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD').toWellFormed()
  if (typeof value === 'number' && Object.is(value, -0)) return 0
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, comparable(item)]))
}

const exporters: [string, (url: string, key: string) => SpanExporter][] = [
  ['protobuf', (url, key) => new ProtoExporter({ url, headers: { authorization: `Bearer ${key}` } })],
  [
    'protobuf with gzip',
    (url, key) =>
      new ProtoExporter({
        url,
        headers: { authorization: `Bearer ${key}` },
        compression: 'gzip' as never,
      }),
  ],
  ['JSON', (url, key) => new HttpExporter({ url, headers: { authorization: `Bearer ${key}` } })],
  [
    'JSON with gzip',
    (url, key) =>
      new HttpExporter({ url, headers: { authorization: `Bearer ${key}` }, compression: 'gzip' as never }),
  ],
]

const record = async (exporter: SpanExporter) => {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const tracer = provider.getTracer('agent-tests', '1.2.3')
  const root = tracer.startSpan('invoke_agent helper', {
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'helper',
      'gen_ai.agent.version': '3',
    },
  })
  const context = trace.setSpan((await import('@opentelemetry/api')).ROOT_CONTEXT, root)
  const chat = tracer.startSpan(
    'chat',
    {
      kind: SpanKind.CLIENT,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'acme',
        'gen_ai.request.model': 'm-1',
        'gen_ai.usage.input_tokens': 120,
        'gen_ai.usage.output_tokens': 30,
        ratio: 0.25,
        list: ['a', 'b'],
        flag: true,
      },
    },
    context,
  )
  chat.addEvent('first token', { after_ms: 12 })
  chat.end()
  const tool = tracer.startSpan(
    'execute_tool lookup',
    { attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'lookup' } },
    context,
  )
  tool.setStatus({ code: SpanStatusCode.ERROR, message: 'no such order' })
  tool.end()
  root.end()
  await provider.forceFlush()
  await provider.shutdown()
  return root.spanContext()
}

describe('OTLP over HTTP', () => {
  for (const [name, make] of exporters)
    it(`takes what the OpenTelemetry exporter sends as ${name}, and reads it back whole`, async () => {
      await using service = await testService()
      const context = await record(make(`${service.baseUrl}/v1/traces`, service.key))
      const { body } = await service.call('GET', `/v1/traces/${context.traceId}`)
      assert.deepEqual(
        body.spans.map((span: { name: string; depth: number }) => [span.name, span.depth]).sort(),
        [
          ['chat', 1],
          ['execute_tool lookup', 1],
          ['invoke_agent helper', 0],
        ],
      )
      assert.deepEqual(body.root_span_ids, [context.spanId])
      const chat = body.spans.find((span: { name: string }) => span.name === 'chat')
      assert.equal(chat.parent_span_id, context.spanId)
      assert.equal(chat.kind, 'client')
      assert.deepEqual(chat.attributes.list, ['a', 'b'])
      assert.equal(chat.attributes.flag, true)
      assert.equal(chat.attributes.ratio, 0.25)
      assert.equal(chat.otlp.events[0].name, 'first token')
      assert.equal(chat.otlp.scope.version, '1.2.3')
      assert.equal(chat.gen_ai.model, 'm-1')
      assert.deepEqual(body.totals, {
        spans: 3,
        errors: 1,
        model_calls: 1,
        tool_calls: 1,
        input_tokens: 120,
        output_tokens: 30,
        cost_usd: null,
      })
      assert.equal(body.agent_name, 'helper')
      assert.equal(body.agent_version, '3')
      assert.equal(service.logged.length, 0)
    })

  it('rejects spans it cannot keep, keeps the rest, and says so in the encoding of the request', async () => {
    await using service = await testService()
    const good = { traceId: bytesOf(traceId), spanId: bytesOf(spanId(1)), name: 'good' }
    const bytes = encode([good, { ...good, spanId: bytesOf('00') }, { ...good, traceId: Buffer.alloc(16) }])
    const reply = await fetch(`${service.baseUrl}/v1/traces`, {
      method: 'POST',
      headers: { ...protobufHeaders, authorization: `Bearer ${service.key}` },
      body: bytes,
    })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('content-type'), 'application/x-protobuf')
    const decoded = Reply.toObject(Reply.decode(new Uint8Array(await reply.arrayBuffer())), { longs: String })
    assert.equal(decoded.partialSuccess.rejectedSpans, '2')
    assert.match(decoded.partialSuccess.errorMessage, /spanId/)
    const json = await service.call('POST', '/v1/traces', {
      resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 'x', spanId: spanId(2), name: 'bad' }] }] }],
    })
    assert.deepEqual(json.body.partialSuccess.rejectedSpans, '1')
    assert.equal((await service.call('GET', `/v1/traces/${traceId}`)).body.spans.length, 1)
    const none = await service.call('POST', '/v1/traces', {})
    assert.deepEqual(none.body, {})
  })

  it('takes int values as numbers or texts, keeps exact times and unknown fields, and is the same trace both ways', async () => {
    await using service = await testService()
    const span = {
      traceId: traceId.toUpperCase(),
      spanId: spanId(7),
      name: 'both',
      kind: 'SPAN_KIND_SERVER',
      startTimeUnixNano: '1772442000000123456',
      endTimeUnixNano: '1772442000001623456',
      attributes: [
        { key: 'a', value: { intValue: '7' } },
        { key: 'b', value: { intValue: 7 } },
        { key: 'huge', value: { intValue: '9223372036854775807' } },
        { key: 'map', value: { kvlistValue: { values: [{ key: 'x', value: { boolValue: false } }] } } },
        { key: 'nul', value: { stringValue: 'a\0b\ud800' } },
      ],
      fromTheFuture: { kept: true },
    }
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'front' } }] }
    const sent = { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }
    assert.equal((await service.call('POST', '/v1/traces', sent)).status, 200)
    const { body } = await service.call('GET', `/v1/traces/${traceId}`)
    const [read] = body.spans
    assert.deepEqual(read.attributes, {
      a: 7,
      b: 7,
      huge: '9223372036854775807',
      map: { x: false },
      nul: 'a\uFFFDb\uFFFD',
    })
    assert.equal(read.kind, 'server')
    assert.equal(read.duration_ms, 1.5)
    assert.equal(read.otlp.startTimeUnixNano, '1772442000000123456')
    assert.deepEqual(read.otlp.fromTheFuture, { kept: true })
    assert.equal(body.source, 'front')
  })

  it('refuses what is no OTLP, an unknown type, and a body that grows too large when unpacked', async () => {
    await using service = await testService({ bodyLimitBytes: 100_000 })
    const post = (body: Uint8Array | string, headers: Record<string, string>) =>
      service.call('POST', '/v1/traces', body, { headers })
    assert.equal((await post(Buffer.from('nonsense'), protobufHeaders)).status, 400)
    assert.equal((await post('{"resourceSpans": [', { 'content-type': 'application/json' })).status, 400)
    assert.equal((await post('x', { 'content-type': 'text/plain' })).status, 415)
    const bomb = gzipSync(Buffer.alloc(5_000_000))
    assert.equal((await post(bomb, { ...protobufHeaders, 'content-encoding': 'gzip' })).status, 413)
    const deep = `{"resourceSpans":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
    assert.equal((await post(deep, { 'content-type': 'application/json' })).status, 400)
    assert.equal(service.logged.length, 0)
  })

  it('takes what a Python script with nothing but its standard library sends', async () => {
    await using service = await testService()
    await python(service)
    const { body } = await service.call('GET', `/v1/traces/${traceId}`)
    assert.equal(body.spans.length, 2)
    assert.equal(body.totals.input_tokens, 12)
    assert.deepEqual(
      body.spans.map(({ depth }: { depth: number }) => depth),
      [0, 1],
    )
  })
})

const script = `
import json, gzip, sys, urllib.request
base, key, trace = sys.argv[1:4]
def post(path, body, packed):
    data = json.dumps(body).encode()
    headers = {"content-type": "application/json", "authorization": "Bearer " + key}
    if packed:
        data = gzip.compress(data); headers["content-encoding"] = "gzip"
    with urllib.request.urlopen(urllib.request.Request(base + path, data, headers)) as reply:
        return json.load(reply)
span = {"traceId": trace, "spanId": "00000000000000aa", "name": "run", "startTimeUnixNano": "1772442000000000000", "endTimeUnixNano": "1772442002000000000"}
post("/v1/traces", {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}, True)
post("/v1/traces/track", {"trace_id": trace, "spans": [{"span_id": "b", "parent_span_id": "00000000000000aa", "name": "chat", "started_at": "2026-03-02T09:00:01Z", "duration_ms": 5, "attributes": {"gen_ai.usage.prompt_tokens": 12}}]}, False)
`
const python = (service: TestService) =>
  promisify(execFile)('python3', ['-c', script, service.baseUrl, service.key, traceId])
