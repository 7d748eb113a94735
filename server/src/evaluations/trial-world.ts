import type { WorldStateFile } from '@diorama/sandbox/verifier/world-state'
import { worldFile } from '../scoring/world-file.ts'
import type { TwinRuntime } from '../twins/open.ts'
import { stateOf } from '../twins/records.ts'
import type { TwinRow } from '../twins/store.ts'
import { type AccessParts, openAccess, type WorldAccess } from './world-access.ts'

const mostActivity = 5_000
const twinTtlMs = 2 * 3_600_000

export interface WorldSource {
  /** Seeds of an environment version, and the slug of its company. */
  readonly environment: (
    organizationId: string,
    environmentVersionId: string,
  ) => Promise<
    | {
        slug: string
        services: readonly { service: string; seedSha256: string; entityCount: number }[]
      }
    | undefined
  >
}

export interface TrialWorldParts extends AccessParts {
  readonly source: WorldSource
}

/** A fresh copy of a world for one trial. */
export interface TrialWorld extends WorldAccess {
  readonly twins: readonly TwinRow[]
  /** The world as it is now, for scorers. */
  readonly state: () => Promise<WorldStateFile>
}

export interface TrialPlace {
  readonly organizationId: string
  readonly trialId: string
  readonly createdBy: string
  readonly environmentVersionId: string | null
}

export class NoSuchEnvironment extends Error {
  override readonly name = 'NoSuchEnvironment'
}

/** Forks the twins and opens the way to them; disposing of it ends both and leaves their records. */
export const openTrialWorld = async (parts: TrialWorldParts, place: TrialPlace): Promise<TrialWorld> => {
  const { runtime } = parts
  const { slug, twins } = await forkTwins(parts, place)
  const access = await openAccess(parts, twins, slug)
  return {
    ...access,
    twins,
    state: () => stateNow(runtime, twins),
    [Symbol.asyncDispose]: async () => {
      await access[Symbol.asyncDispose]()
      await runtime.twins.stop(twins)
    },
  }
}

const forkTwins = async ({ runtime, source }: TrialWorldParts, place: TrialPlace) => {
  const { organizationId, trialId, createdBy, environmentVersionId } = place
  // An earlier attempt may have left its copies behind; nobody will look at them again.
  await runtime.twins.stop(await runtime.store.ofTrial(trialId))
  if (environmentVersionId === null) return { slug: '', twins: [] }
  const environment = await source.environment(organizationId, environmentVersionId)
  if (!environment) throw new NoSuchEnvironment(`There is no environment version ${environmentVersionId}.`)
  const orders = await Promise.all(
    environment.services.map(async ({ seedSha256, entityCount }, position) => ({
      organizationId,
      createdBy,
      worldId: null,
      position,
      seed: await runtime.seeds.load(seedSha256),
      entityCount,
      environmentVersionId,
      trialId,
      ttlMs: twinTtlMs,
    })),
  )
  return { slug: environment.slug, twins: await runtime.twins.fork(orders) }
}

const stateNow = async (runtime: TwinRuntime, twins: readonly TwinRow[]): Promise<WorldStateFile> => {
  const looked = await Promise.all(twins.map((row) => runtime.twins.look(row)))
  const activity = (
    await Promise.all(looked.map((twin) => runtime.activity.whole(twin, mostActivity)))
  ).flat()
  activity.sort((a, b) => (a.request_id < b.request_id ? -1 : 1))
  return worldFile(
    looked.map(({ service, instance }) => stateOf(service, instance)),
    activity,
  )
}
