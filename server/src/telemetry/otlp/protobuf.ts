import { cleanText } from '../clean.ts'

/** A field of a message: its name in OTLP/JSON, and what it holds. */
export type FieldType =
  | 'text'
  | 'hex'
  | 'base64'
  | 'bool'
  | 'int64'
  | 'double'
  | 'fixed64'
  | 'fixed32'
  | 'uint32'
export interface MessageField {
  readonly name: string
  readonly type: FieldType | (() => Message)
  readonly repeated?: true
}
export type Message = Readonly<Record<number, MessageField>>
export type Decoded = Record<string, unknown>

export class BadProtobuf extends Error {
  override readonly name = 'BadProtobuf'
}

const deepest = 64
const wireOf: Readonly<Record<FieldType, number>> = {
  text: 2,
  hex: 2,
  base64: 2,
  bool: 0,
  int64: 0,
  uint32: 0,
  double: 1,
  fixed64: 1,
  fixed32: 5,
}

/**
 * Reads a protobuf message into the shape that its JSON form has: 64-bit numbers as text, ids as hex. Fields that the
 * table does not know are kept under `unknownFields`.
 */
export const readMessage = (message: Message, bytes: Uint8Array): Decoded => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return new Reader(buffer).message(message, buffer.length, 0)
}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  message(message: Message, end: number, depth: number): Decoded {
    if (depth > deepest) throw new BadProtobuf(`It is nested deeper than ${deepest}.`)
    const out: Decoded = {}
    while (this.#at < end) {
      const tag = Number(this.#varint(end))
      const wire = tag & 7
      const number = Math.floor(tag / 8)
      const field = message[number]
      if (number === 0) throw new BadProtobuf('It has a field without a number.')
      if (!field) {
        out.unknownFields = [...asList(out.unknownFields), this.#unknown(number, wire, end)]
        continue
      }
      const value = this.#value(field, wire, end, depth)
      if (!field.repeated) out[field.name] = value
      else {
        const list = out[field.name]
        if (Array.isArray(list)) list.push(value)
        else out[field.name] = [value]
      }
    }
    return out
  }

  #value(field: MessageField, wire: number, end: number, depth: number): unknown {
    const { type, name } = field
    const expected = typeof type === 'function' ? 2 : wireOf[type]
    if (wire !== expected) throw new BadProtobuf(`The field ${name} has another type than it should.`)
    if (typeof type === 'function') {
      const to = this.#length(end)
      return this.message(type(), to, depth + 1)
    }
    switch (type) {
      case 'text':
        return cleanText(this.#slice(end).toString('utf8'))
      case 'hex':
        return this.#slice(end).toString('hex')
      case 'base64':
        return this.#slice(end).toString('base64')
      case 'bool':
        return this.#varint(end) !== 0n
      case 'int64':
        return String(BigInt.asIntN(64, this.#varint(end)))
      case 'uint32':
        return Number(BigInt.asUintN(32, this.#varint(end)))
      case 'double':
        return this.#bytes.readDoubleLE(this.#skip(8, end))
      case 'fixed64':
        return String(this.#bytes.readBigUInt64LE(this.#skip(8, end)))
      case 'fixed32':
        return this.#bytes.readUInt32LE(this.#skip(4, end))
    }
  }

  #unknown(field: number, wire: number, end: number): { field: number; wire: number; value: string } {
    if (wire === 0) return { field, wire, value: String(this.#varint(end)) }
    if (wire === 2) return { field, wire, value: this.#slice(end).toString('base64') }
    const size = wire === 1 ? 8 : wire === 5 ? 4 : undefined
    if (size === undefined) throw new BadProtobuf(`Wire type ${wire} is not one that is used.`)
    const from = this.#skip(size, end)
    return { field, wire, value: this.#bytes.toString('base64', from, from + size) }
  }

  /** Small numbers, which nearly all are, are read without big ones. */
  #varint(end: number): bigint {
    let small = 0
    for (let place = 0; place < 4; place++) {
      const byte = this.#byte(end)
      small += (byte & 127) << (7 * place)
      if (byte < 128) return BigInt(small)
    }
    let large = BigInt(small)
    for (let place = 4; place < 10; place++) {
      const byte = this.#byte(end)
      large += BigInt(byte & 127) << BigInt(7 * place)
      if (byte < 128) return BigInt.asUintN(64, large)
    }
    throw new BadProtobuf('A number is longer than ten bytes.')
  }

  #byte(end: number): number {
    const byte = this.#at < end ? this.#bytes[this.#at] : undefined
    if (byte === undefined) throw new BadProtobuf('It ends in the middle of a field.')
    this.#at++
    return byte
  }

  #length(end: number): number {
    const to = Number(this.#varint(end)) + this.#at
    if (to > end) throw new BadProtobuf('It ends in the middle of a field.')
    return to
  }

  #slice(end: number): Buffer {
    const to = this.#length(end)
    const slice = this.#bytes.subarray(this.#at, to)
    this.#at = to
    return slice
  }

  #skip(size: number, end: number): number {
    const from = this.#at
    if (from + size > end) throw new BadProtobuf('It ends in the middle of a field.')
    this.#at += size
    return from
  }
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Writes the few fields of a reply: whole numbers and texts, by field number. */
export const writeMessage = (fields: readonly (readonly [number, number | string | Buffer])[]): Buffer =>
  Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(number * 8), varint(value)]
      const bytes = Buffer.from(value)
      return [varint(number * 8 + 2), varint(bytes.length), bytes]
    }),
  )

const varint = (value: number): Buffer => {
  const bytes: number[] = []
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  return Buffer.from([...bytes, rest])
}
