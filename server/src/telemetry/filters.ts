import type { EventFilters } from '@diorama/contract'
import { sinceMoment } from '@diorama/contract/since'

/** Which events a list, a search or a stream is about. */
export interface EventFilter {
  readonly source: string | undefined
  readonly topic: string | undefined
  readonly eventType: string | undefined
  readonly entity: { readonly type: string; readonly id: string } | undefined
  readonly since: Date | undefined
}

export const toFilter = (query: EventFilters, now: number): EventFilter => ({
  source: query.source,
  topic: query.topic,
  eventType: query.event_type,
  entity:
    query.entity_type === undefined || query.entity_id === undefined
      ? undefined
      : { type: query.entity_type, id: query.entity_id },
  since: query.since === undefined ? undefined : sinceMoment(query.since, now),
})

export interface Filtered {
  readonly source: string
  readonly topic: string
  readonly event_type: string
  readonly entities: Readonly<Record<string, string>>
  readonly event_time: Date
}

export const matches = (event: Filtered, { source, topic, eventType, entity, since }: EventFilter): boolean =>
  (source === undefined || event.source === source) &&
  (topic === undefined || event.topic === topic) &&
  (eventType === undefined || event.event_type === eventType) &&
  (entity === undefined || event.entities[entity.type] === entity.id) &&
  (since === undefined || event.event_time >= since)
