/** Rows of a blob in the database have this many bytes, but for the last one. */
export const chunkBytes = 262_144

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

export async function* inChunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let held = 0
  for await (const piece of source) {
    for (let start = 0; start < piece.length; ) {
      const part = piece.subarray(start, start + chunkBytes - held)
      waiting.push(part)
      held += part.length
      start += part.length
      if (held < chunkBytes) continue
      yield Buffer.concat(waiting)
      waiting = []
      held = 0
    }
  }
  if (held > 0) yield Buffer.concat(waiting)
}
