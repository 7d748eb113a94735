/** Messages in the protobuf wire format, by field numbers: as much of it as small services need. */

/** What a field holds: an unsigned number, or bytes. */
export type ProtoValue = number | Uint8Array

/** The fields of a message, each with its values in order. Throws where the bytes are no message. */
export const readMessage = (bytes: Uint8Array): ReadonlyMap<number, readonly ProtoValue[]> => {
  const fields = new Map<number, ProtoValue[]>()
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; shift < 64; shift += 7) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Error('the message is cut off')
      value += (byte & 0x7f) * 2 ** shift
      if ((byte & 0x80) === 0) return value
    }
    throw new Error('the number has no end')
  }
  const take = (length: number): Uint8Array => {
    if (length > bytes.length - at) throw new Error('the message is cut off')
    at += length
    return bytes.subarray(at - length, at)
  }
  const readers: Readonly<Record<number, () => ProtoValue>> = {
    0: varint,
    1: () => take(8),
    2: () => take(varint()),
    5: () => take(4),
  }
  while (at < bytes.length) {
    const tag = varint()
    const read = readers[tag & 7]
    if (!read) throw new Error('the message has a field of an unknown kind')
    const number = Math.floor(tag / 8)
    fields.set(number, [...(fields.get(number) ?? []), read()])
  }
  return fields
}

type Fields = ReturnType<typeof readMessage>
const last = (fields: Fields, number: number): ProtoValue | undefined => fields.get(number)?.at(-1)

export const textAt = (fields: Fields, number: number): string => {
  const value = last(fields, number)
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : ''
}
export const numberAt = (fields: Fields, number: number): number => {
  const value = last(fields, number)
  return typeof value === 'number' ? value : 0
}
export const bytesAt = (fields: Fields, number: number): Uint8Array => {
  const value = last(fields, number)
  return value instanceof Uint8Array ? value : new Uint8Array()
}
export const messagesAt = (fields: Fields, number: number): Uint8Array[] =>
  (fields.get(number) ?? []).filter((value) => value instanceof Uint8Array)

/** A field to write; what is empty, zero or false is left out, as the format has it. */
export type Written = readonly [number: number, value: string | number | boolean | Uint8Array]

export const writeMessage = (fields: readonly Written[]): Uint8Array => {
  const parts: Uint8Array[] = []
  for (const [number, value] of fields) {
    if (typeof value === 'number' || typeof value === 'boolean') {
      if (Number(value) !== 0) parts.push(varint(number * 8), varint(Number(value)))
      continue
    }
    const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
    if (typeof value === 'string' && bytes.length === 0) continue
    parts.push(varint(number * 8 + 2), varint(bytes.length), bytes)
  }
  return Buffer.concat(parts)
}

const varint = (value: number): Uint8Array => {
  const bytes: number[] = []
  let rest = value
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  bytes.push(rest)
  return Uint8Array.from(bytes)
}
