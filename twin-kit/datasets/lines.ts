/** A file's text in lines, without their ends. A line that is longer than `maxChars` is an error, so that memory stays bounded. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxChars = 32 << 20,
): AsyncGenerator<string> {
  let held = ''
  for await (const text of textOf(chunks)) {
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = held + text.slice(start, end)
      held = ''
      start = end + 1
      yield line.endsWith('\r') ? line.slice(0, -1) : line
    }
    held += text.slice(start)
    if (held.length > maxChars) throw new LongPiece(maxChars)
  }
  if (held !== '') yield held
}

/** One line, or one value, is longer than may be held in memory. */
export class LongPiece extends Error {
  override readonly name = 'LongPiece'
  constructor(maxChars: number) {
    super(`is longer than ${maxChars} characters`)
  }
}

/** The bytes as text; what is no UTF-8 is an error, and a byte order mark is left out. */
export async function* textOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    if (text !== '') yield text
  }
  const rest = decoder.decode()
  if (rest !== '') yield rest
}

/** The whole text of a small file. */
export const wholeText = async (chunks: AsyncIterable<Uint8Array>, maxChars = 64 << 20): Promise<string> => {
  let whole = ''
  for await (const text of textOf(chunks)) {
    whole += text
    if (whole.length > maxChars) throw new LongPiece(maxChars)
  }
  return whole
}
