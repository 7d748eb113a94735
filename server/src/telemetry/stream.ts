import type { EventStreamQuery } from '@diorama/contract'
import { EventStream, Framed, framed, type StreamMessage } from '../http/handler.ts'
import { Refused } from '../http/refused.ts'
import type { EventStore } from './event-store.ts'
import { type FeedReader, type Feeds, toEntry } from './feed.ts'
import { type EventFilter, toFilter } from './filters.ts'
import { beforeAll, isAfter, parsePosition, positionText, type StreamPosition } from './position.ts'

export interface StreamParts {
  readonly store: EventStore
  readonly feeds: Feeds
  readonly now: () => number
  /** How many streams this process keeps open at once. */
  readonly mostReaders: number
}

export interface StreamRequest {
  readonly organizationId: string
  readonly query: EventStreamQuery
  readonly lastEventId: string | undefined
  readonly signal: AbortSignal
}

export const replayLimit = 1_000

/** Opens a stream of events: first what a resuming reader missed, then what arrives, without a gap between. */
export const openStreams = ({ store, feeds, now, mostReaders }: StreamParts) => {
  const positionAt = async (organizationId: string, after: string): Promise<StreamPosition> => {
    if (!after.startsWith('evt_')) return parsePosition(after)
    const found = await store.positionOf(organizationId, after)
    if (!found) throw new Refused('invalid_cursor', 'There is no such event to resume after.')
    return found
  }

  /** What a resuming reader missed, in portions. */
  async function* missed(
    request: StreamRequest,
    filter: EventFilter,
    range: { from: StreamPosition; to: StreamPosition },
  ): AsyncGenerator<Framed> {
    let from = range.from
    for (let portion = 0; portion < replayLimit; portion++) {
      const { rows, cut } = await store.between(request.organizationId, filter, {
        from,
        to: range.to,
        limit: replayLimit,
      })
      const entries = rows.map(toEntry)
      const last = entries.at(-1)
      if (!last) return
      yield framed(entries.map(({ message }) => message))
      if (!cut) return
      from = last.position
    }
  }

  /** What comes before the live events. A reader that may not have all it missed is told so, and its stream ends. */
  async function* messages(
    request: StreamRequest,
    filter: EventFilter,
    reader: FeedReader,
    from: StreamPosition | 'elsewhere' | undefined,
  ): AsyncGenerator<StreamMessage | Framed> {
    if (from === 'elsewhere') {
      reader.leave()
      yield tooFarBehind(reader.joinedAt)
      return
    }
    // A reader that is cut before its first event still knows where it stood.
    yield new Framed(Buffer.from(`id: ${positionText(from ?? reader.joinedAt)}\n\n`))
    if (!from || !isAfter(reader.joinedAt, from)) return
    const range = { from, to: reader.joinedAt }
    const limit = replayLimit + 1
    if ((await store.countBetween(request.organizationId, filter, { ...range, limit })) === limit) {
      reader.leave()
      yield tooFarBehind(reader.joinedAt)
    } else yield* missed(request, filter, range)
  }

  return async (request: StreamRequest): Promise<EventStream> => {
    if (feeds.readers >= mostReaders)
      throw new Refused('unavailable', 'This process has as many streams open as it may; retry.', {
        retryAfterSeconds: 5,
      })
    const filter = toFilter(request.query, now())
    const after = request.query.after ?? request.lastEventId
    const resume = after ? await positionAt(request.organizationId, after) : undefined
    const { future } = await store.horizon()
    const reader = await feeds.join(request.organizationId, filter)
    request.signal.addEventListener('abort', () => reader.leave(), { once: true })
    if (request.signal.aborted) reader.leave()
    // A number that this database has not given out yet is of another one, such as the one before a restore.
    const foreign = resume && resume.tx > future
    if (resume && isAfter(resume, reader.joinedAt)) reader.skipTo = resume
    const from = foreign ? 'elsewhere' : (resume ?? (filter.since ? beforeAll : undefined))
    return new EventStream(messages(request, filter, reader, from), reader)
  }
}
export type Streams = ReturnType<typeof openStreams>

const tooFarBehind = (resumeFrom: StreamPosition): StreamMessage => ({
  event: 'error',
  data: {
    error: `More than ${replayLimit} events would be replayed. Read them with GET /v1/events, then resume from resume_from.`,
    code: 'replay_limit_exceeded',
    resume_from: positionText(resumeFrom),
  },
})
