import { join } from 'node:path'
import { sharedAuthority } from '@diorama/sandbox/gateway/authority'
import type { SandboxOptions } from '@diorama/sandbox/sandbox'
import { createSharedSandbox, type SharedSandbox } from '@diorama/sandbox/shared-sandbox'
import type { AgentPart } from '../agents/open.ts'
import type { OrganizationLimits } from '../auth/organization-limits.ts'
import { type Config, twinBaseUrl } from '../config.ts'
import { createDatasetPart, type DatasetPart } from '../datasets/open.ts'
import { datasetStore } from '../datasets/store.ts'
import { type Deliveries, openDeliveries } from '../deliveries/open.ts'
import { evaluationReferences } from '../evaluations/references.ts'
import type { FairUse } from '../http/limits/fair-use.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Certificates } from '../http/tls/certificates.ts'
import type { ModelCatalog } from '../models/models.ts'
import { createSharedVerifier } from '../scoring/shared-verifier.ts'
import { type CheckSyntax, createSyntaxCheck } from '../scoring/syntax.ts'
import type { Log } from '../storage/log.ts'
import type { ObjectStore } from '../storage/objects/object-store.ts'
import type { Sealing } from '../storage/secrets/sealing.ts'
import type { Storage } from '../storage/storage.ts'
import { firstReference } from '../storage/tables/references.ts'
import { suiteReferences } from '../suites/references.ts'
import { chooseEmbedder } from '../telemetry/search/choose-embedder.ts'
import { openTelemetry, type Telemetry } from '../telemetry/telemetry.ts'
import { recordChangesIn, showChangesBy } from '../twins/ledger/record-changes.ts'
import { openTwinRuntime, type TwinRuntime } from '../twins/open.ts'
import type { TwinModel } from '../twins/registry.ts'
import { createWorldClocks, type WorldClocks } from '../worlds/clock/clocks.ts'
import { speakBy } from '../worlds/coworkers/speak.ts'
import { openWorldPart, type WorldPart } from '../worlds/open.ts'
import { composeAgents } from './agents.ts'
import { type ComposedEvaluations, composeEvaluations } from './evaluations.ts'
import { composeModels, type ModelPart } from './models.ts'
import { composeScoring, type ScoringPart } from './scoring.ts'
import { composeSuites, type SuitePart } from './suites.ts'

export interface NounDeps {
  readonly config: Config
  readonly storage: Storage
  /** Where large contents are kept, if not in the database. */
  readonly objects: ObjectStore | undefined
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
  /** The services that can be copied. */
  readonly models: readonly TwinModel[]
  /** What this node shows to others; none where it speaks without TLS. */
  readonly certificates: Certificates | undefined
  /** Where this process is reached; known once it listens. */
  readonly state: { readonly baseUrl: string; readonly address: string }
}

/** Twins, what they send, and the clocks of their worlds. */
export interface LiveTwins {
  readonly runtime: TwinRuntime
  readonly deliveries: Deliveries
  readonly clocks: WorldClocks
}

/** The object graph of the service's nouns. */
export interface Nouns extends LiveTwins {
  readonly suitePart: SuitePart
  readonly worldPart: WorldPart
  readonly datasetPart: DatasetPart
  readonly modelPart: ModelPart
  readonly agentPart: AgentPart
  readonly telemetry: Telemetry
  readonly scoringPart: ScoringPart
  readonly evaluations: ComposedEvaluations
  readonly sandbox: SharedSandbox
}

const composeTwins = (parts: NounDeps, models: () => ModelCatalog): LiveTwins => {
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
    place: () => ({ baseUrl: twinBaseUrl(config, state.baseUrl), version: parts.version }),
    address: () => state.address,
    ...runtimeSettings(config),
    fairUse: parts.fairUse,
    limitsOf: parts.limitsOf,
    identity: parts.certificates,
    movement: clocks.connect,
  })
  const deliveries = openDeliveries({
    ...parts,
    runtime,
    allow: config.deliveryAllow,
    maxPending: config.deliveryBacklog,
    baseUrl: () => twinBaseUrl(config, state.baseUrl),
  })
  return { runtime, deliveries, clocks }
}

/** What a world is started from and what is asked in it: suites, worlds and datasets. */
const composeWorlds = (
  deps: Pick<NounDeps, 'config' | 'storage' | 'log' | 'now'> &
    Pick<LiveTwins, 'runtime' | 'clocks'> & { readonly checkSyntax: CheckSyntax },
): Pick<Nouns, 'suitePart' | 'worldPart' | 'datasetPart'> => {
  const { db, makeId } = deps.storage
  const references = firstReference([suiteReferences(db), evaluationReferences(db)])
  const { now, checkSyntax } = deps
  const suitePart = composeSuites({ db, judgeModel: deps.config.judgeModel, now, makeId, checkSyntax })
  const worldPart = openWorldPart({
    ...deps,
    references,
    materialize: suitePart.materialize,
    datasetVersion: datasetStore(db).version,
  })
  const datasetPart = createDatasetPart({ ...deps, worlds: worldPart.worlds, references })
  return { suitePart, worldPart, datasetPart }
}

/** Puts the nouns of the service together; what one needs of another is handed over here and nowhere else. */
export const composeNouns = (parts: NounDeps): Nouns => {
  const { config, storage, sealing, metrics, log, now, random, holder } = parts
  const shared = { config, storage, sealing, metrics, log, now, random, holder }
  const { runtime, deliveries, clocks } = composeTwins(parts, () => modelPart.catalog)
  const { db, makeId } = storage
  const sandbox = createSharedSandbox(sandboxSettings(config, log))
  const opened = createSharedVerifier(sandbox.open)
  const checkSyntax = createSyntaxCheck(opened)
  const { suitePart, worldPart, datasetPart } = composeWorlds({ ...shared, runtime, clocks, checkSyntax })
  const { worlds } = worldPart
  const authority = sharedAuthority({ stateDir: join(config.dataDir, 'authority') })
  const modelPart = composeModels({ ...shared, runs: () => evaluations.store })
  const agentPart = composeAgents({
    ...shared,
    objects: parts.objects,
    models: modelPart.catalog,
    ...{ sandbox, authority },
    runtime,
    worlds,
    recordTrace: (organizationId, trace) => telemetry.traces.record(organizationId, trace),
    attach: ({ organizationId, worldId }) => evaluations.attach(organizationId, worldId),
  })
  const telemetry = openTelemetry({
    ...shared,
    recordRun: agentPart.runs.observe,
    twinChanges: recordChangesIn({
      db: storage.db,
      show: showChangesBy(runtime),
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
    opened,
    graded: (organizationId, trialId) => evaluations.graded(organizationId, trialId),
    lastPassing: (organizationId, taskId) => evaluations.lastPassing(organizationId, taskId),
  })
  const evaluations = composeEvaluations({
    limitsOf: parts.limitsOf,
    ...shared,
    ...{ runtime, deliveries },
    ...{ clocks, worlds, branch: worldPart.branch, suitePart },
    ...{ agentPart, modelPart, sandbox, authority },
    scoring: scoringPart.scoring,
    recordTrace: (organizationId, trace) =>
      telemetry.traces.record(organizationId, trace, { runKnown: true }),
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

const sandboxSettings = (config: Config, log: Log): SandboxOptions => ({
  choice: config.sandbox,
  stateDir: join(config.dataDir, 'sandbox'),
  controlGroup: config.sandboxControlGroup,
  searchPath: config.searchPath,
  imageRuntime: config.imageRuntime,
  hidden: [config.dataDir],
  log: log.info,
})

const runtimeSettings = (config: Config) => ({
  bodyLimitBytes: config.twinBodyLimitBytes,
  twinOrigin: config.twinOrigin,
  alone: config.databaseUrl === undefined,
  dataDir: config.dataDir,
  isolates: config.twinIsolates,
})
