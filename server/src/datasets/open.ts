import { join } from 'node:path'
import type { datasetRoutes } from '@diorama/contract'
import type { Handlers } from '../http/handler.ts'
import type { Storage } from '../storage/storage.ts'
import { type FindReference, firstReference } from '../storage/tables/references.ts'
import type { TwinRuntime } from '../twins/open.ts'
import { datasetTwins } from '../twins/references.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { datasetHandlers } from './routes.ts'
import { createSnapshots } from './snapshots.ts'
import { datasetStore } from './store.ts'
import { createWorldCompany } from './world-company.ts'

export interface DatasetPartDeps {
  readonly storage: Storage
  readonly runtime: TwinRuntime
  readonly worlds: Worlds
  /** What other nouns have that begins with a version of a dataset. */
  readonly references: FindReference
  readonly config: { readonly dataDir: string; readonly datasetLimitBytes: number }
  readonly now: () => number
}

export interface DatasetPart {
  readonly handlers: Handlers<typeof datasetRoutes>
}

/** Everything about datasets: imports, exports and snapshots. */
export const createDatasetPart = ({
  storage,
  runtime,
  worlds,
  references,
  config,
  now,
}: DatasetPartDeps): DatasetPart => {
  const { db, makeId } = storage
  const { registry, host } = runtime
  const store = datasetStore(db)
  const company = createWorldCompany({ worlds: worlds.store, registry })
  const snapshots = createSnapshots({ db, store, twins: runtime.store, host, company, now, makeId })
  return {
    handlers: datasetHandlers({
      ...{ db, store, registry, snapshots, now, makeId },
      folder: join(config.dataDir, 'imports'),
      maxBytes: config.datasetLimitBytes,
      referenceTo: firstReference([references, datasetTwins(db)]),
      requireTwin: runtime.twins.require,
      requireWorld: worlds.require,
    }),
  }
}
