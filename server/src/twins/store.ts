import { liveStatuses, type TwinStatus } from '@diorama/contract/twins'
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { keysetPage, type Page } from '../storage/pages.ts'
import { nodeLease } from './placement/nodes.ts'
import type { TwinTables } from './tables.ts'

export type TwinRow = Selectable<TwinTables['twins']>
export type NewTwin = Insertable<TwinTables['twins']>
type Db = Kysely<TwinTables> | Transaction<TwinTables>

const live = [...liveStatuses]

export interface TwinFilter {
  readonly service?: string | undefined
  readonly status?: TwinStatus | undefined
  readonly world_id?: string | undefined
  /** Twins of no world, or of worlds alone. */
  readonly standalone?: boolean | undefined
}

export interface TwinStore {
  readonly insert: (twins: readonly NewTwin[], trx?: Db) => Promise<unknown>
  readonly find: (organizationId: string, id: string) => Promise<TwinRow | undefined>
  readonly findAny: (id: string) => Promise<TwinRow | undefined>
  readonly ofWorlds: (worldIds: readonly string[]) => Promise<TwinRow[]>
  readonly ofTrial: (trialId: string) => Promise<TwinRow[]>
  readonly list: (
    organizationId: string,
    filter: TwinFilter,
    page: { limit: number; cursor?: string | undefined },
  ) => Promise<Page<TwinRow>>
  /** The twin of that id, or the twins of the world of that id, in their order. */
  readonly idsOf: (id: string) => Promise<string[]>
  /** How many twins take up room now; the copies of trials are bounded by the trials themselves. */
  readonly countLive: (organizationId: string, trx?: Db) => Promise<number>
  /** Serialises what counts and then adds twins of one organization. */
  readonly lockCapacity: (organizationId: string, trx: Db) => Promise<unknown>
  readonly setStatus: (
    ids: readonly string[],
    change: {
      status: TwinStatus
      from: readonly TwinStatus[]
      at: Date
      error?: string | null
      epoch?: number
    },
  ) => Promise<TwinRow[]>
  /** A new life from the seed, owned by this node. */
  readonly restart: (id: string, options: { at: Date; owner: string }) => Promise<TwinRow | undefined>
  /** Makes this node the owner, unless a living node is: of the twin, or of all twins that share its clock. */
  readonly claim: (id: string, owner: string) => Promise<TwinRow | undefined>
  /** Forgets every node: right only for a process that has the database to itself, when it starts. */
  readonly forgetNodes: () => Promise<unknown>
  /** Ends twins whose time has passed by the database's clock: a node's own may be wrong. */
  readonly expire: () => Promise<TwinRow[]>
  /** Twins that were left half provisioned by a process that ended. */
  readonly stranded: (before: Date) => Promise<TwinRow[]>
}

/** Nobody owns it, this node does, or the node that did is dead. */
const isFree = (owner: string, column: 'twins.owner' | 'world_clocks.owner') => sql<boolean>`(
  ${sql.ref(column)} is null or ${sql.ref(column)} = ${owner} or not exists (
    select 1 from leases where leases.name = ${nodeLease('')} || ${sql.ref(column)}
      and leases.expires_at > clock_timestamp()))`

/** The SQL of twins. */
export const twinStore = (db: Kysely<TwinTables>): TwinStore => ({
  insert: (twins: readonly NewTwin[], trx: Db = db) =>
    trx
      .insertInto('twins')
      .values([...twins])
      .execute(),

  find: (organizationId: string, id: string): Promise<TwinRow | undefined> =>
    db
      .selectFrom('twins')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst(),

  findAny: (id: string): Promise<TwinRow | undefined> =>
    db.selectFrom('twins').selectAll().where('id', '=', id).executeTakeFirst(),

  ofWorlds: (worldIds: readonly string[]): Promise<TwinRow[]> =>
    worldIds.length === 0
      ? Promise.resolve([])
      : db
          .selectFrom('twins')
          .selectAll()
          .where('world_id', 'in', [...worldIds])
          .orderBy('position')
          .execute(),

  ofTrial: (trialId: string): Promise<TwinRow[]> =>
    db.selectFrom('twins').selectAll().where('trial_id', '=', trialId).orderBy('position').execute(),

  list: (
    organizationId: string,
    filter: TwinFilter,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Page<TwinRow>> => {
    let query = db
      .selectFrom('twins')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('trial_id', 'is', null)
    if (filter.service) query = query.where('service', '=', filter.service)
    if (filter.status) query = query.where('status', '=', filter.status)
    if (filter.world_id) query = query.where('world_id', '=', filter.world_id)
    if (filter.standalone !== undefined)
      query = query.where('world_id', filter.standalone ? 'is' : 'is not', null)
    return keysetPage(query, {
      column: 'created_at',
      ...page,
      position: (row) => ({ at: row.created_at, id: row.id }),
    })
  },

  idsOf: async (id: string): Promise<string[]> => {
    const rows = await db
      .selectFrom('twins')
      .select('id')
      .where((eb) => eb.or([eb('id', '=', id), eb('world_id', '=', id)]))
      .orderBy('position')
      .orderBy('id')
      .execute()
    return rows.map((row) => row.id)
  },

  countLive: async (organizationId: string, trx: Db = db): Promise<number> => {
    const { count } = await trx
      .selectFrom('twins')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId)
      .where('status', 'in', live)
      .where('trial_id', 'is', null)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  lockCapacity: (organizationId: string, trx: Db) =>
    sql`select pg_advisory_xact_lock(hashtextextended(${`capacity ${organizationId}`}, 0))`.execute(trx),

  setStatus: async (
    ids: readonly string[],
    change: {
      status: TwinStatus
      from: readonly TwinStatus[]
      at: Date
      error?: string | null
      epoch?: number
    },
  ): Promise<TwinRow[]> => {
    if (ids.length === 0) return []
    let query = db
      .updateTable('twins')
      .set({
        status: change.status,
        updated_at: change.at,
        ...(change.error === undefined ? {} : { error: change.error }),
      })
      .where('id', 'in', [...ids])
      .where('status', 'in', [...change.from])
    if (change.epoch !== undefined) query = query.where('epoch', '=', change.epoch)
    return query.returningAll().execute()
  },

  restart: (id: string, { at, owner }: { at: Date; owner: string }): Promise<TwinRow | undefined> =>
    db.transaction().execute(async (trx) => {
      const row = await trx
        .updateTable('twins')
        .set((eb) => ({
          status: 'provisioning',
          updated_at: at,
          seeded_at: at,
          error: null,
          owner,
          epoch: eb('epoch', '+', 1),
        }))
        .where('id', '=', id)
        .where('status', 'in', live)
        .returningAll()
        .executeTakeFirst()
      if (row) await trx.deleteFrom('twin_snapshots').where('twin_id', '=', id).execute()
      // The twins of a world with a clock are run by one node.
      if (row?.clock_id) {
        await sql`update world_clocks set owner = ${owner} where id = ${row.clock_id}`.execute(trx)
        await trx.updateTable('twins').set({ owner }).where('clock_id', '=', row.clock_id).execute()
      }
      return row
    }),

  claim: async (id: string, owner: string): Promise<TwinRow | undefined> => {
    const own = await db
      .updateTable('twins')
      .set({ owner })
      .where('id', '=', id)
      .where('clock_id', 'is', null)
      .where(isFree(owner, 'twins.owner'))
      .returningAll()
      .executeTakeFirst()
    if (own) return own
    const { rows } = await sql<TwinRow>`
      with clock as (
        update world_clocks set owner = ${owner}
        where id = (select clock_id from twins where twins.id = ${id}) and ${isFree(owner, 'world_clocks.owner')}
        returning id)
      update twins set owner = ${owner} from clock where twins.clock_id = clock.id returning twins.*`.execute(
      db,
    )
    return rows.find((row) => row.id === id)
  },

  forgetNodes: () =>
    db
      .deleteFrom('leases')
      .where('name', 'like', `${nodeLease('')}%`)
      .execute(),

  expire: (): Promise<TwinRow[]> =>
    db
      .updateTable('twins')
      .set({ status: 'expired', updated_at: sql`clock_timestamp()` })
      .where('status', 'in', live)
      .where('expires_at', '<=', sql<Date>`clock_timestamp()`)
      .returningAll()
      .execute(),

  stranded: (before: Date): Promise<TwinRow[]> =>
    db
      .selectFrom('twins')
      .selectAll()
      .where('status', '=', 'provisioning')
      .where('updated_at', '<', before)
      .limit(1_000)
      .execute(),
})
