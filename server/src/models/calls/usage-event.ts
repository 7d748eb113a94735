import { jsonMessagesIn } from '@diorama/contract/server-sent-events'
import { list, object } from '../wires/json.ts'

/** A streamed chat completion reports its tokens only where it is asked to: the body that asks, unless it does already. */
export const askingForUsage = (body: unknown): Buffer | undefined => {
  const request = object(body)
  if (object(request.stream_options).include_usage === true) return undefined
  const options = { ...object(request.stream_options), include_usage: true }
  return Buffer.from(JSON.stringify({ ...request, stream_options: options }))
}

/** Takes out the event that only reports tokens, for a caller that did not ask for it. The rest passes as it comes. */
export async function* withoutUsageEvent(
  chunks: AsyncIterable<Uint8Array>,
  onUsage: (event: string) => void,
): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of chunks) {
    held += decoder.decode(chunk, { stream: true })
    const end = held.lastIndexOf('\n\n')
    if (end === -1) continue
    const whole = held.slice(0, end + 2)
    held = held.slice(end + 2)
    const kept = whole.split(/(?<=\n\n)/).filter((event) => {
      if (!isUsage(event)) return true
      onUsage(event)
      return false
    })
    if (kept.length > 0) yield Buffer.from(kept.join(''))
  }
  held += decoder.decode()
  if (held !== '') yield Buffer.from(held)
}

const isUsage = (event: string): boolean => {
  if (!event.includes('"usage"')) return false
  const data = object(jsonMessagesIn(event)[0])
  return Array.isArray(data.choices) && list(data.choices).length === 0 && data.usage != null
}
