import { type Kysely, sql } from 'kysely'
import type { Leases } from '../storage/leases.ts'
import type { TelemetryTables } from './tables.ts'

export interface RetentionParts {
  readonly db: Kysely<TelemetryTables>
  readonly leases: Leases
  readonly holder: string
  readonly now: () => number
  /** For organizations without a setting; undefined keeps them indefinitely. */
  readonly defaultDays: number | undefined
}

const dayMs = 86_400_000
const rowsPerStatement = 500
/** A turn ends after this many statements; the next one goes on. */
const maxStatements = 2_000
const leaseMs = 60_000

/**
 * Removes what is older than each organization keeps. Every statement is short and takes rows that nobody writes any
 * more, so that writers never wait for it.
 */
export const openRetention = ({ db, leases, holder, now, defaultDays }: RetentionParts) => {
  const terms = async (): Promise<{ organizationId: string; before: Date }[]> => {
    const rows = await db.selectFrom('organizations').select(['id', 'limits']).execute()
    return rows.flatMap(({ id, limits }) => {
      const own = limits.event_retention_days
      const days = typeof own === 'number' ? own : defaultDays
      return days === undefined ? [] : [{ organizationId: id, before: new Date(now() - days * dayMs) }]
    })
  }

  /** Runs a statement until it finds nothing more. */
  const repeat = async (budget: { left: number }, remove: () => Promise<number>): Promise<number> => {
    let removed = 0
    while (budget.left-- > 0) {
      const count = await remove()
      removed += count
      if (count < rowsPerStatement) break
    }
    return removed
  }

  return async (): Promise<number> => {
    const lease = await leases.acquire('telemetry.retention', { holder, ttlMs: leaseMs })
    if (!lease) return 0
    const budget = { left: maxStatements }
    let removed = 0
    try {
      for (const term of await terms()) {
        removed += await repeat(budget, () => removeEvents(db, term))
        removed += await repeat(budget, () => removeSpans(db, term))
        await repeat(budget, () => removeTraces(db, term))
        if (!(await leases.renew(lease))) break
      }
    } finally {
      await leases.release(lease)
    }
    return removed
  }
}

type Term = { organizationId: string; before: Date }

const removeEvents = async (
  db: Kysely<TelemetryTables>,
  { organizationId, before }: Term,
): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    with old as materialized (
      select id from events where organization_id = ${organizationId} and event_time < ${before}
      order by event_time limit ${rowsPerStatement}
    ), gone as (
      delete from events where id in (select id from old) returning id, event_time, entities
    ), unlinked as (
      delete from event_entities using gone, jsonb_each_text(gone.entities) as link
      where organization_id = ${organizationId} and entity_type = link.key and entity_id = link.value
        and event_entities.event_time = gone.event_time and event_id = gone.id
    ), unsignalled as (delete from signals where event_id in (select id from old)),
    unsearched as (delete from search_entries where event_id in (select id from old))
    select count(*) from gone`.execute(db)
  return rows[0]?.count ?? 0
}

/** Spans go by the start of their trace, so that a trace goes whole. */
const removeSpans = async (
  db: Kysely<TelemetryTables>,
  { organizationId, before }: Term,
): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    with old as materialized (
      select spans.id, spans.trace_id, spans.span_id from (
        select trace_id from traces where organization_id = ${organizationId} and started_at < ${before}
          and span_count > 0
        order by started_at limit ${rowsPerStatement}) as expired
      join spans on spans.organization_id = ${organizationId} and spans.trace_id = expired.trace_id
      limit ${rowsPerStatement}
    ), gone as (
      delete from spans using old where organization_id = ${organizationId} and spans.trace_id = old.trace_id
        and spans.span_id = old.span_id
      returning spans.id, spans.started_at, spans.entities
    ), unlinked as (
      delete from event_entities using gone, jsonb_each_text(gone.entities) as link
      where organization_id = ${organizationId} and entity_type = link.key and entity_id = link.value
        and event_time = gone.started_at and event_id = gone.id
    ), unsignalled as (delete from signals where event_id in (select id from old)),
    unsearched as (delete from search_entries where event_id in (select id from old))
    select count(*) from gone`.execute(db)
  return rows[0]?.count ?? 0
}

const removeTraces = async (
  db: Kysely<TelemetryTables>,
  { organizationId, before }: Term,
): Promise<number> => {
  const { rows } = await sql`
    delete from traces where (organization_id, trace_id) in (
      select organization_id, trace_id from traces as old
      where organization_id = ${organizationId} and started_at < ${before} and not exists (
        select 1 from spans where organization_id = old.organization_id and trace_id = old.trace_id)
      order by started_at limit ${rowsPerStatement} for update skip locked)
    returning trace_id`.execute(db)
  return rows.length
}
