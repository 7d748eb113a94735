import type { Happening } from '@diorama/contract'
import { decodeCursor, encodeCursor, type Page } from '../storage/pages.ts'
import type { EventStore } from './events/event-store.ts'
import { toHappening } from './events/events.ts'
import type { TraceStore } from './traces/trace-store.ts'
import { spanHappening } from './traces/traces.ts'

/** A change that a twin recorded on its own, about one record. */
export interface TwinChange {
  /** Sorts changes of one moment, newest last; stable. */
  readonly id: string
  readonly at: Date
  /** The twin's kind. */
  readonly service: string
  readonly twinId: string
  readonly worldId: string | null
  readonly requestId: string
  readonly operation: 'create' | 'update' | 'delete'
  readonly collection: string
  readonly recordId: string
  /** What people call the record besides its native id. */
  readonly names: readonly string[]
  /** The record's key in the blueprint, where it was seeded. */
  readonly key: string | null
  /** The record as people see it. */
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
}

export interface TwinChangePage {
  readonly items: readonly TwinChange[]
  /** Where reading ended early, if it did: older changes are not among the items. */
  readonly readTo: Place | undefined
}

/**
 * The changes of twins to the record that an entity names, in the order (at desc, id desc), only those that stand
 * before the given place.
 */
export type TwinChanges = (
  organizationId: string,
  about: {
    readonly type: string
    readonly id: string
    readonly before: { readonly at: Date; readonly id: string } | undefined
    readonly limit: number
  },
) => Promise<TwinChangePage>

export interface TimelineParts {
  readonly events: EventStore
  readonly traces: TraceStore
  readonly twinChanges: TwinChanges
}

export interface Timeline {
  readonly page: (
    organizationId: string,
    entity: { type: string; id: string },
    options: { limit: number; cursor?: string | undefined },
  ) => Promise<Page<Happening>>
  /** Events and spans by their ids, whole: of each kind, in the order of the links, as many as a portion holds. */
  readonly fetch: (organizationId: string, links: readonly Link[]) => Promise<Fetched>
}

/** Everything about one entity, newest first: what was sent, what was traced, and what the twins saw change. */
export const openTimeline = ({ events, traces, twinChanges }: TimelineParts): Timeline => {
  const fetch = async (organizationId: string, links: readonly Link[]): Promise<Fetched> => {
    const ids = (which: (link: Link) => boolean) => links.filter(which).map(({ event_id }) => event_id)
    const found = await events.findMany(
      organizationId,
      ids(({ kind }) => kind !== 'span'),
    )
    const items = new Map(found.rows.map((row): [string, Happening] => [row.id, toHappening(row)]))
    const others = ids(({ event_id, kind }) => kind !== 'event' && !items.has(event_id))
    const spans = await traces.spansById(organizationId, others)
    for (const row of spans.rows) items.set(row.id, spanHappening(row))
    return { items, cut: found.cut || spans.cut }
  }

  const page = async (
    organizationId: string,
    entity: { type: string; id: string },
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ): Promise<Page<Happening>> => {
    const before = cursor === undefined ? undefined : placeOf(cursor)
    const [links, changes] = await Promise.all([
      events.linksOf(organizationId, entity, { before, limit: limit + 1 }),
      twinChanges(organizationId, { ...entity, before, limit: limit + 1 }),
    ])
    const places = [
      ...links.map((link) => ({ at: link.event_time, id: link.event_id, link, change: undefined })),
      ...changes.items.map((change) => ({ at: change.at, id: change.id, link: undefined, change })),
    ].sort(newestFirst)
    const { readTo } = changes
    const known = readTo ? places.filter((place) => newestFirst(place, readTo) <= 0) : places
    const wanted = known.slice(0, limit)
    const { items, cut } = await fetch(
      organizationId,
      wanted.flatMap(({ link }) => (link ? [link] : [])),
    )
    const shown = cut ? wanted.slice(0, wholeUpTo(wanted, items)) : wanted
    const last = shown.at(-1) ?? readTo
    const more = shown.length < wanted.length || places.length > wanted.length || readTo !== undefined
    return {
      items: shown.flatMap(({ id, change }) => {
        const item = change ? changeHappening(change, entity) : items.get(id)
        return item ? [item] : []
      }),
      nextCursor: more && last ? encodeCursor(last) : null,
    }
  }

  return { page, fetch }
}

export interface Link {
  readonly event_id: string
  /** `event` or `span`; either where it is not known. */
  readonly kind?: string
}

/** Events and spans, and whether some were left off because all together would be too large. */
export interface Fetched {
  readonly items: ReadonlyMap<string, Happening>
  readonly cut: boolean
}

/** How many places there are before the first whose event was left off. */
const wholeUpTo = (
  places: readonly { id: string; change: TwinChange | undefined }[],
  items: ReadonlyMap<string, Happening>,
): number => {
  const missing = places.findIndex(({ id, change }) => !change && !items.has(id))
  return missing === -1 ? places.length : Math.max(missing, 1)
}

const placeOf = (cursor: string): { at: Date; id: string } => {
  const { at, id } = decodeCursor(cursor)
  return { at: new Date(at), id }
}

interface Place {
  readonly at: Date
  readonly id: string
}
const newestFirst = (a: Place, b: Place): number =>
  b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

const changeHappening = (change: TwinChange, entity: { type: string; id: string }): Happening => ({
  kind: 'change',
  id: change.id,
  event_time: change.at.toISOString(),
  event_type: change.operation,
  source: change.service,
  topic: change.collection,
  payload: {
    twin_id: change.twinId,
    world_id: change.worldId,
    request_id: change.requestId,
    record_id: change.recordId,
    names: change.names,
    key: change.key,
    operation: change.operation,
    collection: change.collection,
    before: change.before,
    after: change.after,
  },
  entities: { [entity.type]: entity.id },
  recorded_at: change.at.toISOString(),
  signals: [],
})
