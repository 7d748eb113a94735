/** Messages on a gRPC stream: a flag for compression, a length of four bytes, and the message. */
export const frameOf = (message: Uint8Array): Buffer => {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

export interface FrameReader {
  /** Takes bytes as they arrive; gives the messages that are whole now, or why the stream cannot go on. */
  readonly push: (chunk: Uint8Array) => readonly Uint8Array[] | 'compressed' | 'too large'
}

export const createFrameReader = (maxBytes: number): FrameReader => {
  let held = Buffer.alloc(0)
  return {
    push: (chunk) => {
      held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk])
      const messages: Uint8Array[] = []
      while (held.length >= 5) {
        if (held[0] !== 0) return 'compressed'
        const length = held.readUInt32BE(1)
        if (length > maxBytes) return 'too large'
        if (held.length < 5 + length) break
        messages.push(held.subarray(5, 5 + length))
        held = held.subarray(5 + length)
      }
      return messages
    },
  }
}
