import type { FastifyInstance } from 'fastify'
import { openAuthenticator } from './auth/authenticate.ts'
import { bootstrap } from './auth/bootstrap.ts'
import { openOrganizations } from './auth/organizations.ts'
import { authHandlers } from './auth/routes.ts'
import { authStore } from './auth/store.ts'
import type { Config } from './config.ts'
import { openEdge } from './http/edge.ts'
import { healthHandlers } from './http/health.ts'
import { openIdempotency } from './http/idempotency.ts'
import { openMetrics } from './http/metrics.ts'
import { every } from './http/schedule.ts'
import type { Log } from './storage/log.ts'
import type { Storage } from './storage/storage.ts'

export interface AppParts {
  readonly config: Config
  readonly storage: Storage
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
  readonly version: string
  /** Names this life of this process wherever a lease is held. */
  readonly holder: string
}

export interface App {
  readonly edge: FastifyInstance
  readonly baseUrl: string
  /** The first key, when this start made it up: to be shown once. */
  readonly firstKey: string | undefined
  /** Takes no new work, finishes what runs, and closes. */
  drain(): Promise<void>
}

/** Puts the parts together: stores, rules, handlers, edge. */
export const openApp = async (parts: AppParts): Promise<App> => {
  const { config, storage, log, now, random, version, holder } = parts
  const { makeId, wake, leases } = storage
  const state = { draining: false, baseUrl: config.baseUrl ?? '' }
  const metrics = openMetrics()
  const store = authStore(storage)
  const organizations = openOrganizations({ store, wake, now, random, makeId })
  const authenticator = openAuthenticator({ store, wake, now })
  const idempotency = openIdempotency({ storage, random, now })
  const firstKey = await bootstrap({
    store,
    organizations,
    leases,
    holder,
    dataDir: config.dataDir,
    apiKey: config.apiKey,
  })
  const edge = await openEdge({
    handlers: {
      ...healthHandlers({ state, metrics, version }),
      ...authHandlers({
        organizations,
        authenticator,
        store,
        usage: async () => ({ live_twins: 0, running_trials: 0 }),
      }),
    },
    authenticate: authenticator.authenticate,
    idempotency,
    metrics,
    log,
    now,
    makeId,
    bodyLimitBytes: config.bodyLimitBytes,
    bundleLimitBytes: config.bundleLimitBytes,
    checkReplies: config.checkReplies,
  })
  const sweeps = [every(5_000, authenticator.flushUse, log), every(3_600_000, idempotency.sweep, log)]
  const address = await edge.listen({ host: config.host, port: config.port })
  state.baseUrl = config.baseUrl ?? address
  return {
    edge,
    get baseUrl() {
      return state.baseUrl
    },
    firstKey,
    drain: async () => {
      state.draining = true
      for (const stop of sweeps) await stop()
      await edge.close()
      await authenticator.flushUse()
      authenticator.close()
    },
  }
}
