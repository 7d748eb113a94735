/** One message of a stream. A message without data only moves the point to resume from. */
export interface Message {
  readonly id: string | undefined
  readonly event: string
  readonly data: string | undefined
}

/** A line longer than this is no message of the service. */
const maxLineLength = 16 * 1_048_576

/** Reads server-sent events as they arrive. Comments yield nothing, but count for `onBytes`. */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<Message> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let lines: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onBytes()
      const parts = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/)
      rest = parts.pop() ?? ''
      if (rest.length > maxLineLength) throw new Error('a line of the stream is too long')
      for (const line of parts) {
        if (line !== '') lines.push(line)
        else {
          const message = parseMessage(lines)
          lines = []
          if (message) yield message
        }
      }
    }
  } finally {
    // Ends the connection when the caller stops reading; it may have ended already.
    await reader.cancel().catch(() => {})
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
