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

const headBytes = 5

export const createFrameReader = (maxBytes: number): FrameReader => {
  let chunks: Uint8Array[] = []
  let size = 0
  /** What must have arrived before there is anything to read: joining earlier would copy a long message many times. */
  let wanted = headBytes
  return {
    push: (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      if (size < wanted) return []
      let held = Buffer.concat(chunks)
      const messages: Uint8Array[] = []
      wanted = headBytes
      while (held.length >= headBytes) {
        if (held[0] !== 0) return 'compressed'
        const length = held.readUInt32BE(1)
        if (length > maxBytes) return 'too large'
        wanted = headBytes + length
        if (held.length < wanted) break
        messages.push(held.subarray(headBytes, wanted))
        held = held.subarray(wanted)
        wanted = headBytes
      }
      chunks = [held]
      size = held.length
      return messages
    },
  }
}
