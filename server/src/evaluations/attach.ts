import type { SharedSandbox } from '@diorama/sandbox/shared-sandbox'
import type { Attachment } from '../agents/chat/sandboxed-command.ts'
import { notFound } from '../http/api-error.ts'
import type { ModelAccess } from '../models/access.ts'
import type { TwinRuntime } from '../twins/open.ts'
import { isLive } from '../twins/placement/placements.ts'
import { clockOfTwins, type WorldClocks } from '../worlds/clock/clocks.ts'
import { slugOf } from '../worlds/source.ts'
import type { WorldStore } from '../worlds/store.ts'
import { type AccessParts, openAccess, type WorldAccess } from './trial/world-access.ts'

export interface AttachDeps
  extends Pick<AccessParts, 'authority' | 'allowed' | 'maxRequests' | 'acceptSocket' | 'random' | 'now'> {
  readonly worlds: Pick<WorldStore, 'find'>
  readonly runtime: TwinRuntime
  readonly clocks: WorldClocks
  readonly models: ModelAccess
  readonly sandbox: Pick<SharedSandbox, 'open'>
}

export type Attach = (organizationId: string, worldId: string | null) => Promise<Attachment>

/** Gives a command access to the twins of a running world: for conversations, which act on the world itself. */
export const createAttach =
  (deps: AttachDeps): Attach =>
  async (organizationId, worldId) => {
    const { runtime } = deps
    const world = worldId === null ? undefined : await deps.worlds.find(organizationId, worldId)
    if (!world) throw notFound('world')
    const box = await deps.sandbox.open()
    const loopback = 'sandbox' in box && box.sandbox.isolation === 'process'
    const rows = (await runtime.store.ofWorlds([world.id])).filter(isLive)
    const place = { organizationId, jobId: null, trialId: null, attempt: 0, agent: null }
    const models = await deps.models.open({ place, run: null, scope: 'chat', createdBy: '' })
    const clock = await clockOfTwins(deps.clocks, rows)
    const opened = await openAccess({ ...deps, clock, loopback }, rows, {
      organizationId,
      slug: slugOf(world),
      models,
    })
    return attachmentOf(opened, models)
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
