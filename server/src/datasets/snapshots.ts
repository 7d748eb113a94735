import type { Readable } from 'node:stream'
import type { DatasetCompany } from '@diorama/contract'
import type { Kysely } from 'kysely'
import { ApiError } from '../http/api-error.ts'
import type { Caller } from '../http/handler.ts'
import type { Host } from '../twins/host.ts'
import { isLive } from '../twins/placement/placements.ts'
import { dropUnusedSeeds } from '../twins/seeds/seed-parts.ts'
import type { TwinRow, TwinStore } from '../twins/store.ts'
import type { TwinTables } from '../twins/tables.ts'
import type { WorldRow } from '../worlds/store.ts'
import { exportStream } from './export.ts'
import type { DatasetService, DatasetStore, DatasetVersionRow } from './store.ts'
import type { DatasetTables } from './tables.ts'
import type { WorldCompany } from './world-company.ts'

export interface SnapshotDeps {
  readonly db: Kysely<DatasetTables & TwinTables>
  readonly store: DatasetStore
  readonly twins: TwinStore
  readonly host: Pick<Host, 'inspect'>
  readonly company: WorldCompany
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

/** The states of running worlds: kept under a name, or handed out as they are. */
export interface Snapshots {
  readonly take: (
    caller: Caller,
    world: WorldRow,
    said: { name: string; description: string },
  ) => Promise<DatasetVersionRow>
  readonly exportTwin: (row: TwinRow) => Promise<Readable>
  readonly exportWorld: (world: WorldRow) => Promise<Readable>
}

export const createSnapshots = (deps: SnapshotDeps): Snapshots => {
  const { db, store, twins, host, company, now, makeId } = deps

  /** A twin that has ended stays at the moment of its end. */
  const nowOf = (row: TwinRow): number => (isLive(row) ? now() : row.updated_at.getTime())

  /** One clock for all: that of the seeds while nothing has changed, and the world's now afterwards. */
  const clockOf = async (rows: readonly TwinRow[]): Promise<number> => {
    const clocks = await Promise.all(rows.map((row) => host.inspect(row, { what: 'clock', now: nowOf(row) })))
    const seedClocks = new Set(clocks.map(({ seedClock }) => seedClock))
    const [first] = seedClocks
    if (first !== undefined && seedClocks.size === 1 && clocks.every(({ isUntouched }) => isUntouched))
      return first
    return Math.max(...clocks.map(({ worldTime }) => worldTime))
  }

  const publish = async (rows: readonly TwinRow[]) => {
    const clock = await clockOf(rows)
    const services: DatasetService[] = []
    for (const row of rows) {
      const { sha256, entityCount, collections } = await host.inspect(row, { what: 'publish', clock })
      services.push({
        service: row.service,
        entity_count: entityCount,
        seed_sha256: sha256,
        collections: collections.map((one) => ({ ...one })),
      })
    }
    return { clock: new Date(clock).toISOString(), services }
  }

  const exported = async (rows: readonly TwinRow[], whose: DatasetCompany): Promise<Readable> => {
    const { clock, services } = await publish(rows)
    const digests = services.map(({ seed_sha256 }) => seed_sha256)
    return exportStream(db, { ...whose, clock }, services, () => dropUnusedSeeds(db, digests))
  }

  return {
    take: async (caller, world, { name, description }) => {
      const rows = await twins.ofWorlds([world.id])
      if (rows.length === 0) throw new ApiError('conflict', 'The world has no twins to keep.')
      const whose = await company.ofWorld(world)
      const { clock, services } = await publish(rows)
      return db.transaction().execute((trx) =>
        store.publish(
          {
            ...{ id: makeId('dsv'), datasetId: makeId('dst'), at: new Date(now()) },
            organizationId: caller.organizationId,
            createdBy: caller.keyId,
            ...{ name, description, services, company: { ...whose, clock } },
            source: { kind: 'snapshot', format: 'rows', world_id: world.id },
            ...{ pseudonyms: null, warnings: [] },
          },
          trx,
        ),
      )
    },
    exportTwin: async (row) => exported([row], await company.ofTwin(row)),
    exportWorld: async (world) => exported(await twins.ofWorlds([world.id]), await company.ofWorld(world)),
  }
}
