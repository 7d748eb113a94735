import { z } from 'zod'
import { InputTimestamp, PageQuery, pageOf, pageQuery, Timestamp } from './pages.ts'
import { routes } from './route.ts'
import { Signal } from './signals.ts'
import { sinceMoment } from './since.ts'

export const eventsPerBatch = 1_000

const label = z.string().min(1).max(200)
export const FreeForm = z.record(z.string(), z.unknown())

const earliest = Date.UTC(1000, 0, 1)
const latest = Date.UTC(9999, 11, 30)
const inRange = (text: string) => Date.parse(text) >= earliest && Date.parse(text) <= latest

/** A time that the store can hold. */
export const RecordedTime = InputTimestamp.refine(inRange, 'must lie between the years 1000 and 9999')

/** Stable identifiers of the records that something is about, by type: `{"order": "7001"}`. */
export const Entities = z
  .record(z.string().min(1).max(100), z.string().min(1).max(400))
  .refine((entities) => Object.keys(entities).length <= 50, 'must have at most 50 entries')
export type Entities = z.infer<typeof Entities>

export const EventCreate = z
  .object({
    source: label,
    topic: label,
    event_type: label,
    entities: Entities.default({}),
    payload: FreeForm.default({}),
    timestamp: RecordedTime.nullish().meta({ description: 'When it happened; now when left out.' }),
  })
  .meta({ id: 'EventCreate' })
export type EventCreate = z.infer<typeof EventCreate>

const Events = z.array(EventCreate).min(1).max(eventsPerBatch)
export const EventBatch = z.union([Events, z.object({ events: Events })]).meta({ id: 'EventBatch' })
export type EventBatch = z.infer<typeof EventBatch>

const recorded = {
  id: z.string(),
  event_time: Timestamp,
  event_type: z.string(),
  source: z.string(),
  topic: z.string(),
  payload: FreeForm,
  entities: z.record(z.string(), z.string()),
  recorded_at: Timestamp,
}

export const Event = z
  .object({
    ...recorded,
    signals: z.array(Signal).meta({ description: 'The newest observations about it, at most 20.' }),
  })
  .meta({ id: 'Event' })
export type Event = z.infer<typeof Event>

/** What happened to an entity: an event sent, a span of a trace, or a change that a twin recorded on its own. */
export const Happening = Event.extend({ kind: z.enum(['event', 'span', 'change']) }).meta({ id: 'Happening' })
export type Happening = z.infer<typeof Happening>

export const Found = Happening.extend({
  score: z.number().meta({ description: 'Higher is nearer; comparable within one reply alone.' }),
  matched: z.array(z.enum(['meaning', 'text'])),
}).meta({ id: 'Found' })
export type Found = z.infer<typeof Found>

const isSince = (text: string) => sinceMoment(text, 0) !== undefined
const filters = {
  source: label.optional(),
  topic: label.optional(),
  event_type: label.optional(),
  entity_type: z.string().min(1).max(100).optional(),
  entity_id: z.string().min(1).max(400).optional(),
  since: z
    .string()
    .refine(isSince, 'must be a window such as last_30m, last_24h or last_7d, or an ISO-8601 time')
    .optional(),
}
type EntityPair = { entity_type?: string | undefined; entity_id?: string | undefined }
const both = ({ entity_type, entity_id }: EntityPair) =>
  (entity_type === undefined) === (entity_id === undefined)
const together = { message: 'entity_type and entity_id go together; give both or none', path: ['entity_id'] }

export const EventFilters = z.object(filters)
export type EventFilters = z.infer<typeof EventFilters>
export const EventQuery = z.object({ ...filters, ...pageQuery }).refine(both, together)
export type EventQuery = z.infer<typeof EventQuery>

export const EventStreamQuery = z
  .object({
    ...filters,
    after: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'The id of the last message seen, or of an event; Last-Event-ID does the same.' }),
  })
  .refine(both, together)
export type EventStreamQuery = z.infer<typeof EventStreamQuery>

export const SearchRequest = z
  .object({
    query: z.string().trim().min(1).max(2_000),
    ...filters,
    limit: z.int().min(1).max(200).default(20),
  })
  .refine(both, together)
  .meta({ id: 'SearchRequest' })
export type SearchRequest = z.infer<typeof SearchRequest>

const tag = 'Telemetry'

export const eventRoutes = routes({
  createEvent: {
    method: 'POST',
    path: '/v1/events',
    tag,
    summary: 'Record one event.',
    scope: 'events:write',
    body: EventCreate,
    status: 201,
    reply: Event,
    errors: ['unavailable'],
    creates: true,
  },
  createEvents: {
    method: 'POST',
    path: '/v1/events/batch',
    tag,
    summary: 'Record up to 1,000 events, all or none.',
    scope: 'events:write',
    body: EventBatch,
    status: 201,
    reply: z.object({ items: z.array(z.object({ id: z.string() })) }),
    errors: ['unavailable'],
    creates: true,
  },
  listEvents: {
    method: 'GET',
    path: '/v1/events',
    tag,
    summary: 'List events, newest first.',
    scope: 'events:read',
    query: EventQuery,
    reply: pageOf(Event),
    errors: ['invalid_cursor'],
  },
  streamEvents: {
    method: 'GET',
    path: '/v1/events/stream',
    tag,
    summary: 'New events as they arrive, as server-sent events; resumes after the last one seen.',
    scope: 'events:read',
    query: EventStreamQuery,
    gives: 'text/event-stream',
    errors: ['invalid_cursor', 'limit_exceeded', 'unavailable'],
  },
  readEvent: {
    method: 'GET',
    path: '/v1/events/{eventId}',
    tag,
    summary: 'Read one event, or a span by its event id.',
    scope: 'events:read',
    params: z.object({ eventId: z.string() }),
    reply: Happening,
    errors: ['not_found'],
  },
  readTimeline: {
    method: 'GET',
    path: '/v1/timeline/{type}/{id}',
    tag,
    summary: 'Everything about one entity across sources, newest first, with the changes the twins recorded.',
    scope: 'events:read',
    params: z.object({ type: z.string(), id: z.string() }),
    query: PageQuery,
    reply: pageOf(Happening),
    errors: ['invalid_cursor'],
  },
  search: {
    method: 'POST',
    path: '/v1/search',
    tag,
    summary: 'Search events and spans by meaning and by words.',
    scope: 'events:read',
    body: SearchRequest,
    reply: z.object({
      items: z.array(Found),
      indexing: z.object({
        behind: z.int().meta({
          description:
            'Events and spans that the search has not read yet and cannot find, counted up to 10,000 of each.',
        }),
      }),
    }),
    errors: ['embeddings_off', 'unavailable'],
  },
})
