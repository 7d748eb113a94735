import { toFilter } from './filters.ts'
import type { Telemetry } from './telemetry.ts'

/** A trace with the events that name it among their entities, as `trace` or `trace_id`. */
export const recordedTrace =
  ({ stores, traces }: Telemetry, now: () => number) =>
  async (organizationId: string, traceId: string, maxEvents: number) => {
    if (!(await stores.traces.find(organizationId, traceId))) return undefined
    const pages = await Promise.all(
      ['trace', 'trace_id'].map((entity_type) =>
        stores.events.list(organizationId, toFilter({ entity_type, entity_id: traceId }, now()), {
          limit: maxEvents,
        }),
      ),
    )
    const rows = new Map(pages.flatMap(({ items }) => items.map((row) => [row.id, row] as const)))
    const events = [...rows.values()].map((row) => ({
      ...row,
      event_time: row.event_time.toISOString(),
      recorded_at: row.recorded_at.toISOString(),
    }))
    return { trace: await traces.read(organizationId, traceId), events }
  }
