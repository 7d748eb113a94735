import type { TraceQuery } from '@diorama/contract'
import { sinceMoment } from '@diorama/contract/since'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { TelemetryTables } from '../tables.ts'

/** Which traces a list is about. */
export interface TraceFilter {
  readonly agent: { readonly name: string; readonly version: string | undefined } | undefined
  readonly task: string | undefined
  readonly status: TraceQuery['status']
  readonly minDurationMs: number | undefined
  readonly maxDurationMs: number | undefined
  /** Without a value, every trace that has the attribute. */
  readonly attribute: { readonly name: string; readonly value: string | undefined } | undefined
  readonly text: string | undefined
  readonly since: Date | undefined
}

/** `name@version`, `name=value`: the first sign divides, and the second part may be missing. */
const divided = (text: string | undefined, sign: string): [string, string | undefined] | undefined => {
  if (text === undefined) return undefined
  const at = text.indexOf(sign)
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

export const toTraceFilter = (query: TraceQuery, now: number): TraceFilter => {
  const agent = divided(query.agent, '@')
  const attribute = divided(query.attribute, '=')
  return {
    agent: agent && { name: agent[0], version: agent[1] },
    task: query.task,
    status: query.status,
    minDurationMs: query.min_duration_ms,
    maxDurationMs: query.max_duration_ms,
    attribute: attribute && { name: attribute[0].trim(), value: attribute[1]?.trim() },
    text: query.q,
    since: query.since === undefined ? undefined : sinceMoment(query.since, now),
  }
}

type Traces<O> = SelectQueryBuilder<TelemetryTables, 'traces', O>

const statuses = {
  error: sql<boolean>`error_count > 0`,
  ok: sql<boolean>`error_count = 0 and ended_at is not null`,
  unset: sql<boolean>`error_count = 0 and ended_at is null`,
} as const

const tookMs = sql<number>`extract(epoch from ended_at - started_at) * 1000`

/** Text inside another, in either case. */
const within = (whole: ReturnType<typeof sql>, part: string) =>
  sql<boolean>`strpos(lower(${whole}), lower(${part}::text)) > 0`

export const narrowTraces = <O>(all: Traces<O>, filter: TraceFilter): Traces<O> => {
  const { agent, task, status, minDurationMs, maxDurationMs, attribute, text, since } = filter
  let found = all
  if (agent) found = found.where('agent_name', '=', agent.name)
  if (agent?.version !== undefined) found = found.where('agent_version', '=', agent.version)
  if (task !== undefined)
    found = found.where(
      sql<boolean>`(attributes ->> 'diorama.task.id' = ${task}
        or ${within(sql`attributes ->> 'diorama.task.title'`, task)})`,
    )
  if (status) found = found.where(statuses[status])
  if (minDurationMs !== undefined) found = found.where(sql<boolean>`${tookMs} >= ${minDurationMs}`)
  if (maxDurationMs !== undefined) found = found.where(sql<boolean>`${tookMs} <= ${maxDurationMs}`)
  if (text !== undefined) found = found.where(within(sql`coalesce(name, root_name, trace_id)`, text))
  if (since) found = found.where('started_at', '>=', since)
  return attribute ? found.where(hasAttribute(attribute)) : found
}

const hasAttribute = ({ name, value }: NonNullable<TraceFilter['attribute']>) => {
  const isIn = (table: string) => {
    const held = sql`${sql.ref(`${table}.attributes`)} ->> ${name}::text`
    return value === undefined ? sql`${held} is not null` : sql`${held} = ${value}::text`
  }
  return sql<boolean>`(${isIn('traces')} or exists (
    select 1 from spans where spans.organization_id = traces.organization_id
      and spans.trace_id = traces.trace_id and ${isIn('spans')}))`
}
