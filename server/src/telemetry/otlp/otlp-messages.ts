import type { Message } from './protobuf.ts'

// The messages of OTLP's trace service, by the field numbers of its public definition.

const anyValue: Message = {
  1: { name: 'stringValue', type: 'text' },
  2: { name: 'boolValue', type: 'bool' },
  3: { name: 'intValue', type: 'int64' },
  4: { name: 'doubleValue', type: 'double' },
  5: { name: 'arrayValue', type: () => arrayValue },
  6: { name: 'kvlistValue', type: () => keyValueList },
  7: { name: 'bytesValue', type: 'base64' },
}
const arrayValue: Message = { 1: { name: 'values', type: () => anyValue, repeated: true } }
const keyValueList: Message = { 1: { name: 'values', type: () => keyValue, repeated: true } }
const keyValue: Message = {
  1: { name: 'key', type: 'text' },
  2: { name: 'value', type: () => anyValue },
}

const event: Message = {
  1: { name: 'timeUnixNano', type: 'fixed64' },
  2: { name: 'name', type: 'text' },
  3: { name: 'attributes', type: () => keyValue, repeated: true },
  4: { name: 'droppedAttributesCount', type: 'uint32' },
}
const link: Message = {
  1: { name: 'traceId', type: 'hex' },
  2: { name: 'spanId', type: 'hex' },
  3: { name: 'traceState', type: 'text' },
  4: { name: 'attributes', type: () => keyValue, repeated: true },
  5: { name: 'droppedAttributesCount', type: 'uint32' },
  6: { name: 'flags', type: 'fixed32' },
}
const status: Message = {
  2: { name: 'message', type: 'text' },
  3: { name: 'code', type: 'uint32' },
}
const span: Message = {
  1: { name: 'traceId', type: 'hex' },
  2: { name: 'spanId', type: 'hex' },
  3: { name: 'traceState', type: 'text' },
  4: { name: 'parentSpanId', type: 'hex' },
  5: { name: 'name', type: 'text' },
  6: { name: 'kind', type: 'uint32' },
  7: { name: 'startTimeUnixNano', type: 'fixed64' },
  8: { name: 'endTimeUnixNano', type: 'fixed64' },
  9: { name: 'attributes', type: () => keyValue, repeated: true },
  10: { name: 'droppedAttributesCount', type: 'uint32' },
  11: { name: 'events', type: () => event, repeated: true },
  12: { name: 'droppedEventsCount', type: 'uint32' },
  13: { name: 'links', type: () => link, repeated: true },
  14: { name: 'droppedLinksCount', type: 'uint32' },
  15: { name: 'status', type: () => status },
  16: { name: 'flags', type: 'fixed32' },
}
const scope: Message = {
  1: { name: 'name', type: 'text' },
  2: { name: 'version', type: 'text' },
  3: { name: 'attributes', type: () => keyValue, repeated: true },
  4: { name: 'droppedAttributesCount', type: 'uint32' },
}
const scopeSpans: Message = {
  1: { name: 'scope', type: () => scope },
  2: { name: 'spans', type: () => span, repeated: true },
  3: { name: 'schemaUrl', type: 'text' },
}
const resource: Message = {
  1: { name: 'attributes', type: () => keyValue, repeated: true },
  2: { name: 'droppedAttributesCount', type: 'uint32' },
}
const resourceSpans: Message = {
  1: { name: 'resource', type: () => resource },
  2: { name: 'scopeSpans', type: () => scopeSpans, repeated: true },
  3: { name: 'schemaUrl', type: 'text' },
}

export const exportRequest: Message = {
  1: { name: 'resourceSpans', type: () => resourceSpans, repeated: true },
}
