import { readMessages } from '@diorama/contract/server-sent-events'

/** One message of a stream, as a reader sees it. */
export interface ReadMessage {
  readonly id: string
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
  readonly data: any
}

export interface StreamReader {
  readonly status: number
  readonly messages: ReadMessage[]
  /** The id to resume from: the last one seen, also where it came without a message. */
  readonly lastId: string
  /** Resolves when this many messages are there, or when the stream has ended. */
  until(count: number): Promise<void>
  readonly ended: Promise<void>
  cut(): Promise<void>
}

/** Reads a stream of server-sent events by hand, and can be cut at any moment. */
export const readStream = async (options: {
  baseUrl: string
  key: string
  /** Which stream; that of events when left out. */
  path?: string
  query?: string
  lastId?: string | undefined
}): Promise<StreamReader> => {
  const cut = new AbortController()
  const reply = await fetch(
    `${options.baseUrl}${options.path ?? '/v1/events/stream'}${options.query ?? ''}`,
    {
      headers: {
        authorization: `Bearer ${options.key}`,
        ...(options.lastId === undefined ? {} : { 'last-event-id': options.lastId }),
      },
      signal: cut.signal,
    },
  )
  const state = { lastId: options.lastId ?? '', wake: () => {}, done: false }
  const messages: ReadMessage[] = []
  const read = async () => {
    if (!reply.body) return
    for await (const { id, event, data } of readMessages(reply.body, () => {})) {
      state.lastId = id ?? state.lastId
      if (data !== undefined) messages.push({ id: id ?? '', event, data: JSON.parse(data) })
      state.wake()
    }
  }
  const ended = read()
    .catch(() => {})
    .finally(() => {
      state.done = true
      state.wake()
    })
  while (reply.status === 200 && state.lastId === '' && !state.done && messages.length === 0)
    await new Promise<void>((resolve) => {
      state.wake = resolve
    })
  return {
    status: reply.status,
    messages,
    get lastId() {
      return state.lastId
    },
    until: async (count) => {
      while (messages.length < count && !state.done)
        await new Promise<void>((resolve) => {
          state.wake = resolve
        })
    },
    ended,
    cut: async () => {
      cut.abort()
      await ended
    },
  }
}
