import type {
  AgentSummary,
  AgentVersion,
  AgentVersionSummary,
  agentChatRoutes,
  agentRoutes,
  agentRunRoutes,
  RunStats,
} from '@diorama/contract'
import { splitReference } from '@diorama/contract'
import { ApiError, notFound } from '../http/api-error.ts'
import { Answer, type Caller, type Handlers } from '../http/handler.ts'
import type { Agents } from './agents.ts'
import type { Chat } from './chat/chat.ts'
import type { Dependencies } from './dependencies/dependencies.ts'
import type { Runs } from './runs/runs.ts'
import { statsOf } from './runs/stats.ts'
import type { StoredAgent, StoredVersion, VersionSummary } from './store.ts'

export interface AgentRouteParts {
  readonly agents: Agents
  readonly dependencies: Pick<Dependencies, 'shown'>
  readonly runs: Runs
  readonly chat: Chat
}

/** Shown in place of a value that the caller may not see. */
const hiddenValue = '(hidden)'

/** How many versions an agent shows at once; the list of versions has them all. */
const shownVersions = 100

export type AgentHandlers = Handlers<typeof agentRoutes & typeof agentRunRoutes & typeof agentChatRoutes>

export const agentHandlers = (parts: AgentRouteParts): AgentHandlers => ({
  ...versionHandlers(parts),
  ...runHandlers(parts),
  ...chatHandlers(parts),
})

const versionHandlers = ({ agents, runs, dependencies }: AgentRouteParts): Handlers<typeof agentRoutes> => {
  const shown = statistics(runs, dependencies)
  return {
    registerAgent: async ({ caller, body }) => {
      if (body.run?.dependencies !== undefined && !caller.limits.sandbox)
        throw new ApiError(
          'sandbox_denied',
          'This organization has no access to sandboxes, where packages are installed.',
        )
      const { version, isNew } = await agents.register(caller.organizationId, body)
      return new Answer(isNew ? 201 : 200, await shown.version(caller, version))
    },
    listAgents: async ({ caller, query }) => {
      const { items, nextCursor } = await agents.store.list(caller.organizationId, query)
      return { items: await shown.agents(caller.organizationId, items), next_cursor: nextCursor }
    },
    readAgent: async ({ caller, params }) =>
      shown.whole(agents, caller.organizationId, await agents.read(caller.organizationId, params.name)),
    updateAgent: async ({ caller, params, body }) =>
      shown.whole(
        agents,
        caller.organizationId,
        await agents.update(caller.organizationId, params.name, body),
      ),
    listAgentVersions: async ({ caller, params, query }) => {
      await agents.read(caller.organizationId, params.name)
      const { items, nextCursor } = await agents.store.listVersions(caller.organizationId, params.name, query)
      const summaries = await shown.versions(caller.organizationId, params.name, items)
      return { items: summaries, next_cursor: nextCursor }
    },
    readAgentVersion: async ({ caller, params }) => {
      const version = await agents.readVersion(caller.organizationId, params.name, params.version)
      return shown.version(caller, version)
    },
    updateAgentVersion: async ({ caller, params, body }) => {
      const { name, version } = params
      const changed = await agents.setStatus(caller.organizationId, name, version, body.status)
      return shown.version(caller, changed)
    },
    uploadAgentBundle: async ({ caller, params, stream }) => {
      const version = await agents.readVersion(caller.organizationId, params.name, params.version)
      if (!stream) throw new ApiError('invalid_bundle', 'The bundle is empty: send a .tar.gz as the body.')
      // The connection must outlive a refusal, or the caller would never read why.
      const pieces = stream.iterator({ destroyOnReturn: false })
      const { version: stored, isNew } = await agents.putBundle(caller.organizationId, version, pieces)
      return new Answer(isNew ? 201 : 200, await shown.version(caller, stored))
    },
    readAgentBundle: async ({ caller, params }) => {
      const version = await agents.readVersion(caller.organizationId, params.name, params.version)
      const bytes = await agents.bundleStream(version)
      if (!bytes) throw notFound('bundle')
      return new Answer(200, bytes, { 'content-type': 'application/gzip' })
    },
  }
}

const runHandlers = ({ agents, runs }: AgentRouteParts): Handlers<typeof agentRunRoutes> => {
  /** Of an agent without a current version there are no runs to show; no version is called so. */
  const currentOf = async (organizationId: string, name: string) =>
    (await agents.store.find(organizationId, name))?.currentVersion ?? 'current'
  return {
    recordAgentRuns: async ({ caller, body }) => {
      const sent = Array.isArray(body) ? body : body.runs
      const ids = await runs.record(caller.organizationId, sent, 'recorded')
      return { items: ids.map((id) => ({ id })) }
    },
    listAgentRuns: async ({ caller, query: { agent: reference, ...query } }) => {
      const parts = reference === undefined ? undefined : splitReference(reference)
      if (reference !== undefined && !parts) return { items: [], next_cursor: null }
      const named = reference?.includes('@') ? parts?.version : undefined
      const version =
        named === 'current' && parts ? await currentOf(caller.organizationId, parts.name) : named
      const agent = parts && { name: parts.name, version }
      const { items, nextCursor } = await runs.store.list(caller.organizationId, { ...query, agent })
      return { items: [...items], next_cursor: nextCursor }
    },
    readAgentRun: ({ caller, params }) => runs.read(caller.organizationId, params.runId),
  }
}

const chatHandlers = ({ chat }: AgentRouteParts): Handlers<typeof agentChatRoutes> => {
  const place = (organizationId: string, { name, sessionId }: { name: string; sessionId: string }) => ({
    organizationId,
    agent: name,
    sessionId,
  })
  return {
    startChat: ({ caller, params, body }) => chat.start(caller, params.name, body),
    listChats: ({ caller, params, query }) => chat.list(caller.organizationId, params.name, query),
    readChat: ({ caller, params }) => chat.read(place(caller.organizationId, params)),
    sendChatMessage: ({ caller, params, body, signal }) =>
      chat.send(caller, place(caller.organizationId, params), body.text, signal),
    cancelChat: async ({ caller, params }) => chat.cancel(place(caller.organizationId, params)),
  }
}

/** Records as the wire shows them, with what is counted about their runs. */
const statistics = ({ store }: Runs, dependencies: Pick<Dependencies, 'shown'>) => {
  const versions = async (
    organizationId: string,
    agent: string,
    items: readonly VersionSummary[],
  ): Promise<AgentVersionSummary[]> => {
    const names = items.map(({ version }) => version)
    const rows = items.length === 0 ? [] : await store.stats(organizationId, [agent], names)
    const byVersion = new Map(rows.map((row) => [row.version, row]))
    return items.map((item) => summaryOf(item, statsOf(byVersion.get(item.version))))
  }
  const agents = async (organizationId: string, items: readonly StoredAgent[]): Promise<AgentSummary[]> => {
    const names = items.map(({ name }) => name)
    const rows = await store.stats(organizationId, names, [''])
    const byAgent = new Map(rows.map((row) => [row.agent, row]))
    return items.map((agent) => agentOf(agent, statsOf(byAgent.get(agent.name))))
  }
  return {
    versions,
    agents,
    whole: async (rules: Agents, organizationId: string, agent: StoredAgent) => {
      const newest = await rules.store.listVersions(organizationId, agent.name, { limit: shownVersions })
      const names = ['', ...newest.items.map(({ version }) => version)]
      const rows = await store.stats(organizationId, [agent.name], names)
      const byVersion = new Map(rows.map((row) => [row.version, statsOf(row)]))
      const none = statsOf(undefined)
      return {
        ...agentOf(agent, byVersion.get('') ?? none),
        versions: newest.items.map((item) => summaryOf(item, byVersion.get(item.version) ?? none)),
      }
    },
    version: async ({ organizationId, scopes }: Caller, version: StoredVersion): Promise<AgentVersion> => {
      const [row] = await store.stats(organizationId, [version.agent], [version.version])
      const installed =
        version.lockSha256 === null ? undefined : await dependencies.shown(organizationId, version.lockSha256)
      const shownVersion = versionOf(version, statsOf(row))
      return {
        ...shownVersion,
        run: scopes.has('agents:write') ? shownVersion.run : withoutValues(shownVersion.run),
        dependencies: installed ?? null,
      }
    },
  }
}

/** Variables may hold keys: who may only read agents sees their names. */
const withoutValues = (run: AgentVersion['run']): AgentVersion['run'] =>
  run && { ...run, env: Object.fromEntries(Object.keys(run.env).map((name) => [name, hiddenValue])) }

const agentOf = (agent: StoredAgent, runs: RunStats): AgentSummary => ({
  name: agent.name,
  description: agent.description,
  metadata: agent.metadata,
  current_version: agent.currentVersion,
  version_count: agent.versionCount,
  runs,
  created_at: agent.createdAt.toISOString(),
  updated_at: agent.updatedAt.toISOString(),
})

const summaryOf = (version: VersionSummary, runs: RunStats): AgentVersionSummary => ({
  version: version.version,
  status: version.status,
  framework: version.framework,
  model: version.model,
  tools: version.tools,
  content_sha256: version.contentSha256,
  created_at: version.createdAt.toISOString(),
  runs,
})

const versionOf = (version: StoredVersion, runs: RunStats): Omit<AgentVersion, 'dependencies'> => ({
  ...summaryOf(version, runs),
  name: version.agent,
  reference: `${version.agent}@${version.version}`,
  instructions: version.content.instructions,
  run: version.content.run,
  files: { ...version.content.files },
  bundle:
    version.content.bundleSha256 === null
      ? null
      : { sha256: version.content.bundleSha256, size: version.bundleSize },
})
