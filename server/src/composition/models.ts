import type { Config } from '../config.ts'
import { createModelCatalog, type ModelCatalog } from '../models/models.ts'
import { configuredProviders } from '../models/providers/configured.ts'
import { type ModelProviders, openModelProviders } from '../models/providers/providers.ts'
import { modelProviderHandlers } from '../models/providers/routes.ts'
import type { Sealing } from '../storage/secrets/sealing.ts'
import type { Storage } from '../storage/storage.ts'

export interface ModelDeps {
  readonly config: Config
  readonly storage: Storage
  readonly sealing: Sealing
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
}

export interface ModelPart {
  readonly providers: ModelProviders
  readonly catalog: ModelCatalog
  readonly handlers: ReturnType<typeof modelProviderHandlers>
  close(): void
}

/** Puts models together: providers as data, and what judges, drafts, chats and agents reach through them. */
export const composeModels = ({ config, storage, sealing, now, random }: ModelDeps): ModelPart => {
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
  return {
    providers,
    catalog: createModelCatalog({ providers, timeoutMs, chance: () => (random(1)[0] ?? 0) / 256 }),
    handlers: modelProviderHandlers(providers),
    close: providers.close,
  }
}
