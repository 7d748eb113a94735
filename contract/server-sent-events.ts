import { jsonIn } from './records.ts'

/** One message of a stream. A message without data only moves the point to resume from. */
export interface Message {
  readonly id: string | undefined
  readonly event: string
  readonly data: string | undefined
}

/** A line longer than this is no message of the service. */
const maxLineLength = 16 * 1_048_576
/** A carriage return at the end of a chunk may be the first half of a line end. */
const lineEnd = /\r\n|\n|\r(?!$)/

/** Reads server-sent events as they arrive. Comments yield nothing, but count for `onBytes`. */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<Message> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const take = createAssembler()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onBytes()
      const parts = (rest + decoder.decode(value, { stream: true })).split(lineEnd)
      rest = parts.pop() ?? ''
      if (rest.length > maxLineLength) throw new Error('a line of the stream is too long')
      for (const line of parts) {
        const message = take(line)
        if (message) yield message
      }
    }
  } finally {
    // Ends the connection when the caller stops reading; it may have ended already.
    await reader.cancel().catch(() => {})
  }
}

/** The messages of a stream that has ended; the last one counts also where its empty line is missing. */
export const messagesIn = (text: string): readonly Message[] => {
  const take = createAssembler()
  return [...text.split(/\r\n|\n|\r/), ''].flatMap((line) => take(line) ?? [])
}

/** The data of each message as JSON; what is none, such as `[DONE]`, is left out. */
export const jsonMessagesIn = (text: string): readonly unknown[] =>
  messagesIn(text).flatMap(({ data }) => {
    const value = data === undefined ? undefined : jsonIn(data)
    return value === undefined ? [] : [value]
  })

/** Holds the lines of a message until the empty line that ends it. */
const createAssembler = () => {
  let lines: string[] = []
  return (line: string): Message | undefined => {
    if (line !== '') {
      lines.push(line)
      return undefined
    }
    const message = parseMessage(lines)
    lines = []
    return message
  }
}

const parseMessage = (lines: readonly string[]): Message | undefined => {
  let id: string | undefined
  let event = 'message'
  const data: string[] = []
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon === 0) continue
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'id') id = value
    else if (field === 'event') event = value
    else if (field === 'data') data.push(value)
  }
  if (id === undefined && data.length === 0) return undefined
  return { id, event, data: data.length === 0 ? undefined : data.join('\n') }
}
