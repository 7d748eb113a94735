import type { Row, TableSpec, TableView, WritableTable } from '@diorama/twin-kit/kernel/table'
import { table } from '@diorama/twin-kit/kernel/table'
import type { Call } from '@diorama/twin-kit/kernel/twin'

/** The event bus: what was published, in the order of replay ids, for as long as the service keeps it. */
export const eventTable = '$event'
/** Clients of the streaming API, with what each subscribed to and how far it has read. */
export const subscriberTable = '$streaming client'
/** The row `on` says that changes are captured: from the first handshake on. */
export const captureTable = '$change capture'

export interface EventRow extends Row {
  /** The replay id with leading zeros, so that keys sort as numbers. */
  readonly id: string
  readonly replayId: number
  /** The channel's last part: `AccountChangeEvent`, `Shipped__e`. */
  readonly topic: string
  readonly kind: 'change' | 'platform'
  readonly payload: Readonly<Record<string, unknown>>
  readonly uuid: string
  readonly at: number
}

export interface SubscriberRow extends Row {
  readonly id: string
  readonly userId: string
  readonly opened: number
  /** Whether it has connected once: the first connect is answered at once. */
  readonly connected: boolean
  /** For each channel the replay id that it has read up to. */
  readonly positions: Readonly<Record<string, number>>
}

const plain = <R extends Row>() => ({ parse: (value: unknown) => value as R })

export const streamingTables: Readonly<Record<string, TableSpec>> = {
  [eventTable]: table<Row>({
    key: 'id',
    row: plain(),
    internal: true,
    sparse: true,
    indexes: {
      topic: { by: (row: EventRow) => row.topic, order: (row: EventRow) => row.replayId },
      kind: { by: (row: EventRow) => row.kind, order: (row: EventRow) => row.replayId },
    },
  }),
  [subscriberTable]: table<Row>({
    key: 'id',
    row: plain(),
    internal: true,
    sparse: true,
    indexes: { all: { by: () => 'all', order: (row: SubscriberRow) => row.opened } },
  }),
  [captureTable]: table<Row>({ key: 'key', row: plain(), internal: true, sparse: true }),
}

type Views = Readonly<Record<string, TableView>>
export const eventsIn = (views: Views): TableView<EventRow> => views[eventTable] as TableView<EventRow>
export const subscribersIn = (views: Views): TableView<SubscriberRow> =>
  views[subscriberTable] as TableView<SubscriberRow>
const writable = <R extends Row>(call: Call, name: string): WritableTable<R> =>
  call.tables[name] as unknown as WritableTable<R>
export const subscribers = (call: Call): WritableTable<SubscriberRow> => writable(call, subscriberTable)

export const isCapturing = (views: Views): boolean => views[captureTable]?.has('on') === true
export const startCapture = (call: Call): void => {
  if (!isCapturing(call.tables)) call.tables[captureTable]?.insert({ key: 'on' })
}

/** Events are kept for three days, and at most so many of them. */
const keptMs = 72 * 3_600_000
const maxEvents = 10_000

export const publish = (call: Call, event: Pick<EventRow, 'topic' | 'kind' | 'payload'>): EventRow => {
  const events = writable<EventRow>(call, eventTable)
  const replayId = call.sequence('replay id')
  const hex = call.draw('event uuid')
  const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  const row = events.insert({
    ...event,
    replayId,
    uuid,
    id: String(replayId).padStart(12, '0'),
    at: call.now,
  })
  for (const kind of ['change', 'platform'])
    for (const old of [...events.find('kind', kind)]) {
      if (old.at > call.now - keptMs && events.size() <= maxEvents) break
      events.delete(old.id)
    }
  return row
}

/** The greatest replay id so far. */
export const tipOf = (views: Views): number => {
  const newest = (kind: string) => eventsIn(views).first('kind', kind, { reverse: true })?.replayId ?? 0
  return Math.max(newest('change'), newest('platform'))
}

/** The events of a channel after a position, oldest first. */
export const eventsAfter = (views: Views, channel: string, position: number): Iterable<EventRow> => {
  const topic = channel.slice(channel.lastIndexOf('/') + 1)
  return topic === 'ChangeEvents'
    ? eventsIn(views).find('kind', 'change', { after: position })
    : eventsIn(views).find('topic', topic, { after: position })
}
