import type { TraceCreate } from '@diorama/contract'
import type { Authority } from '@diorama/sandbox/gateway/authority'
import type { SharedSandbox } from '@diorama/sandbox/shared-sandbox'
import type { AgentPart } from '../agents/open.ts'
import { runnableAgent } from '../agents/runnable.ts'
import type { OrganizationLimits } from '../auth/organization-limits.ts'
import { traceOutbox } from '../bridges/otlp/store.ts'
import { recordThenExport } from '../bridges/otlp/trial-trace.ts'
import { allowedHosts, type Config } from '../config.ts'
import type { Deliveries } from '../deliveries/open.ts'
import { type Attach, createAttach } from '../evaluations/attach.ts'
import { createEpisodes, type Episodes } from '../evaluations/episodes/episodes.ts'
import { type EvaluationPart, openEvaluationPart } from '../evaluations/evaluations.ts'
import { createBranchTrial } from '../evaluations/trial/branch-trial.ts'
import type { AccessParts } from '../evaluations/trial/world-access.ts'
import { rememberedSource } from '../evaluations/worker/orders.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Scoring } from '../scoring/score.ts'
import type { Log } from '../storage/log.ts'
import type { Storage } from '../storage/storage.ts'
import type { FrozenSuites } from '../suites/frozen-suites.ts'
import type { TwinRuntime } from '../twins/open.ts'
import type { Branch } from '../worlds/branch.ts'
import type { WorldClocks } from '../worlds/clock/clocks.ts'
import { worldSource } from '../worlds/source.ts'
import { hasEnvironmentVersion } from '../worlds/store.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { ModelPart } from './models.ts'
import type { SuitePart } from './suites.ts'

export interface EvaluationDeps {
  readonly config: Config
  readonly storage: Storage
  readonly metrics: Metrics
  readonly runtime: TwinRuntime
  readonly deliveries: Pick<Deliveries, 'sockets' | 'ingresses' | 'pendingWork'>
  readonly clocks: WorldClocks
  readonly worlds: Worlds
  readonly branch: Branch
  readonly suitePart: SuitePart
  readonly agentPart: AgentPart
  readonly modelPart: ModelPart
  readonly scoring: Scoring
  readonly sandbox: SharedSandbox
  readonly authority: () => Promise<Authority>
  /** Records the trace of a run that is recorded as such. */
  readonly recordTrace: (organizationId: string, trace: TraceCreate) => Promise<unknown>
  readonly hasTrace: (organizationId: string, traceId: string) => Promise<boolean>
  readonly baseUrl: () => string
  readonly holder: string
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
  readonly limitsOf: OrganizationLimits['read']
}

/** Evaluations with what others use of them: episodes, and access to worlds for conversations. */
export interface ComposedEvaluations extends EvaluationPart {
  readonly freeze: FrozenSuites['freeze']
  readonly episodes: Episodes
  readonly attach: Attach
  /** Hosts outside of worlds that the agents of an organization may reach. */
  readonly agentHosts: (organizationId: string) => Promise<readonly string[]>
}

/** Gives evaluations what the other parts have: worlds, agents, suites, scorers, a sandbox. */
export const composeEvaluations = (parts: EvaluationDeps): ComposedEvaluations => {
  const { config, storage, runtime, worlds, suitePart, agentPart, scoring, sandbox, log, now, random } = parts
  const { suites, frozen, library } = suitePart
  const access: Pick<AccessParts, 'authority' | 'allowed' | 'maxRequests' | 'acceptSocket'> = {
    acceptSocket: parts.deliveries.sockets.accept,
    maxRequests: config.trialMaxRequests,
    authority: parts.authority,
    allowed: async (organizationId) =>
      allowedHosts(config, (await parts.limitsOf(organizationId)).agent_hosts),
  }
  const source = worldSource(worlds)
  const { clocks } = parts
  const part = openEvaluationPart({
    ...{ storage, metrics: parts.metrics },
    runtime,
    blobs: agentPart.blobs,
    hostImages: agentPart.hostImages,
    scoring,
    sandbox: sandbox.open,
    models: parts.modelPart.catalog,
    outsideAgents: config.outsideAgents,
    deliveries: parts.deliveries,
    source,
    clocks,
    ...access,
    freeze: frozen.freeze,
    frozen: frozen.tasksOf,
    requireSuite: suites.require,
    suiteNames: suites.store.namesOf,
    agent: (organizationId, reference) => runnableAgent(agentPart, organizationId, reference),
    scorers: library.store.findMany,
    modelAccess: parts.modelPart.access,
    cassette: parts.modelPart.cassettes.resolve,
    hasEnvironmentVersion: hasEnvironmentVersion(worlds.store),
    branchTrial: createBranchTrial({ worlds, branch: parts.branch, twinsOf: runtime.store.ofTrial }),
    recordTrace: parts.recordTrace,
    recordRuns: recordThenExport(
      (organizationId, runs) => agentPart.runs.record(organizationId, runs, 'evaluation'),
      traceOutbox(storage.db),
    ),
    hasTrace: parts.hasTrace,
    baseUrl: parts.baseUrl,
    holder: parts.holder,
    slots: config.workerSlots,
    log,
    now,
    random,
    makeId: storage.makeId,
  })
  return {
    ...part,
    freeze: frozen.freeze,
    agentHosts: async (organizationId) => [...(await access.allowed(organizationId)).keys()],
    episodes: createEpisodes({
      runtime,
      source: rememberedSource(source),
      clocks,
      scoring,
      maxRequests: config.trialMaxRequests,
      ...{ random, now, makeId: storage.makeId },
    }),
    attach: createAttach({
      ...access,
      ...{ runtime, sandbox, random, now },
      worlds: worlds.store,
      clocks,
      models: parts.modelPart.access,
    }),
  }
}
