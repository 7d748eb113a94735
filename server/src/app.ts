import type { FastifyInstance } from 'fastify'
import { openAuthenticator } from './auth/authenticate.ts'
import { bootstrap } from './auth/bootstrap.ts'
import { openOrganizations } from './auth/organizations.ts'
import { authHandlers } from './auth/routes.ts'
import { authStore } from './auth/store.ts'
import type { Config } from './config.ts'
import { mountConsole } from './http/console.ts'
import { closeEdge, openEdge } from './http/edge.ts'
import { healthHandlers } from './http/health.ts'
import { openIdempotency } from './http/idempotency.ts'
import { openMetrics } from './http/metrics.ts'
import { every } from './http/schedule.ts'
import { oneSandbox } from './one-sandbox.ts'
import type { Log } from './storage/log.ts'
import type { Storage } from './storage/storage.ts'
import { chooseEmbedder } from './telemetry/choose-embedder.ts'
import { telemetryHandlers } from './telemetry/routes.ts'
import { openTelemetry } from './telemetry/telemetry.ts'
import { twinChangesIn } from './telemetry/twin-changes.ts'
import { openTwinRuntime, type TwinRuntime } from './twins/open.ts'
import type { TwinModel } from './twins/registry.ts'
import { twinHandlers } from './twins/routes.ts'
import { wireAgents } from './wire-agents.ts'
import { wireEvaluations } from './wire-evaluations.ts'
import { wireScoring } from './wire-scoring.ts'
import { wireSuites } from './wire-suites.ts'
import { openWorldPart } from './worlds/open.ts'
import { sampleModels } from './worlds/sample.ts'

export interface AppParts {
  readonly config: Config
  readonly storage: Storage
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
  readonly version: string
  /** Names this life of this process wherever a lease is held. */
  readonly holder: string
  /** The services that can be copied; those of the product when left out. */
  readonly models?: readonly TwinModel[]
}

export interface App {
  readonly edge: FastifyInstance
  readonly runtime: TwinRuntime
  readonly agents: ReturnType<typeof wireAgents>
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
  const state = { draining: false, baseUrl: config.baseUrl ?? '', address: '' }
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
  const runtime = openTwinRuntime({
    storage,
    models: parts.models ?? sampleModels(),
    log,
    metrics,
    now,
    random,
    holder,
    place: () => ({ baseUrl: state.baseUrl, version }),
    address: () => state.address,
    bodyLimitBytes: config.twinBodyLimitBytes,
    alone: config.databaseUrl === undefined,
    dataDir: config.dataDir,
  })
  const suitePart = wireSuites({ db: storage.db, judgeModel: config.judgeModel, now, makeId })
  const worldPart = openWorldPart({ storage, runtime, materialize: suitePart.materialize, log, now })
  const sandbox = oneSandbox({ config, log })
  const agentPart = wireAgents({
    sandbox,
    metrics,
    config,
    storage,
    runtime,
    worlds: worldPart.worlds,
    recordTrace: (organizationId, trace) =>
      telemetry.traces.track(organizationId, trace, JSON.stringify(trace).length),
    log,
    now,
    random,
  })
  const telemetry = openTelemetry({
    recordRun: agentPart.runs.observe,
    twinChanges: twinChangesIn(storage),
    storage,
    log,
    now,
    holder,
    metrics,
    embedder: chooseEmbedder({ ...config, ...config.providers.openai, model: config.embeddingModel }),
    retentionDays: config.eventRetentionDays,
  })
  const scoringPart = wireScoring({
    config,
    suites: suitePart.suites,
    models: agentPart.models,
    worlds: worldPart.worlds,
    runtime,
    telemetry,
    sandbox,
    log,
    now,
    random,
  })
  const evaluations = wireEvaluations({
    config,
    storage,
    runtime,
    worlds: worldPart.worlds,
    suitePart,
    agentPart,
    judge: scoringPart.judge,
    sandbox,
    recordTrace: (organizationId, trace) =>
      telemetry.traces.track(organizationId, trace, JSON.stringify(trace).length),
    holder,
    log,
    now,
    random,
  })
  const edge = await openEdge({
    handlers: {
      ...healthHandlers({ state, metrics, version }),
      ...authHandlers({
        organizations,
        authenticator,
        store,
        usage: usageOf({ runtime, running: evaluations.store.countRunning, now }),
      }),
      ...worldPart.handlers,
      ...suitePart.handlers,
      ...scoringPart.handlers,
      ...evaluations.handlers,
      ...agentPart.handlers,
      ...telemetryHandlers({ telemetry, now }),
      ...twinHandlers({ ...runtime, seedOf: worldPart.seedOf }),
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
  await runtime.mount(edge)
  await mountConsole(edge, {
    dataDir: config.dataDir,
    random,
    now,
    authenticate: authenticator.authenticate,
    baseUrl: () => state.baseUrl,
  })
  const sweeps = [
    every(10_000, worldPart.resume, log),
    every(5_000, authenticator.flushUse, log),
    every(3_600_000, idempotency.sweep, log),
    every(3_600_000, agentPart.sweep, log),
  ]
  state.address = await edge.listen({ host: config.host, port: config.port })
  state.baseUrl = config.baseUrl ?? state.address
  await runtime.start()
  if (config.roles.includes('worker')) await evaluations.startWorker(config.databaseUrl === undefined)
  return {
    edge,
    runtime,
    agents: agentPart,
    get baseUrl() {
      return state.baseUrl
    },
    firstKey,
    drain: async () => {
      state.draining = true
      for (const stop of sweeps) await stop()
      telemetry.endStreams()
      await evaluations.close()
      await closeEdge(edge)
      agentPart.close()
      await sandbox.close()
      await telemetry.drain()
      await runtime.close()
      await authenticator.flushUse()
      authenticator.close()
    },
  }
}

const usageFreshMs = 1_000

/** What an organization has in use; counted at most once a second. */
const usageOf = ({
  runtime,
  running,
  now,
}: {
  runtime: TwinRuntime
  running: (organizationId: string) => Promise<number>
  now: () => number
}) => {
  const counted = new Map<string, { at: number; live_twins: number; running_trials: number }>()
  return async (organizationId: string) => {
    const last = counted.get(organizationId)
    if (last && now() - last.at < usageFreshMs)
      return { live_twins: last.live_twins, running_trials: last.running_trials }
    const [live_twins, running_trials] = await Promise.all([
      runtime.store.countLive(organizationId),
      running(organizationId),
    ])
    if (counted.size > 10_000) counted.clear()
    counted.set(organizationId, { at: now(), live_twins, running_trials })
    return { live_twins, running_trials }
  }
}
