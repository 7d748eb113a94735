import { worldFile } from '../../scoring/world-file.ts'
import type { TwinRow } from '../../twins/store.ts'
import { type AccessParts, openAccess, type WorldAccess } from './world-access.ts'
import type { WorldTexts } from './world-texts.ts'

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
  readonly texts: WorldTexts
}

/** A fresh copy of a world for one trial. */
export interface TrialWorld extends WorldAccess {
  readonly twins: readonly TwinRow[]
  /** The file that tells scorers of the world as it is now. */
  readonly state: () => Promise<Uint8Array>
  /** Ends the twins and the way to them, once; their records stay. */
  readonly close: () => Promise<void>
}

export interface TrialPlace {
  readonly organizationId: string
  readonly trialId: string
  readonly attempt: number
  readonly createdBy: string
  readonly environmentVersionId: string | null
}

export class NoSuchEnvironment extends Error {
  override readonly name = 'NoSuchEnvironment'
}

/** Forks the twins and opens the way to them. */
export const openTrialWorld = async (parts: TrialWorldParts, place: TrialPlace): Promise<TrialWorld> => {
  const { runtime } = parts
  const { slug, twins } = await forkTwins(parts, place)
  const access = await openAccess(parts, twins, slug)
  let closing: Promise<void> | undefined
  const end = async () => {
    await access[Symbol.asyncDispose]()
    await runtime.twins.stop(twins)
  }
  const close = () => {
    closing ??= end()
    return closing
  }
  return {
    ...access,
    twins,
    state: () => stateNow(parts, twins),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const forkTwins = async ({ runtime, source }: TrialWorldParts, place: TrialPlace) => {
  const { organizationId, trialId, attempt, createdBy, environmentVersionId } = place
  // An earlier attempt may have left its copies behind; nobody will look at them again.
  if (attempt > 1) await runtime.twins.stop(await runtime.store.ofTrial(trialId))
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

/** The file that tells scorers of these twins as they are now. */
export const stateNow = async (
  { runtime, texts }: Pick<TrialWorldParts, 'runtime' | 'texts'>,
  twins: readonly TwinRow[],
): Promise<Uint8Array> => {
  const looked = await Promise.all(twins.map((row) => runtime.twins.look(row)))
  return worldFile(
    looked.map((twin) => ({ service: twin.service, text: texts.of(twin) })),
    await runtime.activity.whole(looked, mostActivity),
  )
}
