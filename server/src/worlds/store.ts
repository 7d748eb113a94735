import type { WorldEvaluation, WorldUpdate } from '@diorama/contract/worlds'
import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import { sql } from 'kysely'
import { keysetPage, type Page } from '../storage/pages.ts'
import type { WorldTables } from './tables.ts'

export type WorldRow = Selectable<WorldTables['worlds']>
export type EnvironmentRow = Selectable<WorldTables['environments']>
export type EnvironmentVersionRow = Selectable<WorldTables['environment_versions']>
type Trx = Transaction<WorldTables>
type PageRequest = { limit: number; cursor?: string | undefined }

export interface WorldFilter {
  readonly rootWorldId?: string | undefined
  readonly tag?: string | undefined
  readonly archived?: boolean | undefined
}

export interface WorldStore {
  readonly find: (organizationId: string, id: string) => Promise<WorldRow | undefined>
  /** The world, its environment version, and the environment when that was the last one. Its twins go before it. */
  readonly remove: (id: string) => Promise<void>
  readonly findByKey: (organizationId: string, key: string) => Promise<WorldRow | undefined>
  /** The next number of a lineage; its other launches wait until this transaction ends. */
  readonly nextVersion: (rootWorldId: string, trx: Trx) => Promise<number>
  /** Undefined when the idempotency key is taken. */
  readonly insert: (world: Insertable<WorldTables['worlds']>, trx: Trx) => Promise<{ id: string } | undefined>
  readonly update: (
    id: string,
    change: { launchError: string | null; evaluation: WorldEvaluation | null; launching: boolean; at: Date },
  ) => Promise<WorldRow>
  readonly label: (id: string, change: WorldUpdate) => Promise<WorldRow>
  /** The lineage's environment, made with its first version. */
  readonly publish: (
    version: {
      id: string
      environmentId: string
      organizationId: string
      rootWorldId: string
      worldId: string
      name: string
      clock: Date
      number: number
      services: readonly object[]
      at: Date
    },
    trx: Trx,
  ) => Promise<{ environmentId: string }>
  readonly list: (organizationId: string, filter: WorldFilter, page: PageRequest) => Promise<Page<WorldRow>>
  /** Launches that a process that ended had left unfinished. */
  readonly unfinished: (before: Date) => Promise<WorldRow[]>
  readonly environments: (organizationId: string, page: PageRequest) => Promise<Page<EnvironmentRow>>
  readonly environment: (organizationId: string, id: string) => Promise<EnvironmentRow | undefined>
  readonly environmentVersions: (
    environmentId: string,
    page: PageRequest,
  ) => Promise<Page<EnvironmentVersionRow>>
  readonly latestVersions: (environmentIds: readonly string[]) => Promise<Map<string, string>>
  /** A dataset version counts as an environment version without a world. */
  readonly environmentVersion: (
    organizationId: string,
    id: string,
  ) => Promise<EnvironmentVersionRow | undefined>
  readonly datasetVersion: FindDataset
}

/** The SQL of worlds and environments. */
export const worldStore = (db: Kysely<WorldTables>, datasetVersion: FindDataset): WorldStore => ({
  find: (organizationId: string, id: string): Promise<WorldRow | undefined> =>
    db
      .selectFrom('worlds')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst(),

  remove: (id: string): Promise<void> =>
    db.transaction().execute(async (trx) => {
      await trx.deleteFrom('worlds').where('id', '=', id).execute()
      await sql`
        delete from environments where not exists (
          select 1 from environment_versions where environment_versions.environment_id = environments.id)
          and root_world_id = ${id}`.execute(trx)
    }),

  findByKey: (organizationId: string, key: string): Promise<WorldRow | undefined> =>
    db
      .selectFrom('worlds')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('idempotency_key', '=', key)
      .executeTakeFirst(),

  nextVersion: async (rootWorldId: string, trx: Trx): Promise<number> => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`lineage ${rootWorldId}`}, 0))`.execute(trx)
    const row = await trx
      .selectFrom('worlds')
      .select((eb) => eb.fn.max('version_number').as('number'))
      .where('root_world_id', '=', rootWorldId)
      .executeTakeFirst()
    return Number(row?.number ?? 0) + 1
  },

  insert: async (world: Insertable<WorldTables['worlds']>, trx: Trx): Promise<{ id: string } | undefined> =>
    trx
      .insertInto('worlds')
      .values(world)
      .onConflict((conflict) => conflict.columns(['organization_id', 'idempotency_key']).doNothing())
      .returning('id')
      .executeTakeFirst(),

  update: (
    id: string,
    change: { launchError: string | null; evaluation: WorldEvaluation | null; launching: boolean; at: Date },
  ) =>
    db
      .updateTable('worlds')
      .set({
        launch_error: change.launchError,
        evaluation: change.evaluation === null ? null : JSON.stringify(change.evaluation),
        launching: change.launching,
        updated_at: change.at,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(),

  label: (id: string, { tags, archived }: WorldUpdate): Promise<WorldRow> =>
    db
      .updateTable('worlds')
      .set({
        ...(tags ? { tags: [...new Set(tags)] } : {}),
        ...(archived === undefined
          ? {}
          : { archived_at: archived ? sql<Date>`coalesce(archived_at, now())` : null }),
        updated_at: sql<Date>`now()`,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(),

  publish: async (
    version: {
      id: string
      environmentId: string
      organizationId: string
      rootWorldId: string
      worldId: string
      name: string
      clock: Date
      number: number
      services: readonly object[]
      at: Date
    },
    trx: Trx,
  ): Promise<{ environmentId: string }> => {
    const made = await trx
      .insertInto('environments')
      .values({
        id: version.environmentId,
        organization_id: version.organizationId,
        root_world_id: version.rootWorldId,
        name: version.name,
        created_at: version.at,
      })
      .onConflict((conflict) => conflict.column('root_world_id').doUpdateSet({ name: version.name }))
      .returning('id')
      .executeTakeFirstOrThrow()
    await trx
      .insertInto('environment_versions')
      .values({
        id: version.id,
        environment_id: made.id,
        organization_id: version.organizationId,
        world_id: version.worldId,
        number: version.number,
        clock: version.clock,
        services: JSON.stringify(version.services),
        created_at: version.at,
      })
      .execute()
    return { environmentId: made.id }
  },

  list: (organizationId: string, filter: WorldFilter, page: PageRequest): Promise<Page<WorldRow>> => {
    let query = db.selectFrom('worlds').selectAll().where('organization_id', '=', organizationId)
    if (filter.rootWorldId) query = query.where('root_world_id', '=', filter.rootWorldId)
    if (filter.tag) query = query.where(sql<boolean>`${filter.tag} = any(tags)`)
    if (filter.archived !== undefined)
      query = query.where('archived_at', filter.archived ? 'is not' : 'is', null)
    return keysetPage(query, {
      column: 'created_at',
      ...page,
      position: (row) => ({ at: row.created_at, id: row.id }),
    })
  },

  unfinished: (before: Date): Promise<WorldRow[]> =>
    db
      .selectFrom('worlds')
      .selectAll()
      .where('launching', '=', true)
      .where('created_at', '<', before)
      .limit(100)
      .execute(),

  environments: (organizationId: string, page: PageRequest): Promise<Page<EnvironmentRow>> =>
    keysetPage(db.selectFrom('environments').selectAll().where('organization_id', '=', organizationId), {
      column: 'created_at',
      ...page,
      position: (row) => ({ at: row.created_at, id: row.id }),
    }),

  environment: (organizationId: string, id: string): Promise<EnvironmentRow | undefined> =>
    db
      .selectFrom('environments')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst(),

  environmentVersions: (environmentId: string, page: PageRequest): Promise<Page<EnvironmentVersionRow>> =>
    keysetPage(
      db.selectFrom('environment_versions').selectAll().where('environment_id', '=', environmentId),
      {
        column: 'created_at',
        ...page,
        position: (row) => ({ at: row.created_at, id: row.id }),
      },
    ),

  latestVersions: async (environmentIds: readonly string[]): Promise<Map<string, string>> => {
    if (environmentIds.length === 0) return new Map()
    const rows = await db
      .selectFrom('environment_versions')
      .distinctOn('environment_id')
      .select(['environment_id', 'id'])
      .where('environment_id', 'in', [...environmentIds])
      .orderBy('environment_id')
      .orderBy('number', 'desc')
      .execute()
    return new Map(rows.map(({ environment_id, id }) => [environment_id, id]))
  },

  environmentVersion: async (
    organizationId: string,
    id: string,
  ): Promise<EnvironmentVersionRow | undefined> => {
    const version = await db
      .selectFrom('environment_versions')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst()
    if (version) return version
    const rows = await datasetVersion(organizationId, id)
    return rows && { ...rows, environment_id: rows.dataset_id, world_id: '' }
  },

  datasetVersion,
})

/** Whether an organization has an environment version, or a dataset version in its place. */
export const hasEnvironmentVersion =
  (store: Pick<WorldStore, 'environmentVersion'>) =>
  async (organizationId: string, id: string): Promise<boolean> =>
    (await store.environmentVersion(organizationId, id)) !== undefined

/** A dataset version as worlds see it. */
export interface DatasetSource {
  readonly id: string
  readonly dataset_id: string
  readonly organization_id: string
  readonly name: string
  readonly number: number
  readonly clock: Date
  readonly company: Readonly<Record<string, unknown>>
  readonly services: { service: string; entity_count: number; seed_sha256: string }[]
  readonly created_at: Date
}

/** Datasets know worlds: their part of the service hands this over. */
export type FindDataset = (organizationId: string, id: string) => Promise<DatasetSource | undefined>
