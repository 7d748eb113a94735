/** A field of a message: its name in OTLP/JSON, its number, and how it is written. */
interface Field {
  readonly name: string
  readonly number: number
  readonly type: 'text' | 'hex' | 'bool' | 'int64' | 'double' | 'fixed64' | 'enum' | readonly Field[]
}
type Json = Readonly<Record<string, unknown>>

const field = (number: number, name: string, type: Field['type']): Field => ({ number, name, type })

// As much of the messages of OTLP as `encode.ts` makes, by the field numbers of their public definition.
const anyValue = [
  field(1, 'stringValue', 'text'),
  field(2, 'boolValue', 'bool'),
  field(3, 'intValue', 'int64'),
  field(4, 'doubleValue', 'double'),
]
const keyValue = [field(1, 'key', 'text'), field(2, 'value', anyValue)]
const resource = [field(1, 'attributes', keyValue)]
const scope = [field(1, 'name', 'text')]
const span = [
  field(1, 'traceId', 'hex'),
  field(2, 'spanId', 'hex'),
  field(4, 'parentSpanId', 'hex'),
  field(5, 'name', 'text'),
  field(6, 'kind', 'enum'),
  field(7, 'startTimeUnixNano', 'fixed64'),
  field(8, 'endTimeUnixNano', 'fixed64'),
  field(9, 'attributes', keyValue),
  field(15, 'status', [field(3, 'code', 'enum')]),
]
const logRecord = [
  field(1, 'timeUnixNano', 'fixed64'),
  field(2, 'severityNumber', 'enum'),
  field(3, 'severityText', 'text'),
  field(6, 'attributes', keyValue),
  field(9, 'traceId', 'hex'),
  field(10, 'spanId', 'hex'),
  field(11, 'observedTimeUnixNano', 'fixed64'),
  field(12, 'eventName', 'text'),
]
const scopeSpans = [field(1, 'scope', scope), field(2, 'spans', span)]
const scopeLogs = [field(1, 'scope', scope), field(2, 'logRecords', logRecord)]
const resourceSpans = [field(1, 'resource', resource), field(2, 'scopeSpans', scopeSpans)]
const resourceLogs = [field(1, 'resource', resource), field(2, 'scopeLogs', scopeLogs)]
const requests = {
  traces: [field(1, 'resourceSpans', resourceSpans)],
  logs: [field(1, 'resourceLogs', resourceLogs)],
}

/** A request in the binary form, for receivers that do not take JSON. Throws on a field that the tables do not know. */
export const protobufOf = (kind: keyof typeof requests, body: unknown): Buffer =>
  messageOf(requests[kind], body as Json)

const messageOf = (fields: readonly Field[], value: Json): Buffer =>
  Buffer.concat(
    Object.entries(value).flatMap(([name, content]) => {
      const found = fields.find((one) => one.name === name)
      if (!found) throw new Error(`OTLP has no field ${name} here`)
      return (Array.isArray(content) ? content : [content]).map((one) => fieldOf(found, one))
    }),
  )

const fieldOf = ({ number, type }: Field, value: unknown): Buffer => {
  const tagged = (wire: number, bytes: Uint8Array) =>
    Buffer.concat([varint(BigInt(number * 8 + wire)), bytes])
  const sized = (bytes: Buffer) => tagged(2, Buffer.concat([varint(BigInt(bytes.length)), bytes]))
  if (typeof type !== 'string') return sized(messageOf(type, value as Json))
  const eight = Buffer.alloc(8)
  switch (type) {
    case 'text':
      return sized(Buffer.from(String(value)))
    case 'hex':
      return sized(Buffer.from(String(value), 'hex'))
    case 'fixed64':
      eight.writeBigUInt64LE(BigInt(String(value)))
      return tagged(1, eight)
    case 'double':
      eight.writeDoubleLE(Number(value))
      return tagged(1, eight)
    default:
      return tagged(0, varint(BigInt.asUintN(64, BigInt(value as string | number | boolean))))
  }
}

const varint = (value: bigint): Buffer => {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(rest)])
}
