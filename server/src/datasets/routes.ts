import type { DatasetCompany, DatasetVersion, datasetRoutes } from '@diorama/contract'
import type { Kysely } from 'kysely'
import { ApiError, notFound } from '../http/api-error.ts'
import { Answer, type Caller, type Handlers } from '../http/handler.ts'
import { decodeCursor, encodeCursor } from '../storage/pages.ts'
import type { FindReference } from '../storage/tables/references.ts'
import type { Registry } from '../twins/registry.ts'
import { dropUnusedSeeds } from '../twins/seeds/seed-parts.ts'
import type { TwinRow } from '../twins/store.ts'
import type { TwinTables } from '../twins/tables.ts'
import type { WorldRow } from '../worlds/store.ts'
import { exportStream, seedRows } from './export.ts'
import { type ImportDeps, importDataset, readersOf } from './import.ts'
import type { Snapshots } from './snapshots.ts'
import type { DatasetRow, DatasetStore, DatasetVersionRow } from './store.ts'
import type { DatasetTables } from './tables.ts'

export interface DatasetRouteDeps extends ImportDeps {
  readonly db: Kysely<DatasetTables & TwinTables>
  readonly store: DatasetStore
  readonly registry: Registry
  readonly snapshots: Snapshots
  /** What begins with a version, so that it must stay: the first of it, in words. */
  readonly referenceTo: FindReference
  readonly requireTwin: (organizationId: string, id: string) => Promise<TwinRow>
  readonly requireWorld: (organizationId: string, id: string) => Promise<WorldRow>
}

export const datasetHandlers = (deps: DatasetRouteDeps): Handlers<typeof datasetRoutes> => {
  const { db, store, registry, snapshots, requireTwin, requireWorld } = deps
  const version = async (caller: Caller, id: string): Promise<DatasetVersionRow> => {
    const row = await store.version(caller.organizationId, id)
    if (!row) throw notFound('dataset version')
    return row
  }
  const dataset = async (caller: Caller, id: string): Promise<DatasetRow> => {
    const row = await store.find(caller.organizationId, id)
    if (!row) throw notFound('dataset')
    return row
  }
  const page = ({
    items,
    nextCursor,
  }: {
    items: readonly DatasetVersionRow[]
    nextCursor: string | null
  }) => ({
    items: items.map(shownVersion),
    next_cursor: nextCursor,
  })
  return {
    createDataset: async ({ caller, query, stream, headers }) => {
      if (!stream) throw new ApiError('invalid_dataset', 'The data does not fit: the body is empty.')
      const contentType = headers['content-type'] ?? ''
      return shownVersion(await importDataset(deps, { ...query, caller, contentType, body: stream }))
    },
    listDatasetFormats: () => ({
      items: [
        {
          format: 'rows',
          service: null,
          label: 'Native rows: NDJSON, JSON or a zip',
          takes: 'rows' as const,
        },
        ...readersOf(registry).map(({ kind, reader: { format, label, takes } }) => ({
          format,
          service: kind,
          label,
          takes,
        })),
      ],
      next_cursor: null,
    }),
    listDatasets: async ({ caller, query }) => {
      const { items, nextCursor } = await store.list(caller.organizationId, query)
      const latest = await store.latest(items.map(({ id }) => id))
      return {
        items: items.map((row) => {
          const newest = latest.get(row.id)
          return {
            id: row.id,
            name: row.name,
            description: row.description,
            created_by: row.created_by,
            created_at: row.created_at.toISOString(),
            latest_version: newest ? shownVersion(newest) : null,
          }
        }),
        next_cursor: nextCursor,
      }
    },
    deleteDataset: async ({ caller, params }) => {
      const { id } = await dataset(caller, params.datasetId)
      await deleteVersions(deps, caller, async (trx) => store.allVersionsOf(id, trx), id)
      return undefined
    },
    listDatasetVersions: async ({ caller, params, query }) => {
      const { id } = await dataset(caller, params.datasetId)
      return page(await store.versionsOf(id, query))
    },
    readDatasetVersion: async ({ caller, params }) => shownVersion(await version(caller, params.versionId)),
    deleteDatasetVersion: async ({ caller, params }) => {
      const row = await version(caller, params.versionId)
      await deleteVersions(deps, caller, async () => [row])
      return undefined
    },
    listDatasetRows: async ({ caller, params, query }) =>
      rowsPage(deps, await version(caller, params.versionId), query),
    exportDatasetVersion: async ({ caller, params }) => {
      const row = await version(caller, params.versionId)
      return new Answer(200, exportStream(db, row.company as DatasetCompany, row.services))
    },
    exportTwin: async ({ caller, params }) =>
      new Answer(200, await snapshots.exportTwin(await requireTwin(caller.organizationId, params.twinId))),
    exportWorld: async ({ caller, params }) =>
      new Answer(200, await snapshots.exportWorld(await requireWorld(caller.organizationId, params.worldId))),
    createSnapshot: async ({ caller, params, body }) => {
      const world = await requireWorld(caller.organizationId, params.worldId)
      return shownVersion(await snapshots.take(caller, world, body))
    },
    listSnapshots: async ({ caller, params, query }) => {
      const { id } = await requireWorld(caller.organizationId, params.worldId)
      return page(await store.ofWorld(caller.organizationId, id, query))
    },
  }
}

const deleteVersions = (
  { db, store, referenceTo }: DatasetRouteDeps,
  { organizationId }: Caller,
  choose: (trx: Parameters<DatasetStore['remove']>[1]) => Promise<readonly DatasetVersionRow[]>,
  datasetId?: string,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const rows = await choose(trx)
    for (const { id, number } of rows) {
      const reference = await referenceTo(organizationId, id, trx)
      if (reference)
        throw new ApiError('conflict', `Version ${number} is in use: ${reference} begins with it.`)
    }
    await store.remove(
      rows.map(({ id }) => id),
      trx,
    )
    if (datasetId !== undefined) await store.removeDataset(datasetId, trx)
    await dropUnusedSeeds(
      trx,
      rows.flatMap(({ services }) => services.map(({ seed_sha256 }) => seed_sha256)),
    )
  })

const rowsPage = async (
  { db, registry }: DatasetRouteDeps,
  { services }: DatasetVersionRow,
  query: { service: string; collection: string; limit: number; cursor?: string | undefined },
) => {
  const kind = registry.find(query.service)?.twin.kind ?? query.service
  const service = services.find((one) => one.service === kind)
  const names = service?.collections.map(({ name }) => name) ?? services.map((one) => one.service)
  if (!service || !names.includes(query.collection)) {
    const pointer = service ? '/query/collection' : '/query/service'
    const message = `must be one of ${names.join(', ')}`
    throw new ApiError('invalid_reference', `${pointer} ${message}.`, { details: [{ pointer, message }] })
  }
  const skip = query.cursor === undefined ? 0 : Number(decodeCursor(query.cursor).at)
  if (!Number.isSafeInteger(skip) || skip < 0)
    throw new ApiError('invalid_cursor', 'The cursor is not of this list.')
  const { rows, hasMore } = await seedRows(db, service.seed_sha256, query.collection, {
    skip,
    limit: query.limit,
  })
  const reached = skip + rows.length
  return { items: rows, next_cursor: hasMore ? encodeCursor({ at: reached, id: String(reached) }) : null }
}

const shownVersion = (row: DatasetVersionRow): DatasetVersion => {
  const { organization, people } = row.company as DatasetCompany
  return {
    id: row.id,
    dataset_id: row.dataset_id,
    name: row.name,
    number: row.number,
    clock: row.clock.toISOString(),
    organization: { name: organization.name, slug: organization.slug },
    people_count: people.length,
    services: row.services,
    source: row.source as DatasetVersion['source'],
    pseudonyms: row.pseudonyms,
    warnings: row.warnings,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
  }
}
