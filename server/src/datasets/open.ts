import { join } from 'node:path'
import type { datasetRoutes } from '@diorama/contract'
import type { Handlers } from '../http/handler.ts'
import type { Storage } from '../storage/storage.ts'
import type { TwinRuntime } from '../twins/open.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { datasetHandlers } from './routes.ts'
import { createSnapshots } from './snapshots.ts'
import { datasetStore } from './store.ts'
import { createWorldCompany } from './world-company.ts'

export interface DatasetPartDeps {
  readonly storage: Storage
  readonly runtime: TwinRuntime
  readonly worlds: Worlds
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
      requireTwin: runtime.twins.require,
      requireWorld: worlds.require,
    }),
  }
}
