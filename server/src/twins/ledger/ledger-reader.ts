import type { Activity, ActivityDetail } from '@diorama/contract/twins'
import { type Kysely, type Selectable, sql } from 'kysely'
import { notFound } from '../../http/api-error.ts'
import { keysetPage } from '../../storage/pages.ts'
import type { Host } from '../host.ts'
import type { ShownChange } from '../isolates/inspect.ts'
import type { TwinRow } from '../store.ts'
import type { TwinTables } from '../tables.ts'
import { recordingFrom } from './ledger-entry.ts'
import { type ActivityQuery, conditionsOf, toActivityFilter } from './ledger-filter.ts'
import { unpacked } from './payloads.ts'
import type { Recording } from './recording.ts'

type StepRow = Selectable<TwinTables['twin_steps']>
export type ShownStep = Omit<
  StepRow,
  'detail' | 'changes' | 'records' | 'exchange' | 'reply' | 'reply_size' | 'reply_headers' | 'mark' | 'sets'
>

/** A moment of several twins that are recorded together. */
export interface LedgerMoment {
  readonly worldTime: Date
  /** By twin. */
  readonly writes: ReadonlyMap<string, number>
}

type PageQuery = ActivityQuery & { readonly limit: number; readonly cursor?: string | undefined }

/** Of a step that is one of many: not what was said, nor whole records. */
export const listed = [
  'id',
  'organization_id',
  'twin_id',
  'world_id',
  'epoch',
  'is_read',
  'seq',
  'preceding',
  'service',
  'at',
  'world_time',
  'duration_ms',
  'operation',
  'actor',
  'method',
  'path',
  'status',
  'mutations',
  'not_emulated',
  'refused',
  'cause',
] as const

const whole = [...listed, 'changes'] as const

export interface ActivityParts {
  readonly db: Kysely<TwinTables>
  readonly now: () => number
  readonly host: Pick<Host, 'inspect'>
  /** Resolves when what this process has answered so far is in the ledger. */
  readonly flush: (twinIds?: readonly string[]) => Promise<void>
}

export interface ActivityReader {
  readonly list: (
    where: { twinId: string } | { worldId: string },
    asked: PageQuery,
  ) => Promise<{ items: Activity[]; next_cursor: string | null }>
  /** Everything recorded in the present lives of twins, oldest first, with what it changed; so much of each at most. */
  readonly whole: (
    twins: readonly TwinRow[],
    most: number,
  ) => Promise<(Activity & { mutations: ActivityDetail['mutations'] })[]>
  /** The moment after a request; undefined where these twins have no such request in their present lives. */
  readonly momentOf: (twins: readonly TwinRow[], requestId: string) => Promise<LedgerMoment | undefined>
  readonly read: (twin: TwinRow, requestId: string) => Promise<ActivityDetail>
}

/** Reads the ledger. */
export const openActivity = ({ db, now, host, flush }: ActivityParts): ActivityReader => ({
  list: async (where: { twinId: string } | { worldId: string }, asked: PageQuery) => {
    let query = db.selectFrom('twin_steps').select(listed)
    query =
      'twinId' in where
        ? query.where('twin_id', '=', where.twinId)
        : query.where('world_id', '=', where.worldId)
    for (const condition of conditionsOf(toActivityFilter(asked, now()))) query = query.where(condition)
    await flush('twinId' in where ? [where.twinId] : undefined)
    const { items, nextCursor } = await keysetPage(query, {
      column: 'id',
      limit: asked.limit,
      cursor: asked.cursor,
      position: (row) => ({ at: row.id, id: row.id }),
    })
    return { items: items.map(toActivity), next_cursor: nextCursor }
  },

  whole: async (
    twins: readonly TwinRow[],
    most: number,
  ): Promise<(Activity & { mutations: ActivityDetail['mutations'] })[]> => {
    if (twins.length === 0) return []
    await flush(twins.map(({ id }) => id))
    const lives = JSON.stringify(twins.map(({ id, epoch }) => ({ id, epoch })))
    const { rows } = await sql<StepRow>`
      select step.* from json_to_recordset(${lives}::json) as life (id text, epoch integer), lateral (
        select ${sql.join(whole.map((name) => sql.ref(name)))} from twin_steps
        where twin_id = life.id and twin_steps.epoch = life.epoch order by id limit ${most}) as step
      order by step.id collate "C"`.execute(db)
    const shown = new Map<string, ActivityDetail['mutations']>()
    for (const twin of twins) {
      const changed = rows.filter(({ twin_id, changes }) => twin_id === twin.id && changes !== null)
      if (changed.length === 0) continue
      const texts = changed.map(({ changes }) => changes)
      const all = await host.inspect(twin, { what: 'changes', texts })
      changed.forEach(({ id }, n) => shown.set(id, (all[n] ?? []).map(toMutation)))
    }
    return rows.map((row) => ({ ...toActivity(row), mutations: shown.get(row.id) ?? [] }))
  },

  momentOf: async (twins: readonly TwinRow[], requestId: string): Promise<LedgerMoment | undefined> => {
    const ids = twins.map(({ id }) => id)
    await flush(ids)
    const found = await db
      .selectFrom('twin_steps')
      .select(['twin_id', 'epoch', 'seq', 'preceding', 'is_read', 'world_time'])
      .where('id', '=', requestId)
      .where('twin_id', 'in', ids)
      .executeTakeFirst()
    if (!found || twins.find(({ id }) => id === found.twin_id)?.epoch !== found.epoch) return undefined
    const lives = JSON.stringify(twins.map(({ id, epoch }) => ({ id, epoch })))
    const { rows } = await sql<{ id: string; writes: number }>`
      select life.id, (
        select coalesce(max(seq), 0)::int from twin_steps
        where twin_id = life.id and twin_steps.epoch = life.epoch and not is_read
          and twin_steps.id <= ${requestId} collate "C") as writes
      from json_to_recordset(${lives}::json) as life (id text, epoch integer)`.execute(db)
    const writes = new Map(rows.map((row) => [row.id, row.writes]))
    writes.set(found.twin_id, found.is_read ? found.preceding : found.seq)
    return { worldTime: found.world_time, writes }
  },

  read: async (twin: TwinRow, requestId: string): Promise<ActivityDetail> => {
    await flush([twin.id])
    const row = await db
      .selectFrom('twin_steps')
      .selectAll()
      .where('twin_id', '=', twin.id)
      .where('id', '=', requestId)
      .executeTakeFirst()
    if (!row) throw notFound('request')
    const recording = await recordingOf(db, row)
    const { request, response, ...facts } = toActivity(row)
    const [changes = []] =
      row.changes === null ? [] : await host.inspect(twin, { what: 'changes', texts: [row.changes] })
    return {
      ...facts,
      request: { ...request, ...recording.request },
      response: { ...response, ...recording.response },
      truncated: recording.request.truncated || recording.response.truncated,
      mutations: changes.map(toMutation),
    }
  },
})

/** What was recorded of a step: of a write beside it, of a read among the payloads of its twin. */
const recordingOf = async (db: Kysely<TwinTables>, row: StepRow): Promise<Recording> => {
  const { twin_id, detail, exchange, reply } = row
  if (detail !== null) return JSON.parse(detail) as Recording
  if (!exchange || !reply) throw new Error(`the step ${row.id} has no recording`)
  const payloads = await db
    .selectFrom('twin_payloads')
    .select(['sha256', 'body'])
    .where('twin_id', '=', twin_id)
    .where('sha256', 'in', [exchange, reply])
    .execute()
  const text = async (sha256: Buffer): Promise<string> => {
    const found = payloads.find((payload) => payload.sha256.equals(sha256))
    if (!found) throw new Error(`a payload of the step ${row.id} is missing`)
    return unpacked(found.body)
  }
  return recordingFrom({
    exchange: await text(exchange),
    reply: await text(reply),
    headers: row.reply_headers,
    size: row.reply_size ?? 0,
  })
}

const toMutation = (change: ShownChange): ActivityDetail['mutations'][number] => {
  const { collection, operation, id, key, before, after } = change
  return { collection, operation, id, key, before, after }
}

export const toActivity = (row: ShownStep): Activity => ({
  request_id: row.id,
  twin_id: row.twin_id,
  service: row.service,
  at: row.at.toISOString(),
  world_time: row.world_time.toISOString(),
  duration_ms: Math.round(row.duration_ms * 1_000) / 1_000,
  operation: row.operation,
  actor: row.actor,
  mutation_count: row.mutations,
  not_emulated: row.not_emulated,
  refused: row.refused ?? (row.status >= 400 ? `status ${row.status}` : null),
  cause: row.cause,
  request: { method: row.method, path: row.path },
  response: { status: row.status },
})
