import { z } from 'zod'
import { PageQuery, pageOf, pageQuery, queryBoolean, queryInteger, Timestamp } from './pages.ts'
import { routes } from './route.ts'

export const twinStatuses = ['provisioning', 'running', 'degraded', 'stopped', 'expired', 'failed'] as const
export const TwinStatus = z.enum(twinStatuses)
export type TwinStatus = z.infer<typeof TwinStatus>
/** Statuses of a twin that takes up room. */
export const liveStatuses: readonly TwinStatus[] = ['provisioning', 'running', 'degraded']

const optional = z.string().nullable()

export const TwinInstanceRecord = z
  .object({
    id: z.string(),
    service: z.string(),
    status: TwinStatus,
    image: z.string(),
    tenantId: z.string(),
    createdBy: z.string(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    expiresAt: Timestamp.nullable(),
    token: z.string().meta({ description: 'The bearer token the twin accepts. It is a secret.' }),
    baseUrl: optional,
    mcpUrl: optional.meta({
      description: 'Where agents reach the twin by the Model Context Protocol, with the same token.',
    }),
    error: optional,
    environmentVersionId: optional,
    datasetVersionId: optional,
    scenarioId: optional,
    hostAppName: optional,
    hostMachineId: optional,
    region: optional,
  })
  .meta({ id: 'TwinInstanceRecord' })
export type TwinInstanceRecord = z.infer<typeof TwinInstanceRecord>

export const CoverageEntry = z.object({
  operation: z.string(),
  status: z.enum(['done', 'partial', 'not emulated']),
  missing: z.string().optional(),
  evidence: z.enum(['documented', 'observed', 'chosen']).optional(),
})

export const TwinModel = z
  .object({
    id: z.string(),
    stands_for: z.string(),
    hosts: z.array(z.string()),
    coverage: z.array(CoverageEntry),
    summary: z.object({ done: z.int(), partial: z.int(), not_emulated: z.int() }),
  })
  .meta({ id: 'TwinModel' })

const ttl = z.int().min(1).max(720)

export const TwinCreate = z
  .object({
    service: z.string().min(1).max(40),
    ttl_hours: ttl.default(72),
    environment_version_id: z.string().max(100).nullable().default(null),
    dataset_version_id: z
      .string()
      .max(100)
      .nullable()
      .default(null)
      .meta({ description: 'Begins with the rows of a dataset version.' }),
  })
  .meta({ id: 'TwinCreate' })
export type TwinCreate = z.infer<typeof TwinCreate>

const record = z.record(z.string(), z.unknown())

export const Mutation = z
  .object({
    collection: z.string(),
    operation: z.enum(['create', 'update', 'delete']),
    id: z.string(),
    key: z.string().nullable().meta({ description: 'The blueprint key, where the record was seeded.' }),
    before: record.nullable(),
    after: record.nullable(),
  })
  .meta({ id: 'Mutation' })

const activityFields = {
  request_id: z.string(),
  twin_id: z.string(),
  service: z.string(),
  at: Timestamp,
  world_time: Timestamp.meta({ description: "The world's own clock at the request." }),
  duration_ms: z.number(),
  operation: z.string(),
  actor: z.object({ id: z.string(), name: z.string(), subject: z.string() }).nullable(),
  mutation_count: z.int(),
  not_emulated: z.array(z.string()),
  refused: z.string().nullable().meta({
    description:
      'Why the service refused the request, in its own words: an error status, `ok: false`, GraphQL errors, a failed part or a fault. Null where it did not.',
  }),
  cause: z.string().nullable().meta({
    description:
      'What made the world do this on its own: `event:` and its key, or `clock`. Null for a request that somebody made.',
  }),
}

export const Activity = z
  .object({
    ...activityFields,
    request: z.object({ method: z.string(), path: z.string() }),
    response: z.object({ status: z.int() }),
  })
  .meta({ id: 'Activity' })
export type Activity = z.infer<typeof Activity>

const Payload = {
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  encoding: z.enum(['text', 'base64']),
  size: z.int(),
  truncated: z.boolean(),
}

export const ActivityDetail = z
  .object({
    ...activityFields,
    request: z.object({ method: z.string(), path: z.string(), query: z.string(), ...Payload }),
    response: z.object({ status: z.int(), ...Payload }),
    truncated: z.boolean(),
    mutations: z.array(Mutation),
  })
  .meta({ id: 'ActivityDetail' })
export type ActivityDetail = z.infer<typeof ActivityDetail>

export const DiffEntry = z
  .object({
    service: z.string(),
    collection: z.string(),
    operation: z.enum(['create', 'update', 'delete']),
    key: z.string().nullable(),
    id: z.string(),
    before: record.nullable(),
    after: record.nullable(),
    changed: z.record(z.string(), z.tuple([z.unknown(), z.unknown()])),
  })
  .meta({ id: 'DiffEntry' })
export type DiffEntry = z.infer<typeof DiffEntry>

export const DiffSummary = z.object({ created: z.int(), updated: z.int(), deleted: z.int() })
export const Diff = z
  .object({
    summary: DiffSummary.meta({ description: 'Counts all of it, whatever the page.' }),
    items: z.array(DiffEntry),
    more: z
      .string()
      .nullable()
      .meta({ description: 'Where the next page begins: send it as `after`. Null on the last page.' }),
  })
  .meta({ id: 'Diff' })
export type Diff = z.infer<typeof Diff>

/** What a difference takes: a page is large, so that most differences are one. */
export const DiffQuery = z.object({
  limit: queryInteger(1, 10_000).default(10_000).meta({ description: 'Changes a page, at most 10,000.' }),
  after: z.string().max(2_000).optional().meta({ description: '`more` of the page before.' }),
  by: z.enum(['agent', 'world']).optional().meta({
    description: 'Only what callers changed, or only what the world did on its own; both when left out.',
  }),
})
export type DiffQuery = z.infer<typeof DiffQuery>

export const TwinState = z
  .object({
    collection: z.string().nullable(),
    collections: z.array(z.object({ name: z.string(), count: z.int() })),
    items: z.array(z.object({ id: z.string(), key: z.string().nullable(), record })),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'TwinState' })

export const TwinIdentity = z
  .object({
    subject: z.string().meta({ description: 'The handle of a person, or `integration`.' }),
    native_id: z.string(),
    name: z.string(),
    email: z.string(),
    token: z.string(),
  })
  .meta({ id: 'TwinIdentity' })

const twinParams = z.object({ twinId: z.string() })

const statusForms = 'a status such as 404, a class such as 4xx, or failed for 400 and above'
const ActivityStatus = z
  .union([
    z.int().min(100).max(599),
    z.string().regex(/^([1-5]\d\d|[1-5]xx|failed)$/, { error: `must be ${statusForms}` }),
  ])
  .meta({ description: `One of: ${statusForms}.` })

/** What lists and streams of activity can be narrowed to. */
const activityFilters = {
  operation: z.string().max(200).optional().meta({ description: "The operation's whole name." }),
  status: ActivityStatus.optional(),
  actor: z
    .string()
    .max(400)
    .optional()
    .meta({ description: "The actor's handle, native id or name, whole." }),
  q: z.string().max(200).optional().meta({
    description: "Text that occurs in the operation, the actor's name or the path, in either case.",
  }),
  cause: z.string().max(200).optional().meta({
    description:
      '`agent` for requests that somebody made, `world` for what the world did on its own, or a whole cause.',
  }),
  mutations_only: queryBoolean.optional(),
  refused: queryBoolean
    .optional()
    .meta({ description: 'Only requests that the service refused, in whatever form; false for the others.' }),
  since: z.string().max(40).optional().meta({ description: 'An ISO time, or a window such as last_24h.' }),
}
export const activityQuery = { ...pageQuery, ...activityFilters }
export const activityStreamQuery = {
  ...activityFilters,
  after: z
    .string()
    .max(400)
    .optional()
    .meta({ description: 'The id of the last message seen; Last-Event-ID does the same.' }),
}

export const twinRoutes = routes({
  listTwinModels: {
    method: 'GET',
    path: '/v1/twins/models',
    tag: 'Twins',
    summary: 'The services that can be copied, with what is emulated of each.',
    scope: 'twins:read',
    reply: z.object({ items: z.array(TwinModel), next_cursor: z.null() }),
  },
  listTwins: {
    method: 'GET',
    path: '/v1/twins',
    tag: 'Twins',
    summary: 'List twins, newest first. The copies that trials run in are left out.',
    scope: 'twins:read',
    query: z.object({
      ...pageQuery,
      service: z.string().max(40).optional(),
      status: TwinStatus.optional(),
      world_id: z.string().max(100).optional(),
      standalone: queryBoolean
        .optional()
        .meta({ description: 'Only twins of no world; false for those of worlds.' }),
    }),
    reply: pageOf(TwinInstanceRecord),
    errors: ['invalid_cursor'],
  },
  createTwin: {
    method: 'POST',
    path: '/v1/twins',
    tag: 'Twins',
    summary:
      'Create a standalone twin: with sample data, from an environment version or from a dataset version.',
    scope: 'twins:write',
    body: TwinCreate,
    status: 201,
    reply: TwinInstanceRecord,
    errors: ['capacity_exceeded', 'invalid_reference'],
    creates: true,
  },
  readTwin: {
    method: 'GET',
    path: '/v1/twins/{twinId}',
    tag: 'Twins',
    summary: 'Read one twin.',
    scope: 'twins:read',
    params: twinParams,
    reply: TwinInstanceRecord,
    errors: ['not_found'],
  },
  resetTwin: {
    method: 'POST',
    path: '/v1/twins/{twinId}/reset',
    tag: 'Twins',
    summary: 'Return to the seed. The twin passes through provisioning.',
    scope: 'twins:write',
    params: twinParams,
    reply: TwinInstanceRecord,
    errors: ['not_found', 'conflict'],
  },
  stopTwin: {
    method: 'DELETE',
    path: '/v1/twins/{twinId}',
    tag: 'Twins',
    summary: 'Stop the twin. Its activity and its difference from the seed stay readable.',
    scope: 'twins:write',
    params: twinParams,
    reply: TwinInstanceRecord,
    errors: ['not_found'],
  },
  deleteTwin: {
    method: 'DELETE',
    path: '/v1/twins/{twinId}/records',
    tag: 'Twins',
    summary: 'Delete a twin of no world that has ended, with its ledger and snapshots. It cannot be undone.',
    scope: 'twins:write',
    params: twinParams,
    status: 204,
    errors: ['not_found', 'conflict'],
  },
  listTwinActivity: {
    method: 'GET',
    path: '/v1/twins/{twinId}/activity',
    tag: 'Twins',
    summary: 'Requests to the twin, newest first.',
    scope: 'twins:read',
    params: twinParams,
    query: z.object(activityQuery),
    reply: pageOf(Activity),
    errors: ['not_found', 'invalid_cursor'],
  },
  streamTwinActivity: {
    method: 'GET',
    path: '/v1/twins/{twinId}/activity/stream',
    tag: 'Twins',
    summary:
      'New requests to the twin as they are recorded, as server-sent events; resumes after the last one seen.',
    scope: 'twins:read',
    params: twinParams,
    query: z.object(activityStreamQuery),
    gives: 'text/event-stream',
    errors: ['not_found', 'invalid_cursor', 'unavailable'],
  },
  readTwinActivity: {
    method: 'GET',
    path: '/v1/twins/{twinId}/activity/{requestId}',
    tag: 'Twins',
    summary: 'One request in full, with the records it changed before and after.',
    scope: 'twins:read',
    params: z.object({ twinId: z.string(), requestId: z.string() }),
    reply: ActivityDetail,
    errors: ['not_found'],
  },
  diffTwin: {
    method: 'GET',
    path: '/v1/twins/{twinId}/diff',
    tag: 'Twins',
    summary: 'What changed against the seed.',
    scope: 'twins:read',
    params: twinParams,
    query: DiffQuery,
    reply: Diff,
    errors: ['not_found', 'invalid_cursor'],
  },
  readTwinState: {
    method: 'GET',
    path: '/v1/twins/{twinId}/state',
    tag: 'Twins',
    summary: 'The collections of the twin, and the records of one of them.',
    scope: 'twins:read',
    params: twinParams,
    query: z.object({ ...PageQuery.shape, collection: z.string().max(100).optional() }),
    reply: TwinState,
    errors: ['not_found', 'invalid_cursor', 'invalid_reference'],
  },
  listTwinIdentities: {
    method: 'GET',
    path: '/v1/twins/{twinId}/identities',
    tag: 'Twins',
    summary: 'The people of the twin, with their native ids and a token to act as each.',
    scope: 'twins:write',
    params: twinParams,
    reply: z.object({ items: z.array(TwinIdentity), next_cursor: z.null() }),
    errors: ['not_found'],
  },
})
