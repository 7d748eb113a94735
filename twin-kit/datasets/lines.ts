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

/**
 * The bytes as text; what is no UTF-8 is an error, and a byte order mark is left out. Whole characters are decoded at
 * a time: a stream of TextDecoder makes strings of two bytes for each character, also of ASCII.
 */
export async function* textOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = new Uint8Array()
  let isFirst = true
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : joined(rest, chunk)
    const end = wholeCharacters(bytes)
    rest = Uint8Array.from(bytes.subarray(end))
    const text = decoder.decode(bytes.subarray(0, end))
    if (text === '') continue
    yield isFirst && text.startsWith('\ufeff') ? text.slice(1) : text
    isFirst = false
  }
  // A character that the end of the file cuts is an error.
  decoder.decode(rest)
}

const joined = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

/** How many of the bytes are whole characters: the last one may be cut by the end of its chunk. */
const wholeCharacters = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
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
