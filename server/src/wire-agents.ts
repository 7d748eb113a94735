import { join } from 'node:path'
import type { TraceCreate } from '@diorama/contract'
import { openSandbox } from '@diorama/sandbox/sandbox'
import type { Agents } from './agents/agents.ts'
import { openAgentPart } from './agents/open.ts'
import { sandboxedCommand } from './agents/sandboxed-command.ts'
import { httpWorldAccess, type ReachableTwin } from './agents/world-access.ts'
import type { Config } from './config.ts'
import { configuredModels } from './models/configured.ts'
import type { Log } from './storage/log.ts'
import type { Storage } from './storage/storage.ts'
import type { TwinRuntime } from './twins/open.ts'
import type { WorldStore } from './worlds/store.ts'

export interface AgentWiring {
  readonly config: Config
  readonly storage: Storage
  readonly runtime: TwinRuntime
  readonly worlds: { readonly store: WorldStore }
  readonly recordTrace: (organizationId: string, trace: TraceCreate) => Promise<unknown>
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
}

/** Gives agents what other parts have: models, the twins of a world, a sandbox, traces. */
export const wireAgents = (parts: AgentWiring) => {
  const { config, storage, runtime, worlds, recordTrace, log, now, random } = parts
  const models = configuredModels(config, () => (random(1)[0] ?? 0) / 256)
  const commands = sandboxCommands(parts)
  const part = openAgentPart({
    storage,
    models,
    commands: commands.open,
    worlds: httpWorldAccess(async (organizationId, worldId): Promise<ReachableTwin[] | undefined> => {
      const world = await worlds.store.find(organizationId, worldId)
      if (!world) return undefined
      const rows = await runtime.store.ofWorlds([world.id])
      return rows.map((row) => {
        const { service, baseUrl = null, token } = runtime.twins.shown(row)
        return {
          service,
          baseUrl,
          token,
          describes: `${runtime.registry.find(service)?.twin.standsFor ?? service}.`,
        }
      })
    }),
    recordTrace,
    log,
    now,
    random,
    bundleLimitBytes: config.bundleLimitBytes,
  })
  return {
    ...part,
    models,
    close: async () => {
      part.close()
      await commands.close()
    },
  }
}

/** The sandbox is opened when the first command needs it. */
const sandboxCommands = ({ config, log, now }: AgentWiring) => {
  let opening: ReturnType<typeof openSandbox> | undefined
  return {
    open: async (agents: Agents) => {
      opening ??= openSandbox({
        choice: config.sandbox,
        stateDir: join(config.dataDir, 'sandbox'),
        searchPath: config.searchPath,
        log: (message) => log.info({}, message),
      })
      const opened = await opening
      if ('unavailable' in opened) return opened
      return { runner: sandboxedCommand({ sandbox: opened.sandbox, agents, now }) }
    },
    close: async () => {
      const opened = await opening
      if (opened && 'sandbox' in opened) await opened.sandbox[Symbol.asyncDispose]()
    },
  }
}
