import type { DatasetCompany } from '@diorama/contract'
import type { Kysely, Selectable, Transaction } from 'kysely'
import { sql } from 'kysely'
import { keysetPage, type Page } from '../storage/pages.ts'
import type { DatasetTables } from './tables.ts'

export type DatasetRow = Selectable<DatasetTables['datasets']>
export type DatasetVersionRow = Selectable<DatasetTables['dataset_versions']> & { readonly name: string }
export type DatasetService = DatasetVersionRow['services'][number]
type Db = Kysely<DatasetTables> | Transaction<DatasetTables>
type PageRequest = { limit: number; cursor?: string | undefined }

export interface NewVersion {
  readonly id: string
  readonly datasetId: string
  readonly organizationId: string
  readonly name: string
  readonly description: string | undefined
  readonly company: DatasetCompany
  readonly services: readonly DatasetService[]
  readonly source: DatasetVersionRow['source']
  readonly pseudonyms: Readonly<Record<string, number>> | null
  readonly warnings: readonly string[]
  readonly createdBy: string
  readonly at: Date
}

export interface DatasetStore {
  /** A dataset of the name, made where there is none, gets its next version. */
  readonly publish: (version: NewVersion, trx: Transaction<DatasetTables>) => Promise<DatasetVersionRow>
  readonly list: (organizationId: string, page: PageRequest) => Promise<Page<DatasetRow>>
  readonly find: (organizationId: string, id: string) => Promise<DatasetRow | undefined>
  readonly latest: (datasetIds: readonly string[]) => Promise<ReadonlyMap<string, DatasetVersionRow>>
  readonly versionsOf: (datasetId: string, page: PageRequest) => Promise<Page<DatasetVersionRow>>
  readonly ofWorld: (
    organizationId: string,
    worldId: string,
    page: PageRequest,
  ) => Promise<Page<DatasetVersionRow>>
  readonly version: (organizationId: string, id: string, from?: Db) => Promise<DatasetVersionRow | undefined>
  readonly allVersionsOf: (datasetId: string, trx: Db) => Promise<DatasetVersionRow[]>
  readonly remove: (ids: readonly string[], trx: Db) => Promise<void>
  readonly removeDataset: (id: string, trx: Db) => Promise<void>
}

/** The SQL of datasets. */
export const datasetStore = (db: Kysely<DatasetTables>): DatasetStore => {
  const versions = (from: Db = db) =>
    from
      .selectFrom('dataset_versions')
      .innerJoin('datasets', 'datasets.id', 'dataset_versions.dataset_id')
      .selectAll('dataset_versions')
      .select('datasets.name as name')

  return {
    publish: async (version: NewVersion, trx: Transaction<DatasetTables>): Promise<DatasetVersionRow> => {
      const { organizationId, name, createdBy, at } = version
      await sql`select pg_advisory_xact_lock(hashtextextended(${`dataset ${organizationId} ${name}`}, 0))`.execute(
        trx,
      )
      const dataset = await trx
        .insertInto('datasets')
        .values({
          id: version.datasetId,
          organization_id: organizationId,
          name,
          description: version.description ?? '',
          created_by: createdBy,
          created_at: at,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['organization_id', 'name'])
            .doUpdateSet(version.description === undefined ? { name } : { description: version.description }),
        )
        .returning('id')
        .executeTakeFirstOrThrow()
      const last = await trx
        .selectFrom('dataset_versions')
        .select((eb) => eb.fn.max('number').as('number'))
        .where('dataset_id', '=', dataset.id)
        .executeTakeFirst()
      const row = await trx
        .insertInto('dataset_versions')
        .values({
          id: version.id,
          dataset_id: dataset.id,
          organization_id: organizationId,
          number: Number(last?.number ?? 0) + 1,
          clock: new Date(version.company.clock),
          company: JSON.stringify(version.company),
          services: JSON.stringify(version.services),
          source: JSON.stringify(version.source),
          pseudonyms: version.pseudonyms === null ? null : JSON.stringify(version.pseudonyms),
          warnings: JSON.stringify(version.warnings),
          created_by: createdBy,
          created_at: at,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      return { ...row, name }
    },

    list: (organizationId: string, page: PageRequest): Promise<Page<DatasetRow>> =>
      keysetPage(db.selectFrom('datasets').selectAll().where('organization_id', '=', organizationId), {
        column: 'created_at',
        ...page,
        position: (row) => ({ at: row.created_at, id: row.id }),
      }),

    find: (organizationId: string, id: string): Promise<DatasetRow | undefined> =>
      db
        .selectFrom('datasets')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .executeTakeFirst(),

    latest: async (datasetIds: readonly string[]): Promise<ReadonlyMap<string, DatasetVersionRow>> => {
      if (datasetIds.length === 0) return new Map()
      const rows = await versions()
        .distinctOn('dataset_versions.dataset_id')
        .where('dataset_versions.dataset_id', 'in', [...datasetIds])
        .orderBy('dataset_versions.dataset_id')
        .orderBy('dataset_versions.number', 'desc')
        .execute()
      return new Map(rows.map((row) => [row.dataset_id, row]))
    },

    versionsOf: (datasetId: string, page: PageRequest): Promise<Page<DatasetVersionRow>> =>
      keysetPage(
        db
          .selectFrom(versions().where('dataset_versions.dataset_id', '=', datasetId).as('listed'))
          .selectAll(),
        { column: 'created_at', ...page, position: (row) => ({ at: row.created_at, id: row.id }) },
      ),

    ofWorld: (organizationId: string, worldId: string, page: PageRequest): Promise<Page<DatasetVersionRow>> =>
      keysetPage(
        db
          .selectFrom(
            versions()
              .where('dataset_versions.organization_id', '=', organizationId)
              .where(sql<boolean>`dataset_versions.source ->> 'world_id' = ${worldId}`)
              .as('listed'),
          )
          .selectAll(),
        { column: 'created_at', ...page, position: (row) => ({ at: row.created_at, id: row.id }) },
      ),

    version: (organizationId: string, id: string, from: Db = db): Promise<DatasetVersionRow | undefined> =>
      versions(from)
        .where('dataset_versions.organization_id', '=', organizationId)
        .where('dataset_versions.id', '=', id)
        .executeTakeFirst(),

    allVersionsOf: (datasetId: string, trx: Db): Promise<DatasetVersionRow[]> =>
      versions(trx)
        .where('dataset_versions.dataset_id', '=', datasetId)
        .forUpdate('dataset_versions')
        .execute(),

    remove: async (ids: readonly string[], trx: Db): Promise<void> => {
      if (ids.length > 0)
        await trx
          .deleteFrom('dataset_versions')
          .where('id', 'in', [...ids])
          .execute()
    },

    removeDataset: async (id: string, trx: Db): Promise<void> => {
      await trx.deleteFrom('datasets').where('id', '=', id).execute()
    },
  }
}
