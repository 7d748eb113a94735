import type { WorldBlueprint } from '@diorama/contract'
import type { ForgeWorldRequest } from '@diorama/contract/worlds'
import type { CompiledSeed, FrozenSeed } from '@diorama/twin-kit/kernel/seed'
import { ApiError } from '../http/api-error.ts'
import type { Caller } from '../http/handler.ts'
import { summary } from '../http/parse.ts'
import type { Log } from '../storage/log.ts'
import type { Registry } from '../twins/registry.ts'
import type { Seeds } from '../twins/seeds.ts'
import { checkBlueprint, compileBlueprint, seedWarnings, warningText } from './compile.ts'
import type { WorldStore } from './store.ts'

/** What a launch will start: from a blueprint, or from the rows of a dataset. */
export interface Plan {
  readonly name: string
  readonly summary: string
  readonly clock: string
  /** What the world's record shows as its blueprint. */
  readonly stored: Record<string, unknown>
  readonly seeds: readonly PlannedSeed[]
  readonly warnings: readonly string[]
  /** Why there are no seeds. */
  readonly error: string | null
  readonly datasetVersionId: string | null
}

export interface PlannedSeed {
  readonly kind: string
  readonly sha256: string
  readonly entityCount: number
  readonly frozen: FrozenSeed
  /** Set where the seed has to be saved with the world. */
  readonly compiled?: CompiledSeed
}

export interface PlanDeps {
  readonly store: WorldStore
  readonly seeds: Seeds
  readonly registry: Registry
  readonly log: Log
}

export interface PlanOrder {
  readonly caller: Caller
  readonly request: ForgeWorldRequest
  readonly sent: Record<string, unknown>
}

export const planLaunch = (deps: PlanDeps, order: PlanOrder): Plan | Promise<Plan> => {
  const { blueprint, datasetVersionId } = order.request
  if (datasetVersionId !== null) {
    if (blueprint) throw misfit('/datasetVersionId', 'cannot be given with a blueprint')
    return fromDataset(deps, order.caller, datasetVersionId)
  }
  if (!blueprint)
    throw misfit('/blueprint', 'must be given, or datasetVersionId in its place', 'invalid_shape')
  return fromBlueprint(deps, blueprint, order.sent)
}

const misfit = (pointer: string, message: string, code: 'malformed' | 'invalid_shape' = 'malformed') => {
  const details = [{ pointer, message }]
  return new ApiError(code, summary('The body does not fit', details), { details })
}

const fromBlueprint = (deps: PlanDeps, blueprint: WorldBlueprint, sent: Record<string, unknown>): Plan => {
  const { errors, warnings } = checkBlueprint(blueprint, deps.registry)
  if (errors.length > 0) throw badBlueprint(errors)
  const { compiled, error } = compileOrFail(deps, blueprint)
  return {
    name: blueprint.name,
    summary: blueprint.summary,
    clock: blueprint.clock,
    stored: sent,
    seeds: compiled.map((one) => {
      const frozen = deps.seeds.remember(one)
      if (!frozen) throw new Error(`the service ${one.seed.kind} is not available`)
      return {
        kind: one.seed.kind,
        sha256: one.sha256,
        entityCount: one.entityCount,
        frozen,
        compiled: one,
      }
    }),
    warnings: [...warnings, ...compiled.flatMap(seedWarnings)].map(warningText),
    error,
    datasetVersionId: null,
  }
}

const badBlueprint = (errors: readonly { pointer: string; message: string }[]): ApiError => {
  const details = errors.map(({ pointer, message }) => ({ pointer: `/blueprint${pointer}`, message }))
  return new ApiError('invalid_blueprint', summary('The blueprint does not make sense', details), { details })
}

/** A bug in a twin's seed is a failed launch that is kept, not a failed request. */
const compileOrFail = (
  { registry, log }: PlanDeps,
  blueprint: WorldBlueprint,
): { compiled: CompiledSeed[]; error: string | null } => {
  try {
    return { compiled: compileBlueprint(blueprint, registry), error: null }
  } catch (error) {
    log.error(
      { event: 'blueprint.compile_failed', error },
      'A blueprint that passed its checks did not compile.',
    )
    return {
      compiled: [],
      error: `The blueprint could not be compiled: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

const fromDataset = async ({ store, seeds }: PlanDeps, caller: Caller, id: string): Promise<Plan> => {
  const version = await store.datasetVersion(caller.organizationId, id)
  if (!version) throw new ApiError('not_found', 'There is no such dataset version.')
  const loaded = await Promise.all(
    version.services.map(async ({ service, seed_sha256, entity_count }) => ({
      kind: service,
      sha256: seed_sha256,
      entityCount: entity_count,
      frozen: await seeds.load(seed_sha256),
    })),
  )
  const { organization } = version.company
  const records = version.services.reduce((sum, { entity_count }) => sum + entity_count, 0)
  const clock = version.clock.toISOString()
  const summaryText = `${records} records of version ${version.number} of the dataset ${version.name}.`
  return {
    name: version.name,
    summary: summaryText,
    clock,
    stored: {
      name: version.name,
      summary: summaryText,
      clock,
      organization,
      identities: [],
      scenario: { title: version.name, narrative: summaryText, threads: [], tasks: [], suggestedTasks: [] },
      twins: {},
      datasetVersionId: id,
    },
    seeds: loaded,
    warnings: [],
    error: null,
    datasetVersionId: id,
  }
}
