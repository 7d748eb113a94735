import type { TraceCreate } from '@diorama/contract'
import type { Authority } from '@diorama/sandbox/gateway/authority'
import { BadImage } from '@diorama/sandbox/images/image'
import type { CommandJob } from '../agents/chat/command-turn.ts'
import { type Attachment, sandboxedCommand } from '../agents/chat/sandboxed-command.ts'
import { httpWorldAccess, type ReachableTwin } from '../agents/chat/world-access.ts'
import { openAgentPart } from '../agents/open.ts'
import type { Config } from '../config.ts'
import type { Metrics } from '../http/metrics.ts'
import type { ModelCatalog } from '../models/models.ts'
import type { Log } from '../storage/log.ts'
import type { Sealing } from '../storage/secrets/sealing.ts'
import type { Storage } from '../storage/storage.ts'
import type { TwinRuntime } from '../twins/open.ts'
import type { WorldStore } from '../worlds/store.ts'
import type { SharedSandbox } from './sandbox.ts'

export interface AgentDeps {
  readonly config: Config
  readonly storage: Storage
  readonly sealing: Sealing
  readonly runtime: TwinRuntime
  readonly worlds: { readonly store: WorldStore }
  readonly recordTrace: (organizationId: string, trace: TraceCreate) => Promise<unknown>
  readonly sandbox: SharedSandbox
  readonly models: ModelCatalog
  readonly authority: () => Promise<Authority>
  readonly attach: (job: CommandJob) => Promise<Attachment>
  readonly metrics: Metrics
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
}

/** Gives agents what other parts have: models, the twins of a world, a sandbox, traces. */
export const composeAgents = (parts: AgentDeps) => {
  const { config, storage, runtime, worlds, recordTrace, sandbox, attach, models, log, now, random } = parts
  const part = openAgentPart({
    storage,
    models,
    sealing: parts.sealing,
    commands: async (agents, secrets, dependencies) => {
      const opened = await sandbox.open()
      return 'sandbox' in opened
        ? {
            runner: sandboxedCommand({ sandbox: opened.sandbox, agents, secrets, dependencies, attach, now }),
          }
        : opened
    },
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
    imageFolder: config.imageFolder,
    installs: {
      sandbox: async () => {
        const opened = await sandbox.open()
        if ('sandbox' in opened) return opened.sandbox
        throw new Error(opened.unavailable)
      },
      authority: parts.authority,
      registries: config.packageRegistries,
      searchPath: config.searchPath,
      quotaBytes: config.dependencyQuotaBytes,
    },
    checkImage: async (source) => {
      const opened = await sandbox.open()
      if (!('sandbox' in opened) || 'unavailable' in (await opened.sandbox.images.available()))
        return undefined
      try {
        using _image = await opened.sandbox.images.hold(source)
        return undefined
      } catch (error) {
        if (error instanceof BadImage) return error.message
        throw error
      }
    },
  })
  parts.metrics.gauge(
    'chats_answering',
    'Chat messages that this process is answering.',
    () => part.chat.answering,
  )
  return part
}
