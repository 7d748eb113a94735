import type { TraceCreate } from '@diorama/contract'
import type { Authority } from '@diorama/sandbox/gateway/authority'
import type { Attachment } from '../agents/chat/sandboxed-command.ts'
import type { AgentPart } from '../agents/open.ts'
import { runnableAgent } from '../agents/runnable.ts'
import { traceOutbox } from '../bridges/otlp/store.ts'
import { allowedHosts, type Config } from '../config.ts'
import type { Deliveries } from '../deliveries/open.ts'
import { createEpisodes } from '../evaluations/episodes/episodes.ts'
import { openEvaluationPart } from '../evaluations/evaluations.ts'
import { createBranchTrial } from '../evaluations/trial/branch-trial.ts'
import { type AccessParts, openAccess, type WorldAccess } from '../evaluations/trial/world-access.ts'
import { rememberedSource } from '../evaluations/worker/orders.ts'
import { notFound } from '../http/api-error.ts'
import type { Scoring } from '../scoring/score.ts'
import type { Log } from '../storage/log.ts'
import type { Storage } from '../storage/storage.ts'
import type { FrozenContent } from '../suites/store.ts'
import type { TwinRuntime } from '../twins/open.ts'
import { isLive } from '../twins/placement/placements.ts'
import type { TwinRow } from '../twins/store.ts'
import type { Branch } from '../worlds/branch.ts'
import { type WorldClocks, WorldElsewhere } from '../worlds/clock/clocks.ts'
import type { WorldClock } from '../worlds/clock/world-clock.ts'
import { slugOf, worldSource } from '../worlds/source.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { ModelPart } from './models.ts'
import type { SharedSandbox } from './sandbox.ts'
import type { composeSuites } from './suites.ts'

export interface EvaluationDeps {
  readonly config: Config
  readonly storage: Storage
  readonly runtime: TwinRuntime
  readonly deliveries: Pick<Deliveries, 'sockets' | 'ingresses' | 'pendingWork'>
  readonly clocks: WorldClocks
  readonly worlds: Worlds
  readonly branch: Branch
  readonly suitePart: ReturnType<typeof composeSuites>
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
}

/** Gives evaluations what the other parts have: worlds, agents, suites, scorers, a sandbox. */
export const composeEvaluations = (parts: EvaluationDeps) => {
  const { config, storage, runtime, worlds, suitePart, agentPart, scoring, sandbox, log, now, random } = parts
  const { suites, library } = suitePart
  const exported = traceOutbox(storage.db)
  const access: Pick<AccessParts, 'authority' | 'allowed' | 'maxRequests' | 'acceptSocket'> = {
    acceptSocket: parts.deliveries.sockets.accept,
    maxRequests: config.trialMaxRequests,
    authority: parts.authority,
    allowed: allowedHosts(config),
  }
  const freeze = async (organizationId: string, suiteId: string) => {
    const suite = await suites.store.find(organizationId, suiteId)
    if (!suite || suite.archived_at) return undefined
    const version = await suites.freeze(suite, { label: null, always: false })
    return { versionId: version.id, name: suite.name, tasks: (version.content as FrozenContent).tasks }
  }
  const source = worldSource(worlds)
  const { clocks } = parts
  const part = openEvaluationPart({
    storage,
    runtime,
    blobs: agentPart.blobs,
    scoring,
    sandbox: sandbox.open,
    models: parts.modelPart.catalog,
    outsideAgents: config.outsideAgents,
    deliveries: parts.deliveries,
    source,
    clocks,
    ...access,
    freeze,
    frozen: async (suiteId, versionId) => {
      const version = await suites.store.findVersion(suiteId, versionId)
      return version && (version.content as FrozenContent).tasks
    },
    requireSuite: suites.require,
    suiteNames: suites.store.namesOf,
    agent: (organizationId, reference) => runnableAgent(agentPart, organizationId, reference),
    scorers: library.store.findMany,
    modelAccess: parts.modelPart.access,
    cassette: parts.modelPart.cassettes.resolve,
    hasEnvironmentVersion: async (organizationId, id) =>
      (await worlds.store.environmentVersion(organizationId, id)) !== undefined,
    branchTrial: createBranchTrial({ worlds, branch: parts.branch, twinsOf: runtime.store.ofTrial }),
    recordTrace: parts.recordTrace,
    recordRuns: async (organizationId, runs) => {
      await agentPart.runs.record(organizationId, runs, 'evaluation')
      // A trial leaves the recorder's own outbox only after this, so a crash in between loses nothing.
      await exported.add(
        organizationId,
        runs.flatMap(({ run_id }) => run_id ?? []),
      )
    },
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
    freeze,
    episodes: createEpisodes({
      runtime,
      source: rememberedSource(source),
      clocks,
      scoring,
      maxRequests: config.trialMaxRequests,
      ...{ random, now, makeId: storage.makeId },
    }),
    /** Lets a command into the twins of a world that runs: for conversations, which act on the world itself. */
    attach: async (organizationId: string, worldId: string): Promise<Attachment> => {
      const world = await worlds.store.find(organizationId, worldId)
      if (!world) throw notFound('world')
      const box = await sandbox.open()
      const loopback = 'sandbox' in box && box.sandbox.isolation === 'process'
      const rows = (await runtime.store.ofWorlds([world.id])).filter(isLive)
      const place = { organizationId, jobId: null, trialId: null, attempt: 0, agent: null }
      const models = await parts.modelPart.access.open({ place, run: null, scope: 'chat', createdBy: '' })
      const where = { slug: slugOf(world), models }
      const clock = await clockOf(parts.clocks, rows)
      const opened = await openAccess({ ...access, runtime, clock, loopback, random, now }, rows, where)
      return attachmentOf(opened, models)
    },
  }
}

/** The clock of a world that has one and is run by this node. */
const clockOf = async (clocks: WorldClocks, rows: readonly TwinRow[]): Promise<WorldClock | undefined> => {
  const clockId = rows[0]?.clock_id ?? null
  if (clockId === null) return undefined
  return clocks.follow(clockId).catch((error) => {
    if (error instanceof WorldElsewhere) return undefined
    throw error
  })
}

/** A conversation knows calls alone, and whether each went well. */
const attachmentOf = (access: WorldAccess, models: AsyncDisposable): Attachment => ({
  ...access,
  [Symbol.asyncDispose]: async () => {
    await access[Symbol.asyncDispose]()
    await models[Symbol.asyncDispose]()
  },
  steps: () =>
    access.steps().map((step) => ({
      ...step,
      kind: 'tool_call',
      status: step.status === 'succeeded' ? 'succeeded' : 'failed',
      detail: step.detail ?? {},
    })),
})
