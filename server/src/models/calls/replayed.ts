/** Chunks one by one, each in its own turn, so that they leave as pieces. Their timing is not kept. */
export async function* replayedChunks(chunks: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    yield Buffer.from(chunk)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

/** Chunks as texts, none of which ends within a character. */
export const textChunks = (chunks: readonly Uint8Array[]): string[] => {
  const decoder = new TextDecoder()
  const texts = chunks.map((chunk) => decoder.decode(chunk, { stream: true }))
  const rest = decoder.decode()
  return [...texts, rest].filter((text) => text !== '')
}
