import type { TraceCreate } from '@diorama/contract'
import type { Authority } from '@diorama/sandbox/gateway/authority'
import type { SharedSandbox } from '@diorama/sandbox/shared-sandbox'
import type { CommandJob } from '../agents/chat/command-turn.ts'
import { type Attachment, commandsIn } from '../agents/chat/sandboxed-command.ts'
import { httpWorldAccess } from '../agents/chat/world-access.ts'
import { checkImageIn } from '../agents/check-image.ts'
import { type AgentPart, openAgentPart } from '../agents/open.ts'
import type { Config } from '../config.ts'
import type { Metrics } from '../http/metrics.ts'
import type { ModelCatalog } from '../models/models.ts'
import type { Log } from '../storage/log.ts'
import type { ObjectStore } from '../storage/objects/object-store.ts'
import type { Sealing } from '../storage/secrets/sealing.ts'
import type { Storage } from '../storage/storage.ts'
import type { TwinRuntime } from '../twins/open.ts'
import { reachableTwins } from '../worlds/reachable-twins.ts'
import type { WorldStore } from '../worlds/store.ts'

export interface AgentDeps {
  readonly config: Config
  readonly storage: Storage
  readonly objects: ObjectStore | undefined
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
export const composeAgents = (parts: AgentDeps): AgentPart => {
  const { config, storage, runtime, worlds, recordTrace, sandbox, attach, models, log, now, random } = parts
  const part = openAgentPart({
    storage,
    objects: parts.objects,
    models,
    sealing: parts.sealing,
    commands: (agents, secrets, dependencies) =>
      commandsIn(sandbox, { agents, secrets, dependencies, attach, now }),
    worlds: httpWorldAccess(reachableTwins({ worlds: worlds.store, runtime })),
    recordTrace,
    log,
    now,
    random,
    bundleLimitBytes: config.bundleLimitBytes,
    imageFolder: config.imageFolder,
    installs: {
      sandbox: sandbox.require,
      authority: parts.authority,
      registries: config.packageRegistries,
      searchPath: config.searchPath,
      quotaBytes: config.dependencyQuotaBytes,
    },
    checkImage: checkImageIn(sandbox),
  })
  parts.metrics.gauge(
    'chats_answering',
    'Chat messages that this process is answering.',
    () => part.chat.answering,
  )
  return part
}
