import type { FrozenTask } from '@diorama/contract'
import { createCrowd } from '../trial/decoys/crowd.ts'
import { createRequestLog, maxTrialRequestBytes, type Stopped } from '../trial/request-log.ts'
import { followReading } from '../trial/story/reading.ts'
import { storyPart } from '../trial/story/story-part.ts'
import { createStoryWait } from '../trial/story/story-wait.ts'
import { answerWorld } from '../trial/story/wait-endpoint.ts'
import { poster, serversOf, settingOf } from '../trial/tools/mcp-servers.ts'
import type { ToolWorld } from '../trial/tools/world-tools.ts'
import {
  completeState,
  finalState,
  forkTwins,
  type TrialWorldParts,
  untouchedState,
} from '../trial/trial-world.ts'
import { answer } from '../trial/twin-answers.ts'

export interface EpisodeWorldDeps
  extends Pick<
    TrialWorldParts,
    'runtime' | 'source' | 'clocks' | 'makeId' | 'maxRequests' | 'random' | 'now'
  > {}

export interface EpisodeWorldOrder {
  readonly id: string
  readonly organizationId: string
  readonly createdBy: string
  readonly task: FrozenTask
}

/** A fresh copy of a world, reached by its tools alone: no sandbox and no gateway is opened for it. */
export interface EpisodeWorld {
  /** Whether its time is the story's, so that an agent can wait in it. */
  readonly canWait: boolean
  /** The way to its tools; made when it is first needed. */
  readonly tools: () => Promise<ToolWorld>
  /** Waits in the story's time, with the arguments of the wait endpoint of a trial. */
  readonly wait: (args: unknown) => Promise<{ readonly text: string; readonly failed: boolean }>
  readonly state: () => ReturnType<typeof finalState>
  readonly untouched: () => Promise<Uint8Array>
  readonly stopped: () => Stopped | undefined
  readonly close: () => Promise<void>
}

/** Forks the world of a task. What the first step needs beside the fork is made by the first step. */
export const openEpisodeWorld = async (
  deps: EpisodeWorldDeps,
  order: EpisodeWorldOrder,
): Promise<EpisodeWorld> => {
  const { runtime, clocks, now, random, maxRequests } = deps
  const { task, id } = order
  const { slug, twins, clockId, clockMode } = await forkTwins(deps, {
    organizationId: order.organizationId,
    createdBy: order.createdBy,
    trialId: id,
    attempt: 1,
    environmentVersionId: task.environment_version_id,
  })
  const log = createRequestLog({ maxRequests, maxRequestBytes: maxTrialRequestBytes })
  const token = Buffer.from(random(18)).toString('base64url')
  const crowd = createCrowd(task.crowding ?? 0, { log, token, now })
  const ended = new AbortController()
  const clock = once(async () => (clockId === null ? undefined : clocks.follow(clockId)))
  const story = once(async () => {
    const followed = await clock()
    return followed && createStoryWait(followed)
  })
  const reading = followReading({ clock: undefined, log, maxRequests, now })
  const tools = once(async () => {
    const settings = await Promise.all(
      twins.map(async (row) => ({ row, setting: await settingOf(runtime, row, slug) })),
    )
    return {
      mcpServers: serversOf(settings, crowd),
      post: poster(crowd, (request) =>
        answer({ runtime, settings, log, story: undefined, now, ended: ended.signal }, request),
      ),
    }
  })
  const end = async () => {
    ended.abort()
    if (clockId !== null) clocks.forget(clockId)
    await runtime.twins.stop(twins)
  }
  return {
    canWait: clockMode === 'story',
    tools,
    wait: async (args) => {
      const waiting = await story()
      if (!waiting || !log.admit(0)) return { text: 'This world has no time to wait in.', failed: true }
      const request = { host: '', service: '', method: 'POST', path: '/wait', headers: {} }
      const body = Buffer.from(JSON.stringify(args))
      const reply = await answerWorld(waiting, { ...request, body }, (wait) =>
        reading.waited(wait, 'endpoint'),
      )
      return { text: Buffer.from(reply.body).toString('utf8'), failed: reply.status >= 400 }
    },
    state: () =>
      finalState({
        twins,
        state: async () => {
          const followed = await clock()
          return completeState(deps, twins, {
            story: followed && storyPart(followed, reading.waits()),
            decoyCalls: crowd.calls(),
            steps: log.steps,
          })
        },
      }),
    untouched: () => untouchedState(deps, twins),
    stopped: () => log.stopped,
    close: once(end),
  }
}

/** Memoises work that is done when it is first asked for. */
const once = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let under: Promise<T> | undefined
  return () => {
    under ??= work()
    return under
  }
}
