import type { TraceCreate } from '@diorama/contract'
import type { OrganizationLimits } from '../auth/organization-limits.ts'
import type { Config } from '../config.ts'
import { createDatasetPart } from '../datasets/open.ts'
import { openDeliveries } from '../deliveries/open.ts'
import type { FairUse } from '../http/limits/fair-use.ts'
import type { Metrics } from '../http/metrics.ts'
import type { ModelCatalog } from '../models/models.ts'
import type { Log } from '../storage/log.ts'
import type { Sealing } from '../storage/secrets/sealing.ts'
import type { Storage } from '../storage/storage.ts'
import { chooseEmbedder } from '../telemetry/search/choose-embedder.ts'
import { openTelemetry } from '../telemetry/telemetry.ts'
import { recordChangesIn } from '../twins/ledger/record-changes.ts'
import { openTwinRuntime } from '../twins/open.ts'
import type { TwinModel } from '../twins/registry.ts'
import { createWorldClocks } from '../worlds/clock/clocks.ts'
import { speakBy } from '../worlds/coworkers/speak.ts'
import { openWorldPart } from '../worlds/open.ts'
import { sampleModels } from '../worlds/sample.ts'
import { composeAgents } from './agents.ts'
import { composeEvaluations } from './evaluations.ts'
import { composeModels } from './models.ts'
import { createSharedAuthority, createSharedSandbox } from './sandbox.ts'
import { composeScoring } from './scoring.ts'
import { composeSuites } from './suites.ts'

export interface NounDeps {
  readonly config: Config
  readonly storage: Storage
  /** Encrypts secrets before they are stored. */
  readonly sealing: Sealing
  readonly fairUse: FairUse
  readonly limitsOf: OrganizationLimits['read']
  readonly metrics: Metrics
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
  readonly version: string
  readonly holder: string
  readonly models?: readonly TwinModel[]
  /** Where this process is reached; known once it listens. */
  readonly state: { readonly baseUrl: string; readonly address: string }
}

/** The twins, and what they send. */
const composeTwins = (parts: NounDeps, models: () => ModelCatalog) => {
  const { config, state } = parts
  const clocks = createWorldClocks({
    db: parts.storage.db,
    now: parts.now,
    holder: parts.holder,
    log: parts.log,
    actsOf: (service) => runtime.registry.find(service)?.twin.acts,
    speak: (organizationId) =>
      speakBy(async (name) => (await models().of(organizationId, { source: 'coworker' })).open(name)),
  })
  const runtime = openTwinRuntime({
    ...parts,
    models: parts.models ?? sampleModels(),
    place: () => ({ baseUrl: config.twinOrigin ?? state.baseUrl, version: parts.version }),
    address: () => state.address,
    ...runtimeSettings(config),
    fairUse: parts.fairUse,
    limitsOf: parts.limitsOf,
    movement: clocks.connect,
  })
  const deliveries = openDeliveries({
    ...parts,
    runtime,
    allow: config.deliveryAllow,
    baseUrl: () => config.twinOrigin ?? state.baseUrl,
  })
  return { runtime, deliveries, clocks }
}

/** Puts the nouns of the service together; what one needs of another is handed over here and nowhere else. */
export const composeNouns = (parts: NounDeps) => {
  const { config, storage, sealing, metrics, log, now, random, holder } = parts
  const shared = { config, storage, sealing, metrics, log, now, random, holder }
  const { runtime, deliveries, clocks } = composeTwins(parts, () => modelPart.catalog)
  const { db, makeId } = storage
  const suitePart = composeSuites({ db, judgeModel: config.judgeModel, now, makeId })
  const worldPart = openWorldPart({ storage, runtime, materialize: suitePart.materialize, clocks, log, now })
  const { worlds } = worldPart
  const datasetPart = createDatasetPart({ ...shared, runtime, worlds })
  const sandbox = createSharedSandbox({ config, log })
  const authority = createSharedAuthority(config)
  const recordTrace = (organizationId: string, trace: TraceCreate) =>
    telemetry.traces.track(organizationId, trace, JSON.stringify(trace).length)
  const modelPart = composeModels({ ...shared, runs: () => evaluations.store })
  const agentPart = composeAgents({
    ...shared,
    models: modelPart.catalog,
    ...{ sandbox, authority },
    runtime,
    worlds,
    recordTrace,
    attach: ({ organizationId, worldId }) => evaluations.attach(organizationId, worldId ?? ''),
  })
  const telemetry = openTelemetry({
    ...shared,
    recordRun: agentPart.runs.observe,
    twinChanges: recordChangesIn({
      db: storage.db,
      show: async (organizationId, twinId, texts) => {
        const row = await runtime.store.find(organizationId, twinId)
        return row && runtime.host.inspect(row, { what: 'changes', texts })
      },
    }),
    embedder: chooseEmbedder({ ...config, ...config.providers.openai, model: config.embeddingModel }),
    retentionDays: config.eventRetentionDays,
  })
  const scoringPart = composeScoring({
    ...shared,
    ...{ suites: suitePart.suites, library: suitePart.library, db, makeId },
    models: modelPart.catalog,
    worlds,
    runtime,
    telemetry,
    sandbox,
    graded: (organizationId, trialId) => evaluations.graded(organizationId, trialId),
    lastPassing: (organizationId, taskId) => evaluations.lastPassing(organizationId, taskId),
  })
  const evaluations = composeEvaluations({
    ...shared,
    ...{ runtime, deliveries },
    ...{ clocks, worlds, branch: worldPart.branch, suitePart },
    ...{ agentPart, modelPart, sandbox, authority },
    scoring: scoringPart.scoring,
    recordTrace: (organizationId, trace) =>
      telemetry.traces.track(organizationId, trace, JSON.stringify(trace).length, { runKnown: true }),
    hasTrace: telemetry.traces.has,
    baseUrl: () => parts.state.baseUrl,
  })
  return {
    runtime,
    deliveries,
    suitePart,
    worldPart,
    datasetPart,
    modelPart,
    agentPart,
    telemetry,
    scoringPart,
    evaluations,
    sandbox,
    clocks,
  }
}
const runtimeSettings = (config: Config) => ({
  bodyLimitBytes: config.twinBodyLimitBytes,
  twinOrigin: config.twinOrigin,
  alone: config.databaseUrl === undefined,
  dataDir: config.dataDir,
  isolates: config.twinIsolates,
})

export type Nouns = ReturnType<typeof composeNouns>
