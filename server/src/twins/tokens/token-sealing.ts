import type { Principal } from '@diorama/twin-kit/kernel/twin'
import { type Kysely, sql } from 'kysely'
import type { Sealing } from '../../storage/secrets/sealing.ts'
import { nodeLease } from '../placement/nodes.ts'
import type { NewTwin, TwinRow, TwinStore } from '../store.ts'
import type { TwinTables } from '../tables.ts'

/**
 * The tokens of twins are stored encrypted, since a copy of the database must not be enough to act in a company. They
 * can be read again: people are shown them when they connect a client.
 */
export interface TokenSealing {
  /** The same store, with rows whose tokens can be read. */
  readonly store: TwinStore
  /**
   * Seals what an earlier version stored in plain text, a number of rows at a time. Nothing is sealed while a node lives
   * that cannot read it.
   */
  readonly sealEarlier: () => Promise<void>
}

interface Sealed {
  readonly sealed: string
}

const batch = 500

export const createTokenSealing = (deps: {
  readonly db: Kysely<TwinTables>
  readonly store: TwinStore
  readonly sealing: Pick<Sealing, 'seal' | 'open'>
}): TokenSealing => {
  const { db, store, sealing } = deps
  /** Known once: a node that cannot read them does not start on a database of this version. */
  let isRead = false
  let isDone = false
  const contextOf = (twinId: string) => `twin tokens ${twinId}`
  const seal = (twinId: string, principals: string): string =>
    JSON.stringify({ sealed: sealing.seal(principals, contextOf(twinId)) })
  const opened = (row: TwinRow): TwinRow => {
    const stored = row.principals as Principal[] | Sealed
    if (Array.isArray(stored)) return row
    return { ...row, principals: JSON.parse(sealing.open(stored.sealed, contextOf(row.id))) }
  }
  const openedIf = (row: TwinRow | undefined): TwinRow | undefined => row && opened(row)
  const openedAll = (rows: readonly TwinRow[]): TwinRow[] => rows.map(opened)
  const areRead = async (): Promise<boolean> => {
    if (isRead) return true
    const { rows } = await sql`select 1 from leases where starts_with(name, ${nodeLease('')})
      and expires_at > clock_timestamp() and not data @> '{"readsSealedTokens": true}' limit 1`.execute(db)
    isRead = rows.length === 0
    return isRead
  }

  return {
    store: {
      ...store,
      insert: async (twins, trx) => {
        if (!(await areRead())) return store.insert(twins, trx)
        const sealed = twins.map((twin): NewTwin => ({ ...twin, principals: seal(twin.id, twin.principals) }))
        return store.insert(sealed, trx)
      },
      find: async (organizationId, id) => openedIf(await store.find(organizationId, id)),
      findAny: async (id) => openedIf(await store.findAny(id)),
      ofWorlds: async (worldIds) => openedAll(await store.ofWorlds(worldIds)),
      ofTrial: async (trialId) => openedAll(await store.ofTrial(trialId)),
      list: async (organizationId, filter, page) => {
        const found = await store.list(organizationId, filter, page)
        return { ...found, items: openedAll(found.items) }
      },
      setStatus: async (ids, change) => openedAll(await store.setStatus(ids, change)),
      restart: async (id, options) => openedIf(await store.restart(id, options)),
      claim: async (id, owner) => openedIf(await store.claim(id, owner)),
      expire: async () => openedAll(await store.expire()),
      stranded: async (before) => openedAll(await store.stranded(before)),
    },
    sealEarlier: async () => {
      if (isDone || !(await areRead())) return
      const { rows } = await sql<{ id: string; principals: unknown }>`
        select id, principals from twins where jsonb_typeof(principals) = 'array' limit ${batch}`.execute(db)
      for (const { id, principals } of rows)
        await sql`update twins set principals = ${seal(id, JSON.stringify(principals))}::jsonb
          where id = ${id} and jsonb_typeof(principals) = 'array'`.execute(db)
      isDone = rows.length === 0
    },
  }
}
