import { Activity, Event, type RouteName } from '@diorama/contract'
import { camelize } from '@diorama/contract/casing'
import { readMessages } from '@diorama/contract/server-sent-events'
import { z } from 'zod'
import { DioramaError } from './core/error.ts'
import { type Connection, type Outgoing, openStream, retryDelay } from './transport.ts'

/** A step of an evaluation run, as its stream reports it. */
const RunProgress = z.object({
  type: z.enum(['trial_started', 'trial_finished', 'run_finished']),
  trial_id: z.string().nullable(),
  status: z.string(),
})

/** What each stream yields, and the kind of message after which it is over. */
export const streamItems = {
  streamEvents: { item: Event, last: undefined },
  streamWorldActivity: { item: Activity, last: undefined },
  streamTwinActivity: { item: Activity, last: undefined },
  streamJob: { item: RunProgress, last: 'run_finished' },
} as const satisfies Partial<Record<RouteName, { item: z.ZodType; last: string | undefined }>>
export type StreamItems = typeof streamItems
export const isStream = (name: RouteName): name is keyof StreamItems => name in streamItems

/** The service beats every 15 seconds; a connection that is silent for longer is dead without saying so. */
const silentMs = 45_000
/** Attempts in a row in which nothing at all arrived. */
const maxFailures = 10
const remembered = 5_000

/**
 * Yields the items of a stream for as long as the caller reads. A connection that breaks is opened again after the
 * last message seen, and what comes twice is passed on once.
 */
export async function* readStream(
  connection: Connection,
  outgoing: Outgoing,
  { item, last }: { item: z.ZodType; last: string | undefined },
): AsyncGenerator<unknown> {
  const { signal } = outgoing.options
  const seen = openMemory()
  let lastEventId: string | undefined
  let failures = 0
  for (;;) {
    try {
      for await (const message of oneConnection(connection, outgoing, lastEventId, () => {
        failures = 0
      })) {
        lastEventId = message.id ?? lastEventId
        if (message.data === undefined) continue
        const data: unknown = JSON.parse(message.data)
        if (message.event === 'error') throw streamError(data)
        if (!seen.isNew(identityOf(data) ?? message.id)) continue
        yield camelize(item, data)
        if (message.event === last) return
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof DioramaError && !isPassing(error)) throw error
      if (failures >= maxFailures) throw broken(error)
      const asked = error instanceof DioramaError ? error.retryAfterMs : undefined
      await connection.sleep(Math.max(asked ?? 0, delayAfter(failures, connection)), signal)
      failures += 1
      continue
    }
    // The service ends a stream when it drains, and a proxy when it likes: that is no end of the events.
    if (failures >= maxFailures) throw broken(undefined)
    await connection.sleep(delayAfter(failures, connection), signal)
    failures += 1
  }
}

async function* oneConnection(
  connection: Connection,
  outgoing: Outgoing,
  lastEventId: string | undefined,
  onBytes: () => void,
) {
  // The header and the parameter say the same; the newer of them counts, and that is the header after a break.
  const path = lastEventId === undefined ? outgoing.path : withoutAfter(outgoing.path)
  const { response, close } = await openStream(connection, { ...outgoing, path }, lastEventId)
  if (!response.body) return
  let timer = setTimeout(close, silentMs)
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(close, silentMs)
    onBytes()
  }
  try {
    yield* readMessages(response.body, alive)
  } finally {
    clearTimeout(timer)
    close()
  }
}

const withoutAfter = (path: string): string => {
  const [before = '', query] = path.split('?')
  if (query === undefined) return path
  const parameters = new URLSearchParams(query)
  parameters.delete('after')
  return parameters.size === 0 ? before : `${before}?${parameters}`
}

const delayAfter = (failures: number, { random }: Connection): number =>
  retryDelay(new DioramaError('', { status: 0, code: 'network_error' }), {
    repeatable: true,
    attempt: failures,
    random,
  }) ?? 0

/** A server that is not there, drains or is overrun comes back; one that refuses does not change its mind. */
const isPassing = ({ status, code }: DioramaError): boolean =>
  code === 'network_error' || code === 'timeout' || status === 408 || status === 429 || status >= 500

const broken = (cause: unknown) =>
  cause instanceof DioramaError
    ? cause
    : new DioramaError(`The stream broke ${maxFailures} times in a row before anything arrived.`, {
        status: 0,
        code: 'network_error',
        cause,
      })

const streamError = (data: unknown): DioramaError => {
  const fields = z
    .object({ error: z.string(), code: z.string(), resume_from: z.string().optional() })
    .safeParse(data).data
  return new DioramaError(fields?.error ?? 'The stream ended with an error.', {
    status: 0,
    code: fields?.code ?? 'unreadable_reply',
    resumeFrom: fields?.resume_from,
  })
}

const identityOf = (data: unknown): string | undefined =>
  typeof data === 'object' && data !== null && 'id' in data && typeof data.id === 'string'
    ? data.id
    : undefined

/** Remembers the latest ids, and forgets the oldest. */
const openMemory = () => {
  const ids = new Set<string>()
  return {
    isNew: (id: string | undefined): boolean => {
      if (id === undefined) return true
      if (ids.has(id)) return false
      ids.add(id)
      const [oldest] = ids
      if (ids.size > remembered && oldest !== undefined) ids.delete(oldest)
      return true
    },
  }
}
