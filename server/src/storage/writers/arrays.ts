/**
 * Columns as PostgreSQL's own binary arrays. The driver sends bytes as they are, so that neither side spends time on
 * quoting: a text of JSON, which is full of quotation marks, would be half as long again and be read twice.
 */
export interface ColumnKind<V> {
  readonly oid: number
  /** Bytes that a value is likely to need. */
  readonly room: (value: V) => number
  /** Writes a value and returns how many bytes it took, or the room that it needs where it does not fit. */
  readonly write: (
    value: V,
    into: Buffer,
    at: number,
  ) => { readonly took: number } | { readonly needs: number }
}

const encoder = new TextEncoder()
/** Above this length the encoder's own way is quicker, for all that it costs to begin. */
const longText = 512

export const textColumn: ColumnKind<string> = {
  oid: 25,
  room: ({ length }) => (length < longText ? length * 3 : length),
  write: (value, into, at) => {
    if (value.length < longText) return { took: into.write(value, at) }
    const { read, written } = encoder.encodeInto(value, into.subarray(at))
    return read < value.length ? { needs: value.length * 3 } : { took: written }
  },
}

export const bytesColumn: ColumnKind<Uint8Array> = {
  oid: 17,
  room: ({ length }) => length,
  write: (value, into, at) => {
    into.set(value, at)
    return { took: value.length }
  },
}

const fixed = (
  oid: number,
  bytes: number,
  write: (value: number, into: Buffer, at: number) => void,
): ColumnKind<number> => ({
  oid,
  room: () => bytes,
  write: (value, into, at) => {
    write(value, into, at)
    return { took: bytes }
  },
})

export const int4Column = fixed(23, 4, (value, into, at) => into.writeInt32BE(value, at))
export const int8Column = fixed(20, 8, (value, into, at) => into.writeBigInt64BE(BigInt(value), at))
export const float4Column = fixed(700, 4, (value, into, at) => into.writeFloatBE(value, at))
export const float8Column = fixed(701, 8, (value, into, at) => into.writeDoubleBE(value, at))

const headBytes = 20

/** One value a row, null where there is none. */
export const binaryArray = <V>(kind: ColumnKind<V>, values: readonly (V | null)[]): Buffer => {
  let bytes = Buffer.allocUnsafe(
    values.reduce((sum, value) => sum + 4 + (value === null ? 0 : kind.room(value)), headBytes),
  )
  let at = headBytes
  const ensure = (room: number) => {
    if (at + 4 + room <= bytes.length) return
    const grown = Buffer.allocUnsafe(Math.ceil(bytes.length * 1.5) + room)
    bytes.copy(grown, 0, 0, at)
    bytes = grown
  }
  for (const value of values) {
    ensure(value === null ? 0 : kind.room(value))
    let written = value === null ? { took: -1 } : kind.write(value, bytes, at + 4)
    if (value !== null && 'needs' in written) {
      ensure(written.needs)
      written = kind.write(value, bytes, at + 4)
    }
    if ('needs' in written) throw new RangeError('a value is larger than it said')
    bytes.writeInt32BE(written.took, at)
    at += 4 + Math.max(0, written.took)
  }
  bytes.writeInt32BE(1, 0)
  bytes.writeInt32BE(values.includes(null) ? 1 : 0, 4)
  bytes.writeInt32BE(kind.oid, 8)
  bytes.writeInt32BE(values.length, 12)
  bytes.writeInt32BE(1, 16)
  return bytes.subarray(0, at)
}
