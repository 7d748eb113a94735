import { ApiError } from './api-error.ts'
import type { FeedReader, Feeds } from './feed.ts'
import { type FeedSource, messagesOf, type Range } from './feed-source.ts'
import { EventStream, Framed, framed, type StreamMessage } from './handler.ts'

export interface FeedStreamParts<Row, Filter, Position> {
  readonly feeds: Feeds<Row, Filter, Position>
  /** How many streams this process keeps open at once. */
  readonly maxReaders: number
  /** What rows are called. */
  readonly rows: string
}

export interface FeedStreamRequest<Filter> {
  readonly key: string
  readonly filter: Filter
  /** Where rows that are not replayed are read. */
  readonly listedAt: string
  /** The position after which a reader resumes. */
  readonly after: string | undefined
  /** One that does not resume is first shown what is there already. */
  readonly fromStart: boolean
  readonly signal: AbortSignal
}

const replayLimit = 1_000

/** Opens a stream of a feed: first what a resuming reader missed, then what arrives, without a gap between. */
export const openFeedStreams = <Row, Filter, Position>({
  feeds,
  maxReaders,
  rows,
}: FeedStreamParts<Row, Filter, Position>) => {
  type Source = FeedSource<Row, Filter, Position>

  const tooFarBehind = ({ order }: Source, listedAt: string, resumeFrom: Position): StreamMessage => ({
    event: 'error',
    data: {
      error: `More than ${replayLimit} ${rows} would be replayed. Read them with GET ${listedAt}, then resume from resume_from.`,
      code: 'replay_limit_exceeded',
      resume_from: order.text(resumeFrom),
    },
  })

  /** What comes before the live rows. A reader that missed too much gets an error, and its stream ends. */
  async function* messages(
    source: Source,
    listedAt: string,
    reader: FeedReader<Filter, Position>,
    from: Position | 'elsewhere' | undefined,
  ): AsyncGenerator<StreamMessage | Framed> {
    const { order } = source
    if (from === 'elsewhere') {
      reader.leave()
      yield tooFarBehind(source, listedAt, reader.joinedAt)
      return
    }
    // A reader that is cut before its first row still knows where it stood.
    yield new Framed(Buffer.from(`id: ${order.text(from ?? reader.joinedAt)}\n\n`))
    if (from === undefined || order.reaches(from, reader.joinedAt)) return
    const range = { from, to: reader.joinedAt, limit: replayLimit }
    if ((await source.countBetween(reader.filter, { ...range, limit: replayLimit + 1 })) > replayLimit) {
      reader.leave()
      yield tooFarBehind(source, listedAt, order.furthest(from, reader.joinedAt))
    } else yield* missed(source, reader.filter, range)
  }

  return async (request: FeedStreamRequest<Filter>): Promise<EventStream> => {
    if (feeds.readers >= maxReaders)
      throw new ApiError('unavailable', 'This process has as many streams open as it may; retry.', {
        retryAfterSeconds: 5,
      })
    const source = await feeds.sourceOf(request.key)
    const resume = request.after ? await source.parse(request.after) : undefined
    const foreign = resume !== undefined && !(await source.knows(resume))
    const reader = await feeds.join(request.key, source, request.filter)
    request.signal.addEventListener('abort', () => reader.leave(), { once: true })
    if (request.signal.aborted) reader.leave()
    const { order } = source
    if (resume !== undefined && !foreign) reader.skipTo = order.furthest(resume, reader.joinedAt)
    const from = foreign ? 'elsewhere' : (resume ?? (request.fromStart ? order.beforeAll : undefined))
    return new EventStream(messages(source, request.listedAt, reader, from), reader)
  }
}

/** What a resuming reader missed, in portions. */
async function* missed<Row, Filter, Position>(
  source: FeedSource<Row, Filter, Position>,
  filter: Filter,
  range: Range<Position>,
): AsyncGenerator<Framed> {
  let { from } = range
  for (let portion = 0; portion < replayLimit; portion++) {
    const { entries, cut } = await source.between(filter, { ...range, from })
    const last = entries.at(-1)
    if (!last) return
    yield framed(messagesOf(source, entries))
    if (!cut) return
    from = last.position
  }
}
