import { type RawBuilder, sql } from 'kysely'
import type { EventFilter } from '../filters.ts'

export type SearchedKind = 'event' | 'span'

/** Whose entries are searched, and which of them. */
export interface SearchScope {
  readonly organizationId: string
  readonly filter: EventFilter
}

/** The filter as further conditions on the entries. */
export const narrowed = ({ organizationId, filter }: SearchScope): RawBuilder<unknown> => {
  const { source, topic, eventType, entity, since } = filter
  const parts: RawBuilder<unknown>[] = []
  if (source !== undefined) parts.push(sql`and source = ${source}`)
  if (topic !== undefined) parts.push(sql`and topic = ${topic}`)
  if (eventType !== undefined) parts.push(sql`and event_type = ${eventType}`)
  if (since !== undefined) parts.push(sql`and event_time >= ${since}`)
  if (entity)
    parts.push(sql`and event_id in (select event_id from event_entities
      where organization_id = ${organizationId} and entity_type = ${entity.type} and entity_id = ${entity.id})`)
  return parts.length === 0 ? sql`` : sql.join(parts, sql` `)
}
