import { join } from 'node:path'
import type { TraceCreate } from '@diorama/contract'
import { type Authority, openAuthority } from '@diorama/sandbox/gateway/authority'
import type { Route } from '@diorama/sandbox/gateway/options'
import { whyNotRunnable } from './agents/agents.ts'
import type { Attachment } from './agents/chat/sandboxed-command.ts'
import type { AgentPart } from './agents/open.ts'
import type { Config } from './config.ts'
import { openEvaluationPart } from './evaluations/open.ts'
import type { RunnableAgent } from './evaluations/trial/trial.ts'
import type { WorldSource } from './evaluations/trial/trial-world.ts'
import { type AccessParts, openAccess, type WorldAccess } from './evaluations/trial/world-access.ts'
import { notFound } from './http/refused.ts'
import type { Models } from './models/models.ts'
import type { OneSandbox } from './one-sandbox.ts'
import type { Scoring } from './scoring/score.ts'
import type { Log } from './storage/log.ts'
import type { Storage } from './storage/storage.ts'
import type { FrozenContent } from './suites/store.ts'
import type { TwinRuntime } from './twins/open.ts'
import { isLive } from './twins/placements.ts'
import type { wireSuites } from './wire-suites.ts'
import type { WorldRow } from './worlds/store.ts'
import type { Worlds } from './worlds/worlds.ts'

export interface EvaluationWiring {
  readonly config: Config
  readonly storage: Storage
  readonly runtime: TwinRuntime
  readonly worlds: Worlds
  readonly suitePart: ReturnType<typeof wireSuites>
  readonly agentPart: AgentPart & { readonly models: Models }
  readonly scoring: Scoring
  readonly sandbox: OneSandbox
  /** Records the trace of a run that is recorded as such. */
  readonly recordTrace: (organizationId: string, trace: TraceCreate) => Promise<unknown>
  readonly hasTrace: (organizationId: string, traceId: string) => Promise<boolean>
  readonly holder: string
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
}

/** Gives evaluations what the other parts have: worlds, agents, suites, scorers, a sandbox. */
export const wireEvaluations = (parts: EvaluationWiring) => {
  const { config, storage, runtime, worlds, suitePart, agentPart, scoring, sandbox, log, now, random } = parts
  const { suites, library } = suitePart
  const providerOf = providersByHost(config)
  const access: Pick<AccessParts, 'authority' | 'allowed' | 'costOf' | 'maxRequests'> = {
    maxRequests: config.trialMaxRequests,
    authority: oneAuthority(config, now),
    allowed: allowedHosts(config),
    costOf: ({ model, inputTokens, outputTokens }, host) =>
      model === null
        ? null
        : agentPart.models.costOf({ provider: providerOf(host), id: model }, { inputTokens, outputTokens }),
  }
  const part = openEvaluationPart({
    storage,
    runtime,
    blobs: agentPart.blobs,
    scoring,
    sandbox: sandbox.open,
    source: worldSource(worlds),
    ...access,
    freeze: async (organizationId, suiteId) => {
      const suite = await suites.store.find(organizationId, suiteId)
      if (!suite || suite.archived_at) return undefined
      const version = await suites.freeze(suite, { label: null, always: false })
      return { versionId: version.id, name: suite.name, tasks: (version.content as FrozenContent).tasks }
    },
    frozen: async (suiteId, versionId) => {
      const version = await suites.store.findVersion(suiteId, versionId)
      return version && (version.content as FrozenContent).tasks
    },
    requireSuite: suites.require,
    agent: (organizationId, reference) => runnable(agentPart, organizationId, reference),
    scorers: library.store.findMany,
    hasEnvironmentVersion: async (organizationId, id) =>
      (await worlds.store.environmentVersion(organizationId, id)) !== undefined,
    recordTrace: parts.recordTrace,
    recordRuns: (organizationId, runs) => agentPart.runs.record(organizationId, runs, 'evaluation'),
    hasTrace: parts.hasTrace,
    holder: parts.holder,
    slots: config.workerSlots,
    log,
    now,
    random,
    makeId: storage.makeId,
  })
  return {
    ...part,
    /** Lets a command into the twins of a world that runs: for conversations, which act on the world itself. */
    attach: async (organizationId: string, worldId: string): Promise<Attachment> => {
      const world = await worlds.store.find(organizationId, worldId)
      if (!world) throw notFound('world')
      const opened = await sandbox.open()
      const loopback = 'sandbox' in opened && opened.sandbox.isolation === 'process'
      const rows = (await runtime.store.ofWorlds([world.id])).filter(isLive)
      const opening = openAccess({ ...access, runtime, loopback, random, now }, rows, slugOf(world))
      return attachmentOf(await opening)
    },
  }
}

const worldSource = (worlds: Worlds): WorldSource => ({
  environment: async (organizationId, environmentVersionId) => {
    const version = await worlds.store.environmentVersion(organizationId, environmentVersionId)
    const world = version && (await worlds.store.find(organizationId, version.world_id))
    if (!version || !world) return undefined
    return {
      slug: slugOf(world),
      services: version.services.map(({ service, seed_sha256, entity_count }) => ({
        service,
        seedSha256: seed_sha256,
        entityCount: entity_count,
      })),
    }
  },
})

const slugOf = ({ blueprint }: WorldRow): string => {
  const organization = blueprint.organization as { slug?: string } | undefined
  return organization?.slug ?? 'company'
}

/** A conversation knows calls alone, and whether each went well. */
const attachmentOf = (access: WorldAccess): Attachment => ({
  ...access,
  steps: () =>
    access.steps().map((step) => ({
      ...step,
      kind: 'tool_call',
      status: step.status === 'succeeded' ? 'succeeded' : 'failed',
      detail: step.detail ?? {},
    })),
})

/** The deployment's own certificate authority, opened when the first trial needs it. */
const oneAuthority = (config: Config, now: () => number): (() => Promise<Authority>) => {
  let opening: Promise<Authority> | undefined
  return () => {
    opening ??= openAuthority({ stateDir: join(config.dataDir, 'authority'), now: () => new Date(now()) })
    return opening
  }
}

/** The provider that answers at a host, so that the same model can have a price at each. */
const providersByHost = ({ providers, models }: Config): ((host: string) => string) => {
  const bases: [string, string][] = [
    ['openai', providers.openai.baseUrl ?? 'https://api.openai.com'],
    ['anthropic', providers.anthropic.baseUrl ?? 'https://api.anthropic.com'],
    ...Object.entries(models.providers).map(([name, { base_url }]): [string, string] => [name, base_url]),
  ]
  const byHost = new Map(
    bases.flatMap(([name, base]) => (URL.canParse(base) ? [[new URL(base).hostname, name] as const] : [])),
  )
  return (host) => byHost.get(host) ?? host
}

const allowedHosts = (config: Config): ReadonlyMap<string, Extract<Route, { kind: 'forward' }>> =>
  new Map(
    config.agentHosts.map((one) => {
      const [host = one, origin] = one.split('=')
      return [
        host,
        {
          kind: 'forward',
          origin: origin ?? `https://${host}`,
          ...(origin === undefined ? {} : { allowPrivate: true }),
        },
      ]
    }),
  )

const runnable = async (
  { agents, secrets }: AgentPart,
  organizationId: string,
  reference: string,
): Promise<RunnableAgent | { unusable: string } | undefined> => {
  const version = await agents.resolve(organizationId, reference)
  if (!version) return undefined
  const name = `${version.agent}@${version.version}`
  const unusable = whyNotRunnable(version)
  if (unusable !== undefined) return { unusable }
  const { run, files } = version.content
  if (!run) return { unusable: `${name} has no run command, so it cannot be evaluated.` }
  const secret = await secrets.variables(organizationId, run.secrets ?? {})
  if ('missing' in secret)
    return { unusable: `${name} names the secret ${secret.missing}, which does not exist.` }
  return {
    reference: name,
    command: run.command,
    timeoutSeconds: run.timeout_seconds,
    env: run.env,
    secrets: secret.env,
    network: run.network,
    files,
    bundle: await agents.bundle(version),
  }
}
