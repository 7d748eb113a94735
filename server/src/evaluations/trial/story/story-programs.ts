import type { TrialStep } from '@diorama/contract'
import type { StoryClock, StorySource } from '@diorama/sandbox/story/story-clock'
import type { Called } from '../listening/reach.ts'
import type { RequestLog } from '../request-log.ts'
import type { StoryWait, StoryWaited } from './story-wait.ts'
import { worldHost } from './wait-endpoint.ts'

/** Shorter waits of programs are not worth a step. */
const shortestWaitMs = 1_000

/** Programs in the sandbox wait as others do by the endpoint; what the world tells the agent ends their wait early. */
export const storySource = (
  story: StoryWait,
  waited: (wait: StoryWaited, by: 'preload') => void,
  log: Pick<RequestLog, 'stop'>,
  { rule, hearts }: Pick<Called, 'rule' | 'hearts'>,
): StorySource => ({
  now: story.now,
  moved: () => hearts.beat(story.now()),
  advance: async (ms, signal) => {
    const before = story.waitedMs()
    if (await rule()?.(ms, signal)) return story.waitedMs() - before
    const wait = await story.waitUntil(story.now() + ms, { untilTold: true, signal })
    const movedMs = story.waitedMs() - before
    if (movedMs >= shortestWaitMs) waited(wait, 'preload')
    return movedMs
  },
  onFailure: (error) =>
    log.stop({
      by: 'platform',
      reason: `The story could not be moved: ${error instanceof Error ? error.message : error}`,
    }),
})

/** Somebody who waits by the endpoint keeps no one else from waiting. */
export const underWayOf = (
  clock: StoryClock,
): Pick<StoryClock, 'begin' | 'end'> & { skips: (host: string) => boolean } => ({
  begin: () => clock.begin(),
  end: () => clock.end(),
  skips: (host) => host === worldHost,
})

/** A wait, by the story's time; it takes next to none of ours. */
export const waitStep = ({ from, to, told }: StoryWaited, by: string, now: number): TrialStep => ({
  kind: 'tool_call',
  name: `wait ${Math.round((to - from) / 1_000)} s`,
  status: 'succeeded',
  started_at: new Date(now).toISOString(),
  duration_ms: 0,
  detail: {
    wait: { by, from: new Date(from).toISOString(), to: new Date(to).toISOString(), told: told.length },
  },
})
