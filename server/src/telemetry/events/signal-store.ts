import type { Signal, SignalQuery } from '@diorama/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import { keysetPage, type Page } from '../../storage/pages.ts'
import type { TelemetryTables } from '../tables.ts'
import { withinBytes } from '../traces/within-bytes.ts'

type SignalRow = Selectable<TelemetryTables['signals']>

const shownPerEvent = 20

export interface SignalStore {
  /** Says whether the event is there to attach to: an event, or a span by its event id. */
  readonly insert: (organizationId: string, signal: Signal) => Promise<boolean>
  readonly list: (organizationId: string, query: SignalQuery) => Promise<Page<Signal>>
  /** The newest few of each event, of the first events first, as many as a portion holds. */
  readonly ofEvents: (eventIds: readonly string[]) => Promise<ReadonlyMap<string, Signal[]>>
}

/** The SQL of signals. */
export const signalStore = ({ db }: { readonly db: Kysely<TelemetryTables> }): SignalStore => ({
  insert: async (organizationId: string, signal: Signal): Promise<boolean> => {
    const { rows } = await sql`
      insert into signals (id, organization_id, event_id, signal_name, properties, created_at)
      select ${signal.id}, ${organizationId}, ${signal.event_id}, ${signal.signal_name},
        ${JSON.stringify(signal.properties)}::jsonb, ${signal.created_at}::timestamptz
      where exists (
        select 1 from events where id = ${signal.event_id} and organization_id = ${organizationId}
        union all
        select 1 from spans where id = ${signal.event_id} and organization_id = ${organizationId})
      returning id`.execute(db)
    return rows.length === 1
  },

  list: async (organizationId: string, query: SignalQuery): Promise<Page<Signal>> => {
    let rows = db.selectFrom('signals').selectAll().where('organization_id', '=', organizationId)
    if (query.event_id !== undefined) rows = rows.where('event_id', '=', query.event_id)
    if (query.signal_name !== undefined) rows = rows.where('signal_name', '=', query.signal_name)
    const { items, nextCursor } = await keysetPage(rows, {
      column: 'created_at',
      limit: query.limit,
      cursor: query.cursor,
      position: (row) => ({ at: row.created_at, id: row.id }),
      run: (page) => withinBytes<SignalRow>({ db }, page, ['properties']),
    })
    return { items: items.map(toSignal), nextCursor }
  },

  ofEvents: async (eventIds: readonly string[]): Promise<ReadonlyMap<string, Signal[]>> => {
    if (eventIds.length === 0) return new Map()
    const { rows } = await withinBytes<SignalRow>(
      { db },
      sql`select newest.* from unnest(${[...eventIds]}::text[]) with ordinality as wanted (id, place), lateral (
        select * from signals where event_id = wanted.id order by created_at desc, id desc
        limit ${shownPerEvent}) as newest order by wanted.place, newest.created_at desc, newest.id desc`,
      ['properties'],
    )
    return Map.groupBy(rows.map(toSignal), ({ event_id }) => event_id)
  },
})

const toSignal = (row: SignalRow): Signal => ({
  id: row.id,
  event_id: row.event_id,
  signal_name: row.signal_name,
  properties: row.properties,
  created_at: row.created_at.toISOString(),
})
