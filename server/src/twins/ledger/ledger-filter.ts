import { sinceMoment } from '@diorama/contract/since'
import { type RawBuilder, sql } from 'kysely'
import { ApiError } from '../../http/api-error.ts'

/** What a list or a stream of activity can be asked for. */
export interface ActivityQuery {
  readonly mutations_only?: boolean | undefined
  readonly refused?: boolean | undefined
  readonly since?: string | undefined
  readonly service?: string | undefined
  readonly operation?: string | undefined
  readonly status?: string | number | undefined
  readonly actor?: string | undefined
  readonly q?: string | undefined
  readonly cause?: string | undefined
}

/** Which requests a list or a stream is about. */
export interface ActivityFilter {
  readonly changedOnly: boolean
  readonly refused: boolean | undefined
  readonly service: string | undefined
  readonly operation: string | undefined
  /** The lowest and the highest status. */
  readonly status: readonly [number, number] | undefined
  readonly actor: string | undefined
  readonly text: string | undefined
  readonly since: Date | undefined
  readonly cause: string | undefined
}

export const toActivityFilter = (query: ActivityQuery, now: number): ActivityFilter => ({
  changedOnly: query.mutations_only ?? false,
  refused: query.refused,
  service: query.service,
  operation: query.operation,
  status: query.status === undefined ? undefined : statuses(String(query.status)),
  actor: query.actor,
  text: query.q === '' ? undefined : query.q,
  cause: query.cause,
  since: query.since === undefined ? undefined : momentOf(query.since, now),
})

const statuses = (said: string): readonly [number, number] => {
  if (said === 'failed') return [400, 599]
  if (said.endsWith('xx')) return [Number(said[0]) * 100, Number(said[0]) * 100 + 99]
  return [Number(said), Number(said)]
}

const momentOf = (since: string, now: number): Date => {
  const moment = sinceMoment(since, now)
  if (moment) return moment
  const message = 'must be an ISO time or a window such as last_24h'
  throw new ApiError('malformed', `/query/since ${message}.`, {
    details: [{ pointer: '/query/since', message }],
  })
}

/** The filter in the database's words; empty where every request fits. */
export const conditionsOf = (filter: ActivityFilter): RawBuilder<boolean>[] => {
  const { changedOnly, refused, service, operation, status, actor, text, since, cause } = filter
  const conditions: RawBuilder<boolean>[] = []
  if (changedOnly) conditions.push(sql`mutations > 0`)
  // Steps of before refusals were recorded have their status alone.
  if (refused !== undefined) conditions.push(sql`(refused is not null or status >= 400) = ${refused}`)
  if (service !== undefined) conditions.push(sql`service = ${service}`)
  if (operation !== undefined) conditions.push(sql`operation = ${operation}`)
  if (status) conditions.push(sql`status between ${status[0]} and ${status[1]}`)
  if (since) conditions.push(sql`at >= ${since}`)
  if (cause === 'agent') conditions.push(sql`cause is null`)
  else if (cause === 'world') conditions.push(sql`cause is not null`)
  else if (cause !== undefined) conditions.push(sql`cause = ${cause}`)
  if (actor !== undefined)
    conditions.push(sql`${actor} in (actor ->> 'subject', actor ->> 'id', actor ->> 'name')`)
  if (text !== undefined)
    conditions.push(
      sql`position(lower(${text}) in lower(concat_ws(chr(10), operation, actor ->> 'name', path))) > 0`,
    )
  return conditions
}

export interface Filtered {
  readonly service: string
  readonly operation: string
  readonly status: number
  readonly refused: string | null
  readonly mutations: number
  readonly actor: { readonly id: string; readonly name: string; readonly subject: string } | null
  readonly path: string
  readonly at: Date
  readonly cause: string | null
}

/** The same as the conditions, for a row that is at hand. */
export const matchesActivity = (row: Filtered, filter: ActivityFilter): boolean => {
  const { changedOnly, refused, service, operation, status, actor, text, since, cause } = filter
  return (
    fitsCause(row.cause, cause) &&
    (!changedOnly || row.mutations > 0) &&
    (refused === undefined || (row.refused !== null || row.status >= 400) === refused) &&
    (service === undefined || row.service === service) &&
    (operation === undefined || row.operation === operation) &&
    (status === undefined || (row.status >= status[0] && row.status <= status[1])) &&
    (since === undefined || row.at >= since) &&
    (actor === undefined ||
      (row.actor !== null && [row.actor.subject, row.actor.id, row.actor.name].includes(actor))) &&
    (text === undefined ||
      `${row.operation}\n${row.actor?.name ?? ''}\n${row.path}`.toLowerCase().includes(text.toLowerCase()))
  )
}

const fitsCause = (cause: string | null, wanted: string | undefined): boolean => {
  if (wanted === undefined) return true
  if (wanted === 'agent') return cause === null
  return wanted === 'world' ? cause !== null : cause === wanted
}
