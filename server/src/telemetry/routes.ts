import type { telemetryRoutes } from '@diorama/contract'
import { Answer, type Handlers } from '../http/handler.ts'
import { toEvent, toNewEvent } from './events/events.ts'
import { toFilter } from './filters.ts'
import { readExport, writeReply } from './otlp/otlp.ts'
import { type Telemetry, timeCursor } from './telemetry.ts'

export interface TelemetryRouteParts {
  readonly telemetry: Telemetry
  readonly now: () => number
}

export const telemetryHandlers = ({
  telemetry,
  now,
}: TelemetryRouteParts): Handlers<typeof telemetryRoutes> => ({
  createEvent: async ({ caller, body, bytes }) => {
    const [row] = await telemetry.events.record(caller.organizationId, [body], bytes.length)
    if (!row) throw new Error('an event was recorded as none')
    return toNewEvent(row)
  },
  createEvents: async ({ caller, body, bytes }) => {
    const events = Array.isArray(body) ? body : body.events
    const rows = await telemetry.events.record(caller.organizationId, events, bytes.length)
    return { items: rows.map(({ id }) => ({ id })) }
  },
  listEvents: async ({ caller, query }) => {
    const filter = toFilter(query, now())
    const page = await telemetry.stores.events.list(caller.organizationId, filter, timeCursor(query))
    return { items: await telemetry.withSignals(page.items.map(toEvent)), next_cursor: page.nextCursor }
  },
  streamEvents: async ({ caller, query, headers, signal }) => {
    const last = headers['last-event-id']
    const lastEventId = Array.isArray(last) ? last[0] : last
    return telemetry.stream({ organizationId: caller.organizationId, query, lastEventId, signal })
  },
  readEvent: async ({ caller, params }) => {
    const found = await telemetry.find(caller.organizationId, params.eventId)
    const [whole = found] = await telemetry.withSignals([found])
    return whole
  },
  readTimeline: async ({ caller, params, query }) => {
    const page = await telemetry.timeline(caller.organizationId, params, timeCursor(query))
    return { items: await telemetry.withSignals(page.items), next_cursor: page.nextCursor }
  },
  search: async ({ caller, body }) => {
    const { items, behind } = await telemetry.search(caller.organizationId, body)
    return { items: await telemetry.withSignals(items), indexing: { behind } }
  },
  trackTrace: ({ caller, body, bytes }) => telemetry.traces.track(caller.organizationId, body, bytes.length),
  exportTraces: async ({ caller, bytes, headers }) => {
    const encoding = headers['content-type']?.startsWith('application/json') ? 'json' : 'protobuf'
    const sent = readExport(bytes, encoding)
    await telemetry.traces.take(caller.organizationId, sent.spans, bytes.length)
    const reply = writeReply(sent, encoding)
    return encoding === 'json' ? reply : new Answer(200, reply, { 'content-type': 'application/x-protobuf' })
  },
  listTraces: async ({ caller, query }) => {
    const { items, nextCursor } = await telemetry.traces.list(caller.organizationId, timeCursor(query))
    return { items: [...items], next_cursor: nextCursor }
  },
  readTrace: ({ caller, params }) => telemetry.traces.read(caller.organizationId, params.traceId),
  trackSignal: ({ caller, body }) => telemetry.signal(caller.organizationId, body),
  listSignals: async ({ caller, query }) => {
    const { items, nextCursor } = await telemetry.stores.signals.list(
      caller.organizationId,
      timeCursor(query),
    )
    return { items: [...items], next_cursor: nextCursor }
  },
})
