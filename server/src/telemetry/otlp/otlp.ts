import { isRecord } from '@diorama/contract/records'
import { ApiError } from '../../http/api-error.ts'
import { cleanJson, TooDeep } from '../clean.ts'
import type { Attributes, SentSpan } from '../traces/spans.ts'
import { exportRequest } from './otlp-messages.ts'
import { BadProtobuf, readMessage, writeMessage } from './protobuf.ts'

export interface Export {
  readonly spans: readonly SentSpan[]
  readonly rejected: number
  /** Why the first of the rejected ones was. */
  readonly reason: string
}

type Fields = Readonly<Record<string, unknown>>

/** Reads an ExportTraceServiceRequest in either encoding. */
export const readExport = (bytes: Uint8Array, encoding: 'protobuf' | 'json'): Export => {
  const request = encoding === 'protobuf' ? fromProtobuf(bytes) : fromJson(bytes)
  const spans: SentSpan[] = []
  const refused: string[] = []
  for (const group of list(request, 'resourceSpans', 'resource_spans')) {
    const resource = fields(group.resource)
    for (const inner of list(group, 'scopeSpans', 'scope_spans')) {
      const context = {
        resource: { ...known(resource), schema_url: group.schemaUrl },
        scope: { ...known(fields(inner.scope)), schema_url: inner.schemaUrl },
      }
      for (const span of list(inner, 'spans')) {
        const fault = faultOf(span)
        if (fault) refused.push(fault)
        else spans.push(toSpan(span, context))
      }
    }
  }
  return { spans, rejected: refused.length, reason: refused[0] ?? '' }
}

/** The reply in the encoding of the request; empty where every span was taken. */
export const writeReply = ({ rejected, reason }: Export, encoding: 'protobuf' | 'json'): Buffer | object => {
  const message = `${rejected} spans were not taken: ${reason}`
  if (encoding === 'json')
    return rejected === 0
      ? {}
      : { partialSuccess: { rejectedSpans: String(rejected), errorMessage: message } }
  if (rejected === 0) return Buffer.alloc(0)
  const partial = writeMessage([
    [1, rejected],
    [2, message],
  ])
  return writeMessage([[1, partial]])
}

const fromProtobuf = (bytes: Uint8Array): Fields => {
  try {
    return readMessage(exportRequest, bytes)
  } catch (cause) {
    if (!(cause instanceof BadProtobuf)) throw cause
    throw new ApiError('malformed', `The body is not an ExportTraceServiceRequest: ${cause.message}`, {
      cause,
    })
  }
}

const fromJson = (bytes: Uint8Array): Fields => {
  try {
    const value = cleanJson(JSON.parse(Buffer.from(bytes).toString('utf8')))
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new SyntaxError('it is not an object')
    return fields(value)
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof TooDeep)) throw cause
    throw new ApiError(
      'malformed',
      `The body is not an ExportTraceServiceRequest in JSON: ${cause.message}`,
      {
        cause,
      },
    )
  }
}

const faultOf = (span: Fields): string | undefined => {
  if (hexId(either(span, 'traceId', 'trace_id'), 32) === undefined)
    return 'traceId must be 16 bytes, not all zero.'
  if (hexId(either(span, 'spanId', 'span_id'), 16) === undefined)
    return 'spanId must be 8 bytes, not all zero.'
  return undefined
}

const hexId = (value: unknown, length: number): string | undefined =>
  typeof value === 'string' && value.length === length && /^[0-9a-fA-F]+$/.test(value) && !/^0+$/.test(value)
    ? value.toLowerCase()
    : undefined

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer']
const codes = ['unset', 'ok', 'error']

/** Fields that the span's own columns hold; whatever else was sent is kept beside them. */
const own = new Set(
  'traceId trace_id spanId span_id parentSpanId parent_span_id name kind attributes status'.split(' '),
)

const toSpan = (span: Fields, context: { resource: Fields; scope: Fields }): SentSpan => {
  const start = nanos(either(span, 'startTimeUnixNano', 'start_time_unix_nano'))
  const end = nanos(either(span, 'endTimeUnixNano', 'end_time_unix_nano'))
  const status = fields(span.status)
  const rest = Object.entries(span).filter(([name]) => !own.has(name))
  const service = fields(context.resource.attributes)['service.name']
  const code = enumName(status.code, codes, 'STATUS_CODE_')
  const kind = enumName(span.kind, kinds, 'SPAN_KIND_')
  return {
    traceId: hexId(either(span, 'traceId', 'trace_id'), 32) ?? '',
    spanId: hexId(either(span, 'spanId', 'span_id'), 16) ?? '',
    parentSpanId: hexId(either(span, 'parentSpanId', 'parent_span_id'), 16),
    name:
      typeof span.name === 'string' && span.name !== ''
        ? span.name.slice(0, 500).toWellFormed()
        : '(unnamed)',
    kind: kind === 'unspecified' ? undefined : kind,
    status: code === 'unset' ? undefined : code,
    statusMessage: typeof status.message === 'string' && status.message !== '' ? status.message : undefined,
    start: dateOf(start),
    end: dateOf(end),
    durationMs:
      start !== undefined && end !== undefined && end >= start ? Number(end - start) / 1e6 : undefined,
    attributes: attributesOf(span.attributes),
    entities: {},
    otlp: { ...Object.fromEntries(rest.map(([name, value]) => [name, keep(name, value)])), ...context },
    source: typeof service === 'string' && service !== '' ? service.slice(0, 200).toWellFormed() : undefined,
  }
}

const keep = (name: string, value: unknown): unknown =>
  (name === 'events' || name === 'links') && Array.isArray(value)
    ? value.map((item) => known(fields(item)))
    : value

/** A record with its attributes as a plain object. */
const known = (record: Fields): Fields =>
  record.attributes === undefined ? record : { ...record, attributes: attributesOf(record.attributes) }

const enumName = (value: unknown, names: readonly string[], prefix: string): string | undefined => {
  if (typeof value === 'number') return names[value]
  if (typeof value !== 'string') return undefined
  const name = value.startsWith(prefix) ? value.slice(prefix.length).toLowerCase() : names[Number(value)]
  return name !== undefined && names.includes(name) ? name : undefined
}

const nanos = (value: unknown): bigint | undefined => {
  const text =
    typeof value === 'number' && Number.isFinite(value) ? BigInt(Math.trunc(value)).toString() : value
  if (typeof text !== 'string' || !/^\d{1,20}$/.test(text)) return undefined
  const number = BigInt(text)
  return number === 0n || number > 2n ** 64n - 1n ? undefined : number
}

const dateOf = (time: bigint | undefined): Date | undefined =>
  time === undefined ? undefined : new Date(Number(time / 1_000_000n))

const attributesOf = (value: unknown): Attributes =>
  Object.fromEntries(
    (Array.isArray(value) ? value : []).flatMap((item) => {
      const { key, value: held } = fields(item)
      return typeof key === 'string' ? [[key, plain(held)]] : []
    }),
  )

/** An AnyValue as the value that it encodes. */
const plain = (any: unknown): unknown => {
  const value = fields(any)
  const text = either(value, 'stringValue', 'string_value')
  if (text !== undefined) return text
  const whole = either(value, 'intValue', 'int_value')
  if (whole !== undefined) return Number.isSafeInteger(Number(whole)) ? Number(whole) : String(whole)
  const double = either(value, 'doubleValue', 'double_value')
  if (double !== undefined)
    return typeof double === 'number' && !Number.isFinite(double) ? String(double) : double
  const array = either(value, 'arrayValue', 'array_value')
  if (array !== undefined) return list(fields(array), 'values').map(plain)
  const map = either(value, 'kvlistValue', 'kvlist_value')
  if (map !== undefined) return attributesOf(fields(map).values)
  return either(value, 'boolValue', 'bool_value') ?? either(value, 'bytesValue', 'bytes_value') ?? null
}

const either = (record: Fields, name: string, other: string): unknown => record[name] ?? record[other]

const fields = (value: unknown): Fields => (isRecord(value) ? Object.fromEntries(Object.entries(value)) : {})

const list = (record: Fields, ...names: readonly string[]): Fields[] => {
  const value = names.map((name) => record[name]).find((found) => found !== undefined)
  return Array.isArray(value) ? value.map(fields) : []
}
