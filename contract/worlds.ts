import { z } from 'zod'
import { WorldBlueprint } from './blueprint/index.ts'
import { ErrorDetail } from './errors.ts'
import { idempotencyKeyForm } from './idempotency-key.ts'
import { pageOf, pageQuery, queryBoolean, Timestamp } from './pages.ts'
import { routes } from './route.ts'
import { Activity, activityQuery, activityStreamQuery, Diff, DiffQuery, TwinInstanceRecord } from './twins.ts'

/** Meaning is checked by the compiler, which reads the limits from `meta`: a wrong form is 400 and a wrong shape 422. */
export const ForgeWorldRequest = z
  .object({
    blueprint: WorldBlueprint.optional().meta({ description: 'What to build; or name a dataset version.' }),
    datasetVersionId: z
      .string()
      .max(100)
      .nullable()
      .default(null)
      .meta({ description: 'Starts the world from the rows of a dataset version, in place of a blueprint.' }),
    idempotencyKey: z
      .string()
      .meta({ minLength: 1, maxLength: 128, pattern: idempotencyKeyForm.source })
      .nullable()
      .default(null),
    sourceWorldId: z.string().nullable().default(null),
    ttlHours: z.int().min(0).max(4_294_967_295).meta({ minimum: 1, maximum: 720 }).nullable().default(null),
  })
  .meta({ id: 'ForgeWorldRequest' })
export type ForgeWorldRequest = z.infer<typeof ForgeWorldRequest>

export const WorldStatus = z.enum(['forging', 'ready', 'degraded', 'failed', 'retired'])
export type WorldStatus = z.infer<typeof WorldStatus>

/** As it was sent: defaults are not written into it. */
const StoredBlueprint = z
  .record(z.string(), z.unknown())
  .meta({ description: 'The WorldBlueprint as it was sent.' })

export const WorldTwinLink = z
  .object({ service: z.string(), twinInstanceId: z.string(), entityCount: z.int(), seedSha256: z.string() })
  .meta({ id: 'WorldTwinLink' })
export type WorldTwinLink = z.infer<typeof WorldTwinLink>

const tags = z.array(z.string()).meta({ description: 'Words to find the world by.' })
const archived = z
  .boolean()
  .meta({ description: 'Whether lists may leave it out. Its twins are not affected.' })

export const WorldRecord = z
  .object({
    id: z.string(),
    name: z.string(),
    summary: z.string(),
    tenantId: z.string(),
    createdBy: z.string(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    blueprint: StoredBlueprint,
    twins: z.array(WorldTwinLink),
    tags,
    archived,
  })
  .meta({ id: 'WorldRecord' })
export type WorldRecord = z.infer<typeof WorldRecord>

export const WorldVersion = z
  .object({ number: z.int(), rootWorldId: z.string(), parentWorldId: z.string().nullable() })
  .meta({ id: 'WorldVersion' })

export const WorldEvaluation = z
  .object({
    status: z.enum(['materializing', 'ready', 'failed']),
    version: z.int(),
    environmentId: z.string().nullable().default(null),
    environmentVersionId: z.string().nullable().default(null),
    taskSuiteId: z.string().nullable().default(null),
    taskSuiteVersionId: z.string().nullable().default(null),
    error: z.string().nullable().default(null),
    tasks: z
      .array(
        z.object({
          key: z.string(),
          membershipId: z.string(),
          taskId: z.string(),
          title: z.string(),
          scorers: z.array(z.object({ key: z.string(), scorerId: z.string() })),
        }),
      )
      .default([]),
  })
  .meta({ id: 'WorldEvaluation' })
export type WorldEvaluation = z.infer<typeof WorldEvaluation>

export const WorldResponse = z
  .object({
    world: WorldRecord,
    version: WorldVersion,
    twins: z.array(TwinInstanceRecord),
    status: WorldStatus,
    launchError: z.string().nullable(),
    evaluation: WorldEvaluation.nullable(),
    warnings: z.array(z.string()).optional(),
  })
  .meta({ id: 'WorldResponse' })
export type WorldResponse = z.infer<typeof WorldResponse>

export const WorldSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    summary: z.string(),
    createdBy: z.string(),
    createdAt: Timestamp,
    version: WorldVersion,
    status: WorldStatus,
    services: z.array(z.string()),
    tags,
    archived,
  })
  .meta({ id: 'WorldSummary' })
export type WorldSummary = z.infer<typeof WorldSummary>

export const Validation = z
  .object({
    valid: z.boolean(),
    errors: z.array(ErrorDetail),
    warnings: z.array(z.string()),
    summary: z
      .object({
        services: z.array(z.object({ service: z.string(), entityCount: z.int(), seedSha256: z.string() })),
        people: z.int(),
        tasks: z.int(),
      })
      .nullable(),
  })
  .meta({ id: 'Validation' })
export type Validation = z.infer<typeof Validation>

export const EnvironmentVersion = z
  .object({
    id: z.string(),
    environment_id: z.string(),
    number: z.int(),
    world_id: z.string(),
    clock: Timestamp,
    services: z.array(z.object({ service: z.string(), entity_count: z.int(), seed_sha256: z.string() })),
    created_at: Timestamp,
  })
  .meta({ id: 'EnvironmentVersion' })
export type EnvironmentVersion = z.infer<typeof EnvironmentVersion>

export const Environment = z
  .object({
    id: z.string(),
    name: z.string(),
    root_world_id: z.string(),
    latest_version_id: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Environment' })

export const WorldUpdate = z
  .object({
    tags: z.array(z.string().trim().min(1).max(40)).max(20).optional(),
    archived: z.boolean().optional(),
  })
  .meta({ id: 'WorldUpdate' })
export type WorldUpdate = z.infer<typeof WorldUpdate>

export const BranchRequest = z
  .object({
    at: z.string().min(1).max(100).meta({
      description: 'The request after which the branch begins: a `request_id` of the activity.',
    }),
    name: z.string().min(1).max(200).optional(),
    ttlHours: z.int().min(1).max(720).nullable().default(null),
  })
  .meta({ id: 'BranchRequest' })
export type BranchRequest = z.infer<typeof BranchRequest>

const service = z.string().max(40).optional()
const worldParams = z.object({ worldId: z.string() })
const environmentParams = z.object({ environmentId: z.string() })

export const worldRoutes = routes({
  launchWorld: {
    method: 'POST',
    path: '/v1/builder/worlds',
    tag: 'Worlds',
    summary:
      'Compile a blueprint or take a dataset version, save a world version, and start one twin for each service.',
    scope: 'worlds:write',
    body: ForgeWorldRequest,
    status: 201,
    otherStatus: 200,
    reply: WorldResponse,
    errors: [
      'invalid_blueprint',
      'capacity_exceeded',
      'not_found',
      'idempotency_conflict',
      'invalid_idempotency_key',
    ],
    shapeError: 'invalid_shape',
    looseBelow: '/blueprint',
    creates: true,
  },
  listWorlds: {
    method: 'GET',
    path: '/v1/builder/worlds',
    tag: 'Worlds',
    summary: 'List worlds, newest first.',
    scope: 'worlds:read',
    query: z.object({
      ...pageQuery,
      root_world_id: z.string().max(100).optional(),
      tag: z.string().max(40).optional(),
      archived: queryBoolean.optional().meta({ description: 'Only archived worlds, or only others.' }),
    }),
    reply: pageOf(WorldSummary),
    errors: ['invalid_cursor'],
  },
  validateBlueprint: {
    method: 'POST',
    path: '/v1/builder/worlds/validate',
    tag: 'Worlds',
    summary: 'Compile without launching: every error and every warning.',
    scope: 'worlds:read',
    body: z.object({ blueprint: z.unknown() }).meta({ id: 'ValidateRequest' }),
    reply: Validation,
  },
  readBlueprintSchema: {
    method: 'GET',
    path: '/v1/builder/blueprint.schema.json',
    tag: 'Worlds',
    summary: 'JSON Schema (2020-12) of a blueprint.',
    scope: 'none',
    reply: z.record(z.string(), z.unknown()),
  },
  readSampleBlueprint: {
    method: 'GET',
    path: '/v1/builder/blueprint.sample.json',
    tag: 'Worlds',
    summary: 'The sample company: a whole blueprint to start from.',
    scope: 'none',
    reply: z.record(z.string(), z.unknown()),
  },
  readWorld: {
    method: 'GET',
    path: '/v1/builder/worlds/{worldId}',
    tag: 'Worlds',
    summary: 'Read a world with the live statuses of its twins.',
    scope: 'worlds:read',
    params: worldParams,
    reply: WorldResponse,
    errors: ['not_found'],
  },
  updateWorld: {
    method: 'PATCH',
    path: '/v1/builder/worlds/{worldId}',
    tag: 'Worlds',
    summary: 'Tag a world, or archive it; fields left out stay as they are.',
    scope: 'worlds:write',
    params: worldParams,
    body: WorldUpdate,
    reply: WorldResponse,
    errors: ['not_found'],
  },
  listWorldVersions: {
    method: 'GET',
    path: '/v1/builder/worlds/{worldId}/versions',
    tag: 'Worlds',
    summary: 'The lineage of a world, newest first.',
    scope: 'worlds:read',
    params: worldParams,
    query: z.object(pageQuery),
    reply: pageOf(WorldSummary),
    errors: ['not_found', 'invalid_cursor'],
  },
  listWorldActivity: {
    method: 'GET',
    path: '/v1/builder/worlds/{worldId}/activity',
    tag: 'Worlds',
    summary: 'Requests to all twins of a world, newest first.',
    scope: 'worlds:read',
    params: worldParams,
    query: z.object({ ...activityQuery, service }),
    reply: pageOf(Activity),
    errors: ['not_found', 'invalid_cursor'],
  },
  streamWorldActivity: {
    method: 'GET',
    path: '/v1/builder/worlds/{worldId}/activity/stream',
    tag: 'Worlds',
    summary:
      'New requests to all twins of a world as they are recorded, as server-sent events; resumes after the last one seen.',
    scope: 'worlds:read',
    params: worldParams,
    query: z.object({ ...activityStreamQuery, service }),
    gives: 'text/event-stream',
    errors: ['not_found', 'invalid_cursor', 'unavailable'],
  },
  diffWorld: {
    method: 'GET',
    path: '/v1/builder/worlds/{worldId}/diff',
    tag: 'Worlds',
    summary: 'What changed against the seeds, over all twins.',
    scope: 'worlds:read',
    params: worldParams,
    query: DiffQuery,
    reply: Diff,
    errors: ['not_found', 'invalid_cursor'],
  },
  resetWorld: {
    method: 'POST',
    path: '/v1/builder/worlds/{worldId}/reset',
    tag: 'Worlds',
    summary: 'Return all twins of a world to their seeds.',
    scope: 'worlds:write',
    params: worldParams,
    reply: WorldResponse,
    errors: ['not_found', 'conflict'],
  },
  branchWorld: {
    method: 'POST',
    path: '/v1/builder/worlds/{worldId}/branch',
    tag: 'Worlds',
    summary:
      'Start a world as another one was after one of its requests, to go on differently from there. It starts a new lineage, without tasks.',
    scope: 'worlds:write',
    params: worldParams,
    body: BranchRequest,
    status: 201,
    reply: WorldResponse,
    errors: ['not_found', 'conflict', 'capacity_exceeded'],
    creates: true,
  },
  stopWorld: {
    method: 'POST',
    path: '/v1/builder/worlds/{worldId}/stop',
    tag: 'Worlds',
    summary: 'Stop all twins of a world.',
    scope: 'worlds:write',
    params: worldParams,
    reply: WorldResponse,
    errors: ['not_found'],
  },
  deleteWorld: {
    method: 'DELETE',
    path: '/v1/builder/worlds/{worldId}',
    tag: 'Worlds',
    summary:
      'Delete a world that has ended, with its twins, their ledgers and its environment version, unless a task or an evaluation uses it. It cannot be undone.',
    scope: 'worlds:write',
    params: worldParams,
    status: 204,
    errors: ['not_found', 'conflict'],
  },
  listEnvironments: {
    method: 'GET',
    path: '/v1/environments',
    tag: 'Environments',
    summary: 'List environments (one for each lineage of worlds), newest first.',
    scope: 'worlds:read',
    query: z.object(pageQuery),
    reply: pageOf(Environment),
    errors: ['invalid_cursor'],
  },
  readEnvironment: {
    method: 'GET',
    path: '/v1/environments/{environmentId}',
    tag: 'Environments',
    summary: 'Read one environment.',
    scope: 'worlds:read',
    params: environmentParams,
    reply: Environment,
    errors: ['not_found'],
  },
  listEnvironmentVersions: {
    method: 'GET',
    path: '/v1/environments/{environmentId}/versions',
    tag: 'Environments',
    summary: 'The published versions of an environment, newest first.',
    scope: 'worlds:read',
    params: environmentParams,
    query: z.object(pageQuery),
    reply: pageOf(EnvironmentVersion),
    errors: ['not_found', 'invalid_cursor'],
  },
})
