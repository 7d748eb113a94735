import { createHash } from 'node:crypto'
import { WorldBlueprint } from '@diorama/contract'
import type { UnknownField } from '@diorama/contract/fields'
import { limitFaults } from '@diorama/contract/limits'
import { ForgeWorldRequest, type WorldEvaluation } from '@diorama/contract/worlds'
import { canonicalJson } from '@diorama/twin-kit/kernel/canonical'
import type { Kysely } from 'kysely'
import { ApiError, notFound } from '../http/api-error.ts'
import type { Caller } from '../http/handler.ts'
import { onceForKey } from '../http/idempotency/once-for-key.ts'
import { summary } from '../http/parse.ts'
import type { Log } from '../storage/log.ts'
import { transactionFor } from '../storage/tables/transaction.ts'
import type { Registry } from '../twins/registry.ts'
import type { Seeds } from '../twins/seeds.ts'
import type { TwinRow } from '../twins/store.ts'
import type { TwinTables } from '../twins/tables.ts'
import type { Twins } from '../twins/twins.ts'
import type { WorldClocks } from './clock/clocks.ts'
import { moves, scriptOf } from './clock/script.ts'
import { unknownWarning } from './compile.ts'
import { type Plan, planLaunch } from './plan.ts'
import type { WorldRow, WorldStore } from './store.ts'
import type { WorldTables } from './tables.ts'

/** Makes a suite, tasks and scorers of a world's tasks; the suites' part of the service. */
export type Materialize = (order: {
  organizationId: string
  createdBy: string
  worldId: string
  versionNumber: number
  environmentVersionId: string
  blueprint: WorldBlueprint
}) => Promise<Pick<WorldEvaluation, 'taskSuiteId' | 'taskSuiteVersionId' | 'tasks'>>

export interface LaunchParts {
  readonly db: Kysely<WorldTables>
  readonly store: WorldStore
  readonly twins: Twins
  readonly seeds: Seeds
  readonly registry: Registry
  readonly materialize: Materialize
  readonly clocks: Pick<WorldClocks, 'create'>
  readonly log: Log
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

export interface Launched {
  readonly row: WorldRow
  readonly twins: readonly TwinRow[]
  readonly warnings: readonly string[]
  /** False when the idempotency key was used before: nothing new was made. */
  readonly fresh: boolean
}

interface LaunchOrder {
  readonly caller: Caller
  readonly request: ForgeWorldRequest
  /** The blueprint as it was sent. */
  readonly sent: Record<string, unknown>
  readonly unknownFields: readonly UnknownField[]
}

const defaultTtlHours = 72
const maxWaitMs = 50_000

export interface Launcher {
  readonly launch: (order: LaunchOrder) => Promise<Launched>
  /** Starts a world that was planned without a request for a launch. */
  readonly start: (
    order: { readonly caller: Caller; readonly ttlHours: number | null },
    plan: Plan,
  ) => Promise<Launched>
  /** Ends launches that a process that died had begun. */
  readonly resume: () => Promise<void>
}

/** Launches worlds: compile, save, start, seed; once for each idempotency key. */
export const openLauncher = (parts: LaunchParts): Launcher => {
  const { store, log } = parts

  const launch = async (order: LaunchOrder): Promise<Launched> => {
    const { caller, request } = order
    checkRequest(request)
    const fingerprint = fingerprintOf(order)
    const outcome = await onceForKey({
      key: request.idempotencyKey,
      fingerprint,
      find: (key) => store.findByKey(caller.organizationId, key),
      isAnswered: ({ launching }) => !launching,
      make: async (): Promise<Launched | undefined> => {
        const plan = await planLaunch(parts, order)
        const saved = await save(parts, order, fingerprint, plan)
        if (!saved) return undefined
        const warnings = [...order.unknownFields.map(unknownWarning), ...plan.warnings]
        return { ...(await finish(saved.worldId, saved.twins, plan.error)), warnings, fresh: true }
      },
      maxWaitMs,
      tooSlow: () =>
        new ApiError('unavailable', 'The first launch with this key has not ended yet.', {
          retryAfterSeconds: 5,
        }),
    })
    if ('made' in outcome) return outcome.made
    const row = outcome.earlier
    return { row, twins: await parts.twins.store.ofWorlds([row.id]), warnings: [], fresh: false }
  }

  /** Starts the twins and sets the tasks up; also what resumes a launch that a process left behind. */
  const finish = async (worldId: string, rows: readonly TwinRow[], compileError: string | null) => {
    const twins = await Promise.all(
      rows.map((row) => (row.status === 'provisioning' ? parts.twins.provision(row) : row)),
    )
    const failed = twins.find(({ status }) => status === 'failed')
    const launchError =
      compileError ?? (failed ? `The ${failed.service} twin could not be started: ${failed.error}` : null)
    const row = await parts.db
      .selectFrom('worlds')
      .selectAll()
      .where('id', '=', worldId)
      .executeTakeFirstOrThrow()
    const evaluation = await evaluationOf(parts, row, launchError)
    const ended = await store.update(worldId, {
      launchError,
      evaluation,
      launching: false,
      at: new Date(parts.now()),
    })
    return { row: ended, twins }
  }

  const start: Launcher['start'] = async ({ caller, ttlHours }, plan) => {
    const request = ForgeWorldRequest.parse({ ttlHours })
    const order = { caller, request, sent: plan.stored, unknownFields: [] }
    const saved = await save(parts, order, fingerprintOf(order), plan)
    if (!saved) throw new Error('a launch without a key found one')
    return { ...(await finish(saved.worldId, saved.twins, plan.error)), warnings: plan.warnings, fresh: true }
  }

  return {
    launch,
    start,
    resume: async (): Promise<void> => {
      for (const world of await store.unfinished(new Date(parts.now() - 60_000))) {
        log.warn({ event: 'launch.resumed', world: world.id }, 'A launch is taken up again.')
        await finish(world.id, await parts.twins.store.ofWorlds([world.id]), world.launch_error)
      }
    },
  }
}

const checkRequest = ({ idempotencyKey, ttlHours }: ForgeWorldRequest): void => {
  const { idempotencyKey: keySchema, ttlHours: ttlSchema } = ForgeWorldRequest.shape
  const key = limitFaults(keySchema, idempotencyKey, '/idempotencyKey')
  if (key.length > 0)
    throw new ApiError('invalid_idempotency_key', summary('The request does not fit', key), { details: key })
  const ttl = limitFaults(ttlSchema, ttlHours, '/ttlHours')
  if (ttl.length > 0)
    throw new ApiError('malformed', summary('The request does not fit', ttl), { details: ttl })
}

const fingerprintOf = ({ request, sent }: LaunchOrder): string =>
  createHash('sha256')
    .update(
      canonicalJson([
        request.datasetVersionId ?? sent,
        request.sourceWorldId,
        request.ttlHours ?? defaultTtlHours,
      ]),
    )
    .digest('hex')

/** The world, its environment version and its twins in one transaction; undefined when the key was taken meanwhile. */
const save = async (parts: LaunchParts, order: LaunchOrder, fingerprint: string, plan: Plan) => {
  const { db, store, twins, seeds, makeId, now } = parts
  const { caller, request } = order
  const source =
    request.sourceWorldId === null
      ? undefined
      : await store.find(caller.organizationId, request.sourceWorldId)
  if (request.sourceWorldId !== null && !source) throw notFound('world')
  const worldId = makeId('wld')
  const rootWorldId = source?.root_world_id ?? worldId
  const versionId = makeId('envv')
  const at = new Date(now())
  // A world of which nothing is said runs at the wall's speed, each twin from its own start.
  const clockId = request.blueprint && moves(request.blueprint) ? makeId('clk') : null
  const orders = plan.seeds.map(({ frozen, entityCount }, position) => ({
    organizationId: caller.organizationId,
    createdBy: caller.keyId,
    worldId,
    position,
    seed: frozen,
    entityCount,
    environmentVersionId: versionId,
    datasetVersionId: plan.datasetVersionId,
    trialId: null,
    clockId,
    ttlMs: (request.ttlHours ?? defaultTtlHours) * 3_600_000,
  }))
  const rows = orders.map((one) => twins.newRow(one, 'provisioning'))
  const saved = await db.transaction().execute(async (trx) => {
    const twinTrx = transactionFor<TwinTables>(trx)
    await twins.checkCapacity(caller, rows.length, twinTrx)
    for (const { compiled } of plan.seeds) if (compiled) await seeds.save(compiled, twinTrx)
    const number = await store.nextVersion(rootWorldId, trx)
    const inserted = await store.insert(
      {
        id: worldId,
        organization_id: caller.organizationId,
        root_world_id: rootWorldId,
        parent_world_id: source?.id ?? null,
        version_number: number,
        name: plan.name,
        summary: plan.summary,
        blueprint: JSON.stringify(plan.stored),
        created_by: caller.keyId,
        created_at: at,
        updated_at: at,
        launch_error: null,
        launching: true,
        idempotency_key: request.idempotencyKey,
        fingerprint,
        environment_version_id: versionId,
        evaluation: null,
      },
      trx,
    )
    if (!inserted) return false
    const services = plan.seeds.map(({ kind, entityCount, sha256 }) => ({
      service: kind,
      entity_count: entityCount,
      seed_sha256: sha256,
    }))
    await store.publish(
      {
        id: versionId,
        environmentId: makeId('env'),
        organizationId: caller.organizationId,
        rootWorldId,
        worldId,
        name: plan.name,
        clock: new Date(plan.clock),
        number,
        services,
        at,
      },
      trx,
    )
    if (clockId !== null && request.blueprint)
      await parts.clocks.create(
        {
          id: clockId,
          organizationId: caller.organizationId,
          worldId,
          trialId: null,
          startsAt: Date.parse(request.blueprint.clock),
          script: scriptOf(request.blueprint),
        },
        trx,
      )
    if (rows.length > 0) await twins.store.insert(rows, twinTrx)
    return true
  })
  if (saved) for (const { sha256 } of plan.seeds) seeds.committed(sha256)
  return saved ? { worldId, twins: rows.map(twins.rowOf) } : undefined
}

const evaluationOf = async (
  parts: LaunchParts,
  row: WorldRow,
  launchError: string | null,
): Promise<WorldEvaluation | null> => {
  if (!hasTasks(row.blueprint) || row.environment_version_id === null) return null
  const blueprint = WorldBlueprint.parse(row.blueprint)
  const version = await parts.store.environmentVersion(row.organization_id, row.environment_version_id)
  const base = {
    version: row.version_number,
    environmentId: version?.environment_id ?? null,
    environmentVersionId: row.environment_version_id,
    taskSuiteId: null,
    taskSuiteVersionId: null,
    tasks: [],
  }
  if (launchError !== null) return { ...base, status: 'failed', error: launchError }
  try {
    const made = await parts.materialize({
      organizationId: row.organization_id,
      createdBy: row.created_by,
      worldId: row.id,
      versionNumber: row.version_number,
      environmentVersionId: row.environment_version_id,
      blueprint,
    })
    return { ...base, ...made, status: 'ready', error: null }
  } catch (error) {
    parts.log.error(
      { event: 'launch.tasks_failed', world: row.id, error },
      "A world's tasks could not be set up.",
    )
    return { ...base, status: 'failed', error: error instanceof Error ? error.message : String(error) }
  }
}

const hasTasks = ({ scenario }: Record<string, unknown>): boolean => {
  const tasks = (scenario as { tasks?: unknown } | undefined)?.tasks
  return Array.isArray(tasks) && tasks.length > 0
}
