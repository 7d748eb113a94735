import { markHeaders } from './api.ts'

export interface StreamMessage {
  readonly id: string
  readonly event: string
  readonly data: string
}

interface Following {
  /** Where to read from, after the message with this id. */
  readonly address: (after: string | undefined) => string
  readonly heard: (message: StreamMessage) => void
  readonly connected: (is: boolean) => void
  readonly signal: AbortSignal
  /** The kind of message after which there is nothing more. */
  readonly last?: string
}

const firstWaitMs = 1_000
const longestWaitMs = 15_000

/** Reads server-sent events from a reply, one JSON line each. */
async function* messages(reply: Response): AsyncGenerator<StreamMessage> {
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) return
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const parts = (rest + value).split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(part)?.[1] ?? ''
      if (field('data') !== '') yield { id: field('id'), event: field('event'), data: field('data') }
    }
  }
}

/** Follows a stream until it is over or nobody looks. A lost connection is taken up again where it ended. */
export const follow = async ({ address, heard, connected, signal, last }: Following): Promise<void> => {
  let after: string | undefined
  let waitMs = firstWaitMs
  const readOnce = async (): Promise<boolean> => {
    const reply = await fetch(address(after), { headers: markHeaders, signal })
    if (!reply.ok) return false
    connected(true)
    for await (const message of messages(reply)) {
      waitMs = firstWaitMs
      if (message.event === 'error') return false
      after = message.id || after
      heard(message)
      if (message.event === last) return true
    }
    return false
  }
  while (!signal.aborted) {
    const over = await readOnce().catch(() => false)
    if (signal.aborted) return
    connected(false)
    if (over) return
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    waitMs = Math.min(waitMs * 2, longestWaitMs)
  }
}
