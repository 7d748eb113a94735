/** Values in Avro's binary encoding, by a schema: the kinds that records of business events are made of. */
export type AvroSchema =
  | 'null'
  | 'boolean'
  | 'int'
  | 'long'
  | 'double'
  | 'string'
  | readonly AvroSchema[]
  | { readonly type: 'array'; readonly items: AvroSchema }
  | { readonly type: 'enum'; readonly name: string; readonly symbols: readonly string[] }
  | AvroRecord

export interface AvroRecord {
  readonly type: 'record'
  readonly name: string
  readonly namespace?: string
  readonly fields: readonly {
    readonly name: string
    readonly type: AvroSchema
    readonly doc?: string
    readonly default?: null
  }[]
}

export const encodeAvro = (schema: AvroSchema, value: unknown): Uint8Array => {
  const parts: Uint8Array[] = []
  write(schema, value, parts)
  return Buffer.concat(parts)
}

const isUnion = (schema: AvroSchema): schema is readonly AvroSchema[] => Array.isArray(schema)

const write = (schema: AvroSchema, value: unknown, parts: Uint8Array[]): void => {
  if (isUnion(schema)) {
    const empty = value === null || value === undefined
    const branch = schema.findIndex((one) => (one === 'null') === empty)
    if (branch === -1) throw new Error('the union has no branch for the value')
    parts.push(zigzag(branch))
    write(schema[branch] ?? 'null', value, parts)
  } else if (typeof schema === 'string') {
    writePlain(schema, value, parts)
  } else if (schema.type === 'enum') {
    parts.push(zigzag(Math.max(0, schema.symbols.indexOf(String(value)))))
  } else if (schema.type === 'array') {
    const items = Array.isArray(value) ? value : []
    if (items.length > 0) parts.push(zigzag(items.length))
    for (const item of items) write(schema.items, item, parts)
    parts.push(zigzag(0))
  } else {
    const fields = (value ?? {}) as Readonly<Record<string, unknown>>
    for (const field of schema.fields) write(field.type, fields[field.name], parts)
  }
}

const writePlain = (schema: string, value: unknown, parts: Uint8Array[]): void => {
  if (schema === 'boolean') parts.push(Uint8Array.of(value === true ? 1 : 0))
  else if (schema === 'int' || schema === 'long') parts.push(zigzag(Math.trunc(Number(value ?? 0))))
  else if (schema === 'double') {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(Number(value ?? 0))
    parts.push(bytes)
  } else if (schema === 'string') {
    const bytes = new TextEncoder().encode(String(value ?? ''))
    parts.push(zigzag(bytes.length), bytes)
  }
}

const zigzag = (value: number): Uint8Array => {
  let rest = value < 0 ? -2 * value - 1 : 2 * value
  const bytes: number[] = []
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

/** Reads a value back; throws where the bytes do not fit the schema. */
export const decodeAvro = (schema: AvroSchema, bytes: Uint8Array): unknown => {
  const source = Buffer.from(bytes)
  let at = 0
  const number = (): number => {
    let value = 0
    for (let shift = 0; shift < 63; shift += 7) {
      const byte = source[at++]
      if (byte === undefined) throw new Error('the payload is cut off')
      value += (byte & 0x7f) * 2 ** shift
      if ((byte & 0x80) === 0) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    }
    throw new Error('the number has no end')
  }
  const take = (length: number): Buffer => {
    if (length < 0 || length > source.length - at) throw new Error('the payload is cut off')
    at += length
    return source.subarray(at - length, at)
  }
  const read = (one: AvroSchema): unknown => {
    if (isUnion(one)) {
      const branch = one[number()]
      if (branch === undefined) throw new Error('the union has no such branch')
      return read(branch)
    }
    if (one === 'null') return null
    if (one === 'boolean') return take(1)[0] === 1
    if (one === 'int' || one === 'long') return number()
    if (one === 'double') return take(8).readDoubleLE()
    if (one === 'string') return take(number()).toString('utf8')
    if (one.type === 'enum') return one.symbols[number()]
    if (one.type === 'record')
      return Object.fromEntries(one.fields.map((field) => [field.name, read(field.type)]))
    const items: unknown[] = []
    for (let count = number(); count !== 0; count = number()) {
      if (count < 0) number()
      for (let n = 0; n < Math.abs(count); n++) items.push(read(one.items))
    }
    return items
  }
  const value = read(schema)
  if (at !== source.length) throw new Error('the payload is longer than its schema')
  return value
}
