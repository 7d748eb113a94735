import type { agentSecretRoutes } from '@diorama/contract'
import { createHostImages, type HostImages } from '@diorama/sandbox/images/host-images'
import type { ImageSource } from '@diorama/sandbox/images/image'
import type { Handlers } from '../http/handler.ts'
import type { ModelCatalog } from '../models/models.ts'
import { type Blobs, openBlobs } from '../storage/blobs.ts'
import type { Log } from '../storage/log.ts'
import type { ObjectStore } from '../storage/objects/object-store.ts'
import type { Sealing } from '../storage/secrets/sealing.ts'
import type { Storage } from '../storage/storage.ts'
import { type Agents, openAgents } from './agents.ts'
import { type Chat, type ChatParts, openChat } from './chat/chat.ts'
import { type Dependencies, type DependencyDeps, openDependencies } from './dependencies/dependencies.ts'
import { type AgentHandlers, agentHandlers } from './routes.ts'
import { openRuns, type Runs } from './runs/runs.ts'
import { secretHandlers } from './secrets/routes.ts'
import { createSecrets, type Secrets } from './secrets/secrets.ts'

export interface AgentPartParts extends Pick<ChatParts, 'worlds' | 'recordTrace'> {
  readonly storage: Storage
  /** Where large contents are kept, if not in the database. */
  readonly objects?: ObjectStore | undefined
  readonly models: ModelCatalog
  /** The runner of commands, given the agents whose files it needs; or why there is none. */
  readonly commands: (
    agents: Agents,
    secrets: Secrets,
    dependencies: Dependencies,
  ) => ReturnType<ChatParts['commands']>
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
  readonly bundleLimitBytes: number
  readonly sealing: Sealing
  /** The folder with images that agents may name; none when absent. */
  readonly imageFolder?: string | undefined
  /** Why an image cannot be used, if it cannot; nothing where this process cannot say. */
  readonly checkImage?: (source: ImageSource) => Promise<string | undefined>
  /** How the dependencies of agents are installed. */
  readonly installs: Pick<
    DependencyDeps,
    'sandbox' | 'authority' | 'registries' | 'searchPath' | 'quotaBytes'
  >
}

export interface AgentPart {
  readonly agents: Agents
  readonly runs: Runs
  readonly chat: Chat
  readonly blobs: Blobs
  readonly secrets: Secrets
  readonly dependencies: Dependencies
  /** Images that the deployment itself has. */
  readonly hostImages: HostImages
  readonly handlers: AgentHandlers & Handlers<typeof agentSecretRoutes>
  readonly sweep: () => Promise<number>
  readonly close: () => Promise<void>
}

/** Everything about agents: their versions, files, runs and conversations. */
export const openAgentPart = (parts: AgentPartParts): AgentPart => {
  const { storage, models, commands, worlds, recordTrace, log, now, random, bundleLimitBytes } = parts
  const { db, pool, wake, makeId } = storage
  const blobs = openBlobs({ db, makeId, now, objects: parts.objects })
  const secrets = createSecrets({ db, sealing: parts.sealing, now })
  const { checkImage } = parts
  const dependencies = openDependencies({ ...parts.installs, db, blobs, wake, log, now, random })
  const agents = openAgents({
    ...{ db, blobs, now, bundleLimitBytes, dependencies, sealing: parts.sealing },
    ...(checkImage ? { checkImage } : {}),
  })
  const runs = openRuns({
    db,
    pool,
    makeId,
    prices: async (organizationId) => {
      const { costOf } = await models.of(organizationId, { source: 'agent' })
      return (model, { input_tokens, output_tokens }) =>
        costOf(model, { inputTokens: input_tokens, outputTokens: output_tokens })
    },
  })
  const chat = openChat({
    db,
    agents,
    models,
    worlds,
    commands: () => commands(agents, secrets, dependencies),
    recordRun: (organizationId, run) => runs.record(organizationId, [run], 'chat'),
    recordTrace,
    wake,
    log,
    now,
    random,
    makeId,
  })
  return {
    agents,
    runs,
    chat,
    blobs,
    secrets,
    dependencies,
    hostImages: createHostImages(parts.imageFolder),
    handlers: { ...agentHandlers({ agents, runs, chat, dependencies }), ...secretHandlers(secrets) },
    sweep: async () => {
      await agents.store.sealPlain()
      return blobs.sweep()
    },
    close: async () => {
      chat.close()
      await dependencies.close()
    },
  }
}
