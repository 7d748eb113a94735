import { randomBytes } from 'node:crypto'
import protobuf from 'protobufjs'
import { crowdRate } from './crowd.ts'
import { type BenchService, type Line, rate } from './service.ts'

const batchSize = 1_000
const roundMs = 4_000
const rounds = 3
/** Until what runs often is compiled; before that the compiler takes a good part of the processors. */
const warmUpMs = 6_000

let count = 0
export const sample = () => {
  const n = count++
  return {
    source: ['shop', 'desk', 'mail'][n % 3] ?? 'shop',
    topic: `topic-${n % 20}`,
    event_type: ['created', 'changed', 'closed'][n % 3] ?? 'created',
    entities: { order: String(n % 5_000), customer: `c-${n % 400}` },
    payload: {
      n,
      text: 'The parcel for the north warehouse left on time.',
      lines: [{ sku: 'A-1', quantity: 3 }],
    },
  }
}
const bodyOf = (size: number) => JSON.stringify(Array.from({ length: size }, sample))

const rawText = `
  with sent as materialized (select * from json_to_recordset($1::json) as sent (id text, organization_id text,
    event_time timestamptz, recorded_at timestamptz, source text, topic text, event_type text, entities jsonb,
    payload jsonb, ord integer)),
  linked as (insert into event_entities select organization_id, key, value, event_time, id, 'event'
    from sent, jsonb_each_text(entities))
  insert into events (id, organization_id, event_time, recorded_at, source, topic, event_type, entities, payload, ord)
  select * from sent`

/** The same rows by the bare driver, without a service. */
const raw = async ({ pool, organizationId }: BenchService): Promise<number> => {
  const at = new Date().toISOString()
  const rows = Array.from({ length: batchSize }, (_, ord) => ({
    id: `evt_${randomBytes(16).toString('hex')}`,
    organization_id: organizationId,
    event_time: at,
    recorded_at: at,
    ...sample(),
    ord,
  }))
  await pool.query({ name: 'raw', text: rawText, values: [JSON.stringify(rows)] })
  return batchSize
}

export const writing = async (service: BenchService): Promise<Line[]> => {
  const batches = async () => {
    await service.call('POST', '/v1/events/batch', bodyOf(batchSize))
    return batchSize
  }
  const bodies = Array.from({ length: 400 }, () => JSON.stringify(sample()))
  const singles = (clients: number, ms: number) =>
    crowdRate({ baseUrl: service.baseUrl, key: service.key, path: '/v1/events', bodies, clients, ms })
  await rate(2, 1_500, batches)
  let [bare, ours] = [0, 0]
  // They take turns, so that whatever else the machine does falls on both.
  for (let round = 0; round < rounds; round++) {
    bare = Math.max(bare, await rate(2, roundMs, () => raw(service)))
    ours = Math.max(ours, await rate(2, roundMs, batches))
  }
  await singles(32, warmUpMs)
  let [one, crowd] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    one = Math.max(one, await singles(1, roundMs / 2))
    crowd = Math.max(crowd, await singles(32, roundMs))
  }
  return [
    {
      what: `batches of 1,000 over HTTP: ${Math.round(ours)} events/s, bare driver ${Math.round(bare)}`,
      value: ours / bare,
      target: '>= 0.5',
      met: ours / bare >= 0.5,
    },
    {
      what: `single events: 32 clients ${Math.round(crowd)}/s, one ${Math.round(one)}/s`,
      value: crowd / one,
      target: '>= 5',
      met: crowd / one >= 5,
    },
  ]
}

const { root } = protobuf.parse(`syntax = "proto3";
  message AnyValue { oneof value { string string_value = 1; int64 int_value = 3; } }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message Span { bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; }
  message ScopeSpans { repeated Span spans = 2; }
  message ResourceSpans { repeated ScopeSpans scope_spans = 2; }
  message Request { repeated ResourceSpans resource_spans = 1; }`)
const Request = root.lookupType('Request')
const spansPerCall = 500
const attributes = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'm-1',
  'gen_ai.usage.input_tokens': 120,
  'gen_ai.usage.output_tokens': 30,
}

const protobufBody = () => {
  const traceId = randomBytes(16)
  const start = BigInt(Date.now()) * 1_000_000n
  const held = Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: value } : { stringValue: value },
  }))
  const spans = Array.from({ length: spansPerCall }, () => ({
    traceId,
    spanId: randomBytes(8),
    name: 'chat',
    kind: 3,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 5_000_000n),
    attributes: held,
  }))
  const message = Request.fromObject({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  return Request.encode(message).finish()
}

const trackBody = () => {
  const at = new Date().toISOString()
  const spans = Array.from({ length: spansPerCall }, () => ({
    span_id: randomBytes(8).toString('hex'),
    name: 'chat',
    kind: 'client',
    started_at: at,
    duration_ms: 5,
    attributes,
  }))
  return JSON.stringify({ trace_id: randomBytes(16).toString('hex'), spans })
}

export const tracing = async (service: BenchService): Promise<Line[]> => {
  const bodies = Array.from({ length: 60 }, protobufBody)
  const tracks = Array.from({ length: 60 }, trackBody)
  let next = 0
  const otlp = async () => {
    await service.call(
      'POST',
      '/v1/traces',
      Uint8Array.from(bodies[next++ % 60] ?? protobufBody()),
      'application/x-protobuf',
    )
    return spansPerCall
  }
  const track = async () => {
    await service.call('POST', '/v1/traces/track', tracks[next++ % 60] ?? trackBody())
    return spansPerCall
  }
  await rate(2, 1_500, track)
  await rate(2, 1_500, otlp)
  let [tracked, exported] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    tracked = Math.max(tracked, await rate(2, roundMs, track))
    exported = Math.max(exported, await rate(2, roundMs, otlp))
  }
  return [
    {
      what: `OTLP protobuf ${Math.round(exported)} spans/s, track ${Math.round(tracked)}`,
      value: exported / tracked,
      target: '>= 0.4',
      met: exported / tracked >= 0.4,
    },
  ]
}
