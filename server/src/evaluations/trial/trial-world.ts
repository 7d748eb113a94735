import type { FrozenTask, TrialStep, Variant } from '@diorama/contract'
import type { ClockMode } from '@diorama/contract/blueprint/moving'
import { Instance } from '@diorama/twin-kit/kernel/instance'
import type { OpenModelAccess } from '../../models/access.ts'
import type { WorldChanges } from '../../scoring/unasked.ts'
import { type StoryPart, worldFile } from '../../scoring/world-file.ts'
import { stateText } from '../../twins/isolates/inspect.ts'
import type { TwinRow } from '../../twins/store.ts'
import type { WorldClocks } from '../../worlds/clock/clocks.ts'
import { modeOf } from '../../worlds/clock/script.ts'
import type { Speak } from '../../worlds/events/planned.ts'
import type { WorldSource } from '../../worlds/source.ts'
import { openVariation } from '../variants/open-variation.ts'
import type { TracedRequest, Variation } from '../variants/variation.ts'
import type { RecordedDecoyCall } from './decoys/crowd.ts'
import { storyPart } from './story/story-part.ts'
import { AttemptVoided } from './voided.ts'
import { type AccessParts, openAccess, type WorldAccess } from './world-access.ts'

/** More than a trial can make: its requests have a budget, and each can be preceded by one step that came due. */
const maxActivity = 1_000_000
const maxChanges = 1_000_000
const maxWorldBytes = 256 * 1_048_576
const twinTtlMs = 2 * 3_600_000

export interface TrialWorldParts extends Omit<AccessParts, 'clock'> {
  readonly source: WorldSource
  /** The clocks that the twins of trials share. */
  readonly clocks: WorldClocks
  readonly makeId: (prefix: string) => string
}

/** The file by which scorers see a world, and what happened to it. */
export interface WorldState extends WorldChanges {
  readonly requests: readonly TracedRequest[]
  readonly file: Uint8Array
}

/** A fresh copy of a world for one trial. */
export interface TrialWorld extends WorldAccess {
  readonly twins: readonly TwinRow[]
  /** What the variant of the trial does to it; undefined for a plain one. */
  readonly variation: Variation | undefined
  /** The file by which scorers see the world as it is now, with every request of the agent. */
  readonly state: () => Promise<WorldState>
  /** The same file for the world as it was before the agent. */
  readonly untouched: () => Promise<Uint8Array>
  /** Ends the twins and the way to them, once; their records stay. */
  readonly close: () => Promise<void>
}

export interface TrialPlace {
  readonly organizationId: string
  readonly trialId: string
  readonly attempt: number
  readonly createdBy: string
  readonly environmentVersionId: string | null
  readonly variant: Variant | null
  /** The same for every agent at the same repetition of a task. */
  readonly variantSeed: string
  /** What its task asks of the way to the world. */
  readonly task: Pick<FrozenTask, 'crowding' | 'container' | 'instruction' | 'expected_outcome' | 'scorers'>
}

export class NoSuchEnvironment extends Error {
  override readonly name = 'NoSuchEnvironment'
}

/** Forks the twins and opens the way to them. */
export const openTrialWorld = async (
  parts: TrialWorldParts,
  place: TrialPlace,
  models: OpenModelAccess,
  speak?: Speak,
): Promise<TrialWorld> => {
  const { runtime } = parts
  const { slug, twins, clockId, seedClocks, agent } = await forkTwins(parts, place)
  models.clocks.push(...seedClocks)
  let stop: WorldAccess['stop'] | undefined
  const clock =
    clockId === null
      ? undefined
      : await parts.clocks.follow(
          clockId,
          speak && voiced(speak, (reason) => stop?.({ by: 'platform', reason })),
        )
  const { task, variant, variantSeed: seed } = place
  const variation = await openVariation(variant, { ...parts, clockId, twins, seed, agent, task })
  const access = await openAccess({ ...parts, clock, faults: variation?.faults }, twins, {
    organizationId: place.organizationId,
    slug,
    models,
    crowding: task.crowding,
    onlyHosts: task.container?.allowed_hosts,
  })
  stop = access.stop
  let closing: Promise<void> | undefined
  const end = async () => {
    await access[Symbol.asyncDispose]()
    if (clockId !== null) parts.clocks.forget(clockId)
    await runtime.twins.stop(twins)
  }
  const close = () => {
    closing ??= end()
    return closing
  }
  return {
    ...access,
    twins,
    variation,
    state: () =>
      completeState(parts, twins, {
        story: clock && storyPart(clock, access.waits()),
        decoyCalls: access.decoyCalls(),
        steps: access.steps(),
      }),
    untouched: () => untouchedState(parts, twins),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A fresh copy of the twins of an environment version, with a clock that they share. */
export const forkTwins = async (
  { runtime, source, clocks, makeId }: ForkDeps,
  place: ForkPlace,
): Promise<Fork> => {
  const { organizationId, trialId, attempt, createdBy, environmentVersionId } = place
  // An earlier attempt may have left its copies behind; they are not used again.
  if (attempt > 1) await runtime.twins.stop(await runtime.store.ofTrial(trialId))
  if (environmentVersionId === null)
    return { slug: '', twins: [], clockId: null, clockMode: null, seedClocks: [], agent: '' }
  const environment = await source.environment(organizationId, environmentVersionId)
  if (!environment) throw new NoSuchEnvironment(`There is no environment version ${environmentVersionId}.`)
  const { slug, startsAt, script } = environment
  // A world without services has nothing that could happen.
  const clockId = environment.services.length === 0 ? null : makeId('clk')
  if (clockId !== null)
    await clocks.create({ id: clockId, organizationId, worldId: null, trialId, startsAt, script })
  const orders = await Promise.all(
    environment.services.map(async ({ seedSha256, entityCount }, position) => ({
      organizationId,
      createdBy,
      worldId: null,
      position,
      seed: await runtime.seeds.load(seedSha256),
      entityCount,
      environmentVersionId,
      datasetVersionId: environmentVersionId.startsWith('dsv_') ? environmentVersionId : null,
      trialId,
      clockId,
      ttlMs: twinTtlMs,
    })),
  )
  const seedClocks = [...new Set(orders.map(({ seed }) => seed.seed.clock))]
  const clockMode = clockId === null ? null : modeOf(script.time, true)
  const { agent } = script
  return { slug, twins: await runtime.twins.fork(orders), clockId, clockMode, seedClocks, agent }
}

/** A colleague whom a model plays and who gets no words is the platform's failure, never the agent's. */
const voiced =
  (speak: Speak, failed: (reason: string) => void): Speak =>
  async (speech) => {
    try {
      return await speak(speech)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      failed(`The model that plays ${speech.person} gave no answer: ${why}`)
      throw error
    }
  }

export type ForkDeps = Pick<TrialWorldParts, 'runtime' | 'source' | 'clocks' | 'makeId'>
export type ForkPlace = Omit<TrialPlace, 'variant' | 'variantSeed' | 'task'>

export interface Fork {
  readonly slug: string
  readonly twins: readonly TwinRow[]
  readonly clockId: string | null
  readonly clockMode: ClockMode | null
  /** The times at which the seeds of its services begin. */
  readonly seedClocks: readonly number[]
  /** The handle of the person whose account the agent acts as. */
  readonly agent: string
}

type StateDeps = Pick<TrialWorldParts, 'runtime'>

/** The file by which scorers see these twins as they are now. */
export const stateNow = async (deps: StateDeps, twins: readonly TwinRow[]): Promise<Uint8Array> =>
  (await stateWithActivity(deps, twins)).file

const stateWithActivity = async (
  { runtime }: StateDeps,
  twins: readonly TwinRow[],
  story?: StoryPart,
  decoyCalls: readonly RecordedDecoyCall[] = [],
) => {
  const services = await Promise.all(
    twins.map(async (row) => ({
      service: row.service,
      text: await runtime.host.inspect(row, { what: 'state' }),
    })),
  )
  const diffs = await Promise.all(
    twins.map((row) => runtime.host.inspect(row, { what: 'diff', limit: maxChanges })),
  )
  const activity = await runtime.activity.whole(twins, maxActivity)
  return {
    file: worldFile(services, [...activity, ...decoyCalls], story),
    changes: diffs.flatMap(({ items }) => items),
    requests: activity,
  }
}

/** The world as the agent left it. One that it made too large to be written down is the agent's failure. */
export const finalState = async (
  world: Pick<TrialWorld, 'twins' | 'state'>,
): Promise<{ state?: WorldState | undefined; unreadable?: string }> => {
  if (world.twins.length === 0) return {}
  try {
    const state = await world.state()
    if (state.file.length <= maxWorldBytes) return { state }
  } catch (error) {
    // A text or buffer longer than the engine can hold.
    if (!(error instanceof RangeError)) throw error
  }
  const size = `${maxWorldBytes / 1_048_576} MiB`
  return { unreadable: `The agent made the world larger than ${size}, which no scorer can read.` }
}

export interface StateParts {
  readonly story: StoryPart | undefined
  readonly decoyCalls: readonly RecordedDecoyCall[]
  /** Every request of the agent. */
  readonly steps: readonly TrialStep[]
}

/** What scorers see of these twins as they are now, with every request of the agent. */
export const completeState = async (
  deps: StateDeps,
  twins: readonly TwinRow[],
  { story, decoyCalls, steps }: StateParts,
): Promise<WorldState> => {
  const state = await stateWithActivity(deps, twins, story, decoyCalls)
  requireComplete(steps, state.requests)
  return state
}

/** A scorer that is shown less than the agent did would judge by it: a request missing from the ledger voids the attempt. */
const requireComplete = (steps: readonly TrialStep[], activity: readonly { request_id: string }[]): void => {
  const recorded = new Set(activity.map(({ request_id }) => request_id))
  const missing = steps.filter(({ detail }) => {
    const id = detail?.request_id
    return typeof id === 'string' && !recorded.has(id)
  })
  if (missing.length > 0)
    throw new AttemptVoided(
      'platform',
      `${missing.length} requests of the agent are missing from the ledger.`,
      {
        steps,
      },
    )
}

/** The file of a world as it was seeded, from the seeds of its twins. */
export const untouchedState = async (
  { runtime }: StateDeps,
  twins: readonly { readonly service: string; readonly seed_sha256: string }[],
): Promise<Uint8Array> => {
  const services = await Promise.all(
    twins.map(async ({ service, seed_sha256 }) => {
      const seed = await runtime.seeds.load(seed_sha256)
      return { service, text: stateText(new Instance({ seed, principals: [] })) }
    }),
  )
  return worldFile(services, [])
}
