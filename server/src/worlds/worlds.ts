import type { Diff, DiffQuery } from '@diorama/contract/twins'
import type { WorldResponse, WorldStatus, WorldSummary, WorldUpdate } from '@diorama/contract/worlds'
import { ApiError, notFound } from '../http/api-error.ts'
import type { Caller } from '../http/handler.ts'
import type { FindReference } from '../storage/tables/references.ts'
import { diffOf } from '../twins/diff-pages.ts'
import type { Host } from '../twins/host.ts'
import type { ActivityReader } from '../twins/ledger/ledger-reader.ts'
import { isLive } from '../twins/placement/placements.ts'
import type { LedgerRetention } from '../twins/retention.ts'
import type { TwinRow } from '../twins/store.ts'
import type { Twins } from '../twins/twins.ts'
import type { WorldClocks } from './clock/clocks.ts'
import type { WorldRow, WorldStore } from './store.ts'

export interface Worlds {
  readonly store: WorldStore
  readonly require: (organizationId: string, id: string) => Promise<WorldRow>
  readonly shown: (world: WorldRow, rows: readonly TwinRow[]) => WorldResponse
  readonly twinsOf: (world: WorldRow) => Promise<TwinRow[]>
  readonly read: (caller: Caller, id: string) => Promise<WorldResponse>
  readonly summaries: (worlds: readonly WorldRow[]) => Promise<WorldSummary[]>
  readonly update: (caller: Caller, id: string, change: WorldUpdate) => Promise<WorldResponse>
  readonly diff: (caller: Caller, id: string, query: DiffQuery) => Promise<Diff>
  readonly reset: (caller: Caller, id: string) => Promise<WorldResponse>
  /** Deletes a world that has ended and that nothing refers to, with everything its twins recorded. */
  readonly delete: (caller: Caller, id: string) => Promise<void>
  readonly stop: (caller: Caller, id: string) => Promise<WorldResponse>
}

/** Reading and steering worlds that were launched. */
export const openWorlds = ({
  store,
  twins,
  host,
  activity,
  clocks,
  retention,
  referenceTo,
}: {
  store: WorldStore
  twins: Twins
  host: Pick<Host, 'inspect'>
  activity: Pick<ActivityReader, 'whole'>
  clocks: Pick<WorldClocks, 'reset'>
  retention: Pick<LedgerRetention, 'deleteTwins'>
  /** What refers to an environment version, so that its world must stay: the first of it, in words. */
  referenceTo: FindReference
}): Worlds => {
  const require = async (organizationId: string, id: string): Promise<WorldRow> => {
    const row = await store.find(organizationId, id)
    if (!row) throw notFound('world')
    return row
  }
  const rowsOf = (world: WorldRow) => twins.store.ofWorlds([world.id])

  const shown = (world: WorldRow, rows: readonly TwinRow[]): WorldResponse => ({
    world: {
      id: world.id,
      name: world.name,
      summary: world.summary,
      tenantId: world.organization_id,
      createdBy: world.created_by,
      createdAt: world.created_at.toISOString(),
      updatedAt: world.updated_at.toISOString(),
      blueprint: world.blueprint,
      tags: world.tags,
      archived: world.archived_at !== null,
      twins: rows.map(({ service, id, entity_count, seed_sha256 }) => ({
        service,
        twinInstanceId: id,
        entityCount: entity_count,
        seedSha256: seed_sha256,
      })),
    },
    version: versionOf(world),
    twins: rows.map(twins.shown),
    status: statusOf(world, rows),
    launchError: world.launch_error,
    evaluation: world.evaluation as WorldResponse['evaluation'],
  })

  return {
    store,
    require,
    shown,
    twinsOf: rowsOf,
    read: async (caller: Caller, id: string): Promise<WorldResponse> => {
      const world = await require(caller.organizationId, id)
      return shown(world, await rowsOf(world))
    },
    summaries: async (worlds: readonly WorldRow[]) => {
      const rows = await twins.store.ofWorlds(worlds.map(({ id }) => id))
      const byWorld = Map.groupBy(rows, ({ world_id }) => world_id ?? '')
      return worlds.map((world) => {
        const its = byWorld.get(world.id) ?? []
        return {
          id: world.id,
          name: world.name,
          summary: world.summary,
          createdBy: world.created_by,
          createdAt: world.created_at.toISOString(),
          version: versionOf(world),
          status: statusOf(world, its),
          services: its.map(({ service }) => service),
          tags: world.tags,
          archived: world.archived_at !== null,
        }
      })
    },
    update: async (caller: Caller, id: string, change: WorldUpdate): Promise<WorldResponse> => {
      await require(caller.organizationId, id)
      const world = await store.label(id, change)
      return shown(world, await rowsOf(world))
    },
    diff: async (caller: Caller, id: string, query: DiffQuery): Promise<Diff> =>
      diffOf({ host, activity }, await rowsOf(await require(caller.organizationId, id)), query),
    reset: async (caller: Caller, id: string): Promise<WorldResponse> => {
      const world = await require(caller.organizationId, id)
      const rows: TwinRow[] = []
      await clocks.reset(world.id)
      for (const row of await rowsOf(world)) rows.push(await twins.reset(row))
      // Again: what happened between the first twin and the last belongs to neither life.
      await clocks.reset(world.id)
      return shown(world, rows)
    },
    delete: async (caller: Caller, id: string): Promise<void> => {
      const world = await require(caller.organizationId, id)
      const rows = await rowsOf(world)
      const live = rows.find(isLive)
      if (live || world.launching)
        throw new ApiError('conflict', 'The world is live; stop it before you delete it.')
      const version = world.environment_version_id
      const reference = version === null ? undefined : await referenceTo(world.organization_id, version)
      if (reference) throw new ApiError('conflict', `The world is in use: ${reference} refers to it.`)
      await retention.deleteTwins(rows.map((row) => row.id))
      await store.remove(id)
    },
    stop: async (caller: Caller, id: string): Promise<WorldResponse> => {
      const world = await require(caller.organizationId, id)
      return shown(world, await twins.stop(await rowsOf(world)))
    },
  }
}

const versionOf = (world: WorldRow) => ({
  number: world.version_number,
  rootWorldId: world.root_world_id,
  parentWorldId: world.parent_world_id,
})

/** The aggregate of the twins' statuses. */
export const statusOf = (
  world: Pick<WorldRow, 'launch_error'>,
  rows: readonly Pick<TwinRow, 'status'>[],
): WorldStatus => {
  const has = (status: string) => rows.some((row) => row.status === status)
  if (world.launch_error !== null || has('failed')) return 'failed'
  if (has('provisioning')) return 'forging'
  const ended = rows.filter(({ status }) => status === 'stopped' || status === 'expired')
  if (rows.length > 0 && ended.length === rows.length) return 'retired'
  return has('degraded') || ended.length > 0 ? 'degraded' : 'ready'
}
