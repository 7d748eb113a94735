import type { clockRoutes, sampleRoutes, worldRoutes } from '@diorama/contract'
import type { Handlers } from '../http/handler.ts'
import type { Log } from '../storage/log.ts'
import type { Storage } from '../storage/storage.ts'
import { type FindReference, firstReference } from '../storage/tables/references.ts'
import type { TwinRuntime } from '../twins/open.ts'
import { environmentTwins } from '../twins/references.ts'
import { type Branch, createBranch } from './branch.ts'
import type { WorldClocks } from './clock/clocks.ts'
import { clockHandlers } from './clock/routes.ts'
import { createWorldTime } from './clock/world-time.ts'
import { type Launcher, type Materialize, openLauncher } from './launch.ts'
import { type CheckSyntax, worldHandlers } from './routes.ts'
import { sampleCompany } from './sample.ts'
import { createSaveWorld, type SaveWorld } from './save-world.ts'
import { type FindDataset, worldStore } from './store.ts'
import { openWorlds, type Worlds } from './worlds.ts'

export interface WorldPartParts {
  readonly storage: Storage
  readonly runtime: TwinRuntime
  readonly materialize?: Materialize
  readonly datasetVersion: FindDataset
  /** What other nouns have that begins with an environment version. */
  readonly references: FindReference
  readonly clocks: WorldClocks
  readonly checkSyntax: CheckSyntax
  readonly log: Log
  readonly now: () => number
}

/** Without suites there is nothing that a task could become. */
const noSuites: Materialize = async () => {
  throw new Error('this deployment has no task suites')
}

export interface WorldPart {
  readonly worlds: Worlds
  readonly branch: Branch
  readonly save: SaveWorld
  readonly handlers: Handlers<typeof worldRoutes & typeof sampleRoutes & typeof clockRoutes>
  /** Finishes launches that an earlier life of a process left. */
  readonly resume: Launcher['resume']
  /** The seed of one service in an environment version. */
  readonly seedOf: (
    organizationId: string,
    environmentVersionId: string,
    service: string,
  ) => Promise<{ readonly sha256: string; readonly entityCount: number } | undefined>
}

/** Everything about worlds: launching, reading, and the environments they publish. */
export const openWorldPart = ({
  storage,
  runtime,
  materialize = noSuites,
  datasetVersion,
  references,
  clocks,
  checkSyntax,
  log,
  now,
}: WorldPartParts): WorldPart => {
  const { db, makeId } = storage
  const { twins, host, seeds, registry, activity, streams } = runtime
  const store = worldStore(db, datasetVersion)
  const launcher = openLauncher({
    ...{ db, store, twins, seeds, registry, materialize, clocks, log, now, makeId },
  })
  const branch = createBranch({ launcher, host, activity, seeds })
  const worlds = openWorlds({
    store,
    twins,
    host,
    activity: runtime.activity,
    clocks,
    retention: runtime.retention,
    referenceTo: firstReference([references, environmentTwins(db)]),
  })
  const worldTime = createWorldTime({ worlds, clocks, host, twins, registry, now, makeId })
  return {
    worlds,
    handlers: {
      ...worldHandlers({
        ...{ worlds, launcher, branch, activity, streams, registry, checkSyntax },
        sample: sampleCompany,
      }),
      ...clockHandlers(worldTime, host.nodes),
    },
    branch,
    save: createSaveWorld({ launcher, worlds }),
    resume: launcher.resume,
    seedOf: async (organizationId: string, environmentVersionId: string, service: string) => {
      const version = await store.environmentVersion(organizationId, environmentVersionId)
      const found = version?.services.find((one) => one.service === service)
      return found && { sha256: found.seed_sha256, entityCount: found.entity_count }
    },
  }
}
