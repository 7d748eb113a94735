import type { cassetteRoutes, modelCallRoutes, modelProviderRoutes } from '@diorama/contract'
import type { Config } from '../config.ts'
import type { Handlers } from '../http/handler.ts'
import { createModelAccess, type ModelAccess } from '../models/access.ts'
import { callHandlers, type JobLookup } from '../models/calls/routes.ts'
import { type CallStore, callStore } from '../models/calls/store.ts'
import { openUpstream } from '../models/calls/upstream.ts'
import { type CassetteRuns, type Cassettes, createCassettes } from '../models/cassettes/cassettes.ts'
import { cassetteHandlers } from '../models/cassettes/routes.ts'
import { createModelCatalog, type ModelCatalog } from '../models/models.ts'
import { configuredProviders } from '../models/providers/configured.ts'
import { type ModelProviders, openModelProviders } from '../models/providers/providers.ts'
import { modelProviderHandlers } from '../models/providers/routes.ts'
import { createTryProvider } from '../models/providers/try-provider.ts'
import { jitterFrom } from '../models/retry.ts'
import type { Log } from '../storage/log.ts'
import type { Sealing } from '../storage/secrets/sealing.ts'
import type { Storage } from '../storage/storage.ts'

export interface ModelDeps {
  readonly config: Config
  readonly storage: Storage
  readonly sealing: Sealing
  /** Runs, once they are composed. */
  readonly runs: () => CassetteRuns & JobLookup
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
}

export interface ModelPart {
  readonly providers: ModelProviders
  readonly catalog: ModelCatalog
  readonly access: ModelAccess
  readonly cassettes: Cassettes
  readonly calls: CallStore
  readonly handlers: Handlers<typeof modelProviderRoutes & typeof modelCallRoutes & typeof cassetteRoutes>
  close(): void
}

/** Puts models together: providers as data, and what judges, drafts, chats and agents reach through them. */
export const composeModels = ({ config, storage, sealing, runs, log, now, random }: ModelDeps): ModelPart => {
  const { prices, timeoutMs, privateHosts = [] } = config.models
  const providers = openModelProviders({
    db: storage.db,
    wake: storage.wake,
    sealing,
    defaults: configuredProviders(config),
    prices,
    privateHosts,
    now,
  })
  const { db, makeId } = storage
  const upstream = openUpstream({ timeoutMs })
  const cassettes = createCassettes({
    db,
    runs: {
      unfinished: (jobIds) => runs().unfinished(jobIds),
      isUsed: (organizationId, cassette) => runs().isUsed(organizationId, cassette),
    },
    now,
    makeId,
  })
  const calls = callStore(db)
  const access = createModelAccess({ providers, cassettes, calls, upstream, log, now, makeId })
  return {
    providers,
    catalog: createModelCatalog({ providers, access, timeoutMs, jitter: jitterFrom(random) }),
    access,
    cassettes,
    calls,
    handlers: {
      ...modelProviderHandlers(providers, createTryProvider({ access })),
      ...callHandlers(calls, {
        findJob: (organizationId, id) => runs().findJob(organizationId, id),
        findTrial: (jobId, id) => runs().findTrial(jobId, id),
      }),
      ...cassetteHandlers(cassettes),
    },
    close: () => {
      providers.close()
      upstream.close()
    },
  }
}
