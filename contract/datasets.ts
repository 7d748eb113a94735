import { z } from 'zod'
import { DatasetVersion } from './dataset-versions.ts'
import { InputTimestamp, pageOf, pageQuery, queryBoolean, Timestamp } from './pages.ts'
import { routes } from './route.ts'

export const datasetRoutes = routes({
  createDataset: {
    method: 'POST',
    path: '/v1/datasets',
    tag: 'Datasets',
    summary:
      'Import rows as a new immutable version of a dataset: NDJSON, JSON, a zip, or a form that a service exports. All or nothing.',
    scope: 'worlds:write',
    query: z.object({
      name: z.string().min(1).max(120).meta({ description: 'A dataset of this name gets a new version.' }),
      description: z.string().max(2_000).optional().meta({ description: 'What the data is, in a sentence.' }),
      format: z
        .string()
        .max(60)
        .default('rows')
        .meta({ description: 'The form of the data: `rows`, or one of GET /v1/datasets/formats.' }),
      onto: z.string().max(100).optional().meta({
        description:
          'A dataset version whose other services are taken over, to put several exports into one.',
      }),
      organization: z
        .string()
        .max(120)
        .optional()
        .meta({ description: "The company's name, where the data does not say it." }),
      slug: z
        .string()
        .regex(/^[a-z0-9-]{3,20}$/)
        .optional()
        .meta({ description: "The company's short name, as it is in host names." }),
      email_domain: z.string().max(253).optional().meta({ description: "The company's domain." }),
      clock: InputTimestamp.optional().meta({
        description: "The world's now; a minute after the last record when left out.",
      }),
      acts_as: z.string().max(200).optional().meta({
        description: "Whom a twin's own token acts as: a native id, a handle or an e-mail address.",
      }),
      pseudonymize: queryBoolean.optional().meta({
        description:
          'Replace people, e-mail addresses, domains and telephone numbers, the same in all twins.',
      }),
    }),
    takes: [
      'application/x-ndjson',
      'application/json',
      'application/zip',
      'application/x-sqlite3',
      'text/csv',
      'application/octet-stream',
    ],
    streams: true,
    status: 201,
    reply: DatasetVersion,
    errors: ['invalid_dataset', 'invalid_reference', 'not_found', 'too_large', 'unsupported_media_type'],
  },
  listDatasetFormats: {
    method: 'GET',
    path: '/v1/datasets/formats',
    tag: 'Datasets',
    summary: 'The forms of data that can be imported, with the service each becomes.',
    scope: 'worlds:read',
    reply: z.object({
      items: z.array(
        z.object({
          format: z.string(),
          service: z.string().nullable().meta({ description: 'Null for rows, which may be of any service.' }),
          label: z.string(),
          takes: z.enum(['rows', 'files', 'tables']),
        }),
      ),
      next_cursor: z.null(),
    }),
  },
  listDatasets: {
    method: 'GET',
    path: '/v1/datasets',
    tag: 'Datasets',
    summary: 'List datasets, newest first, each with its latest version.',
    scope: 'worlds:read',
    query: z.object(pageQuery),
    reply: pageOf(
      z
        .object({
          id: z.string(),
          name: z.string(),
          description: z.string(),
          created_by: z.string(),
          created_at: Timestamp,
          latest_version: DatasetVersion.nullable(),
        })
        .meta({ id: 'Dataset' }),
    ),
    errors: ['invalid_cursor'],
  },
  deleteDataset: {
    method: 'DELETE',
    path: '/v1/datasets/{datasetId}',
    tag: 'Datasets',
    summary: 'Delete a dataset with all its versions. Refused while a world, twin or task begins with one.',
    scope: 'worlds:write',
    params: z.object({ datasetId: z.string() }),
    status: 204,
    errors: ['not_found', 'conflict'],
  },
  listDatasetVersions: {
    method: 'GET',
    path: '/v1/datasets/{datasetId}/versions',
    tag: 'Datasets',
    summary: 'The versions of a dataset, newest first.',
    scope: 'worlds:read',
    params: z.object({ datasetId: z.string() }),
    query: z.object(pageQuery),
    reply: pageOf(DatasetVersion),
    errors: ['not_found', 'invalid_cursor'],
  },
  readDatasetVersion: {
    method: 'GET',
    path: '/v1/dataset-versions/{versionId}',
    tag: 'Datasets',
    summary: 'Read one version: its company, services and collections.',
    scope: 'worlds:read',
    params: z.object({ versionId: z.string() }),
    reply: DatasetVersion,
    errors: ['not_found'],
  },
  deleteDatasetVersion: {
    method: 'DELETE',
    path: '/v1/dataset-versions/{versionId}',
    tag: 'Datasets',
    summary: 'Delete one version. Refused while a world, twin or task begins with it.',
    scope: 'worlds:write',
    params: z.object({ versionId: z.string() }),
    status: 204,
    errors: ['not_found', 'conflict'],
  },
  listDatasetRows: {
    method: 'GET',
    path: '/v1/dataset-versions/{versionId}/rows',
    tag: 'Datasets',
    summary: 'The rows of one collection, in the order in which they were imported.',
    scope: 'worlds:read',
    params: z.object({ versionId: z.string() }),
    query: z.object({
      ...pageQuery,
      service: z.string().max(40).meta({ description: 'The service whose rows are read.' }),
      collection: z.string().max(100).meta({ description: 'One of the collections of the version.' }),
    }),
    reply: pageOf(z.record(z.string(), z.unknown())),
    errors: ['not_found', 'invalid_cursor', 'invalid_reference'],
  },
  exportDatasetVersion: {
    method: 'GET',
    path: '/v1/dataset-versions/{versionId}/export',
    tag: 'Datasets',
    summary: 'The whole version as NDJSON: exactly what an import takes.',
    scope: 'worlds:read',
    params: z.object({ versionId: z.string() }),
    gives: 'application/x-ndjson',
    errors: ['not_found'],
  },
  exportTwin: {
    method: 'GET',
    path: '/v1/twins/{twinId}/export',
    tag: 'Datasets',
    summary: 'The twin as it is now, as NDJSON: exactly what an import takes.',
    scope: 'twins:read',
    params: z.object({ twinId: z.string() }),
    gives: 'application/x-ndjson',
    errors: ['not_found'],
  },
  exportWorld: {
    method: 'GET',
    path: '/v1/builder/worlds/{worldId}/export',
    tag: 'Datasets',
    summary: 'All twins of the world as they are now, as NDJSON: exactly what an import takes.',
    scope: 'worlds:read',
    params: z.object({ worldId: z.string() }),
    gives: 'application/x-ndjson',
    errors: ['not_found'],
  },
  createSnapshot: {
    method: 'POST',
    path: '/v1/builder/worlds/{worldId}/snapshots',
    tag: 'Datasets',
    summary: 'Keep the world as it is now under a name: a dataset version that worlds can be forked from.',
    scope: 'worlds:write',
    params: z.object({ worldId: z.string() }),
    body: z
      .object({
        name: z.string().min(1).max(120).meta({ description: 'A dataset of this name gets a new version.' }),
        description: z.string().max(2_000).default('').meta({ description: 'Why this state was kept.' }),
      })
      .meta({ id: 'SnapshotCreate' }),
    status: 201,
    reply: DatasetVersion,
    errors: ['not_found', 'conflict'],
    creates: true,
  },
  listSnapshots: {
    method: 'GET',
    path: '/v1/builder/worlds/{worldId}/snapshots',
    tag: 'Datasets',
    summary: 'The snapshots that were taken of this world, newest first.',
    scope: 'worlds:read',
    params: z.object({ worldId: z.string() }),
    query: z.object(pageQuery),
    reply: pageOf(DatasetVersion),
    errors: ['not_found', 'invalid_cursor'],
  },
})
