import { setTimeout as delay } from 'node:timers/promises'
import type { ListeningParts } from './listening-parts.ts'
import type { IdleRule } from './reach.ts'

/** A delivery that is due within this time is waited for; a later retry is not. */
const soonMs = 5_000
const pollMs = 20
/** Without story time nothing reports that the agent is idle: it counts as idle when it has made no call for so long. */
const stillMs = 1_000
/**
 * Runtimes wake up every few seconds to tidy up, and hours of the story would pass in such steps. The longer the agent
 * has made no call, the longer the steps: its own timers are late by at most this share of that time. An agent that
 * holds a socket for dead after such a step has shorter ones from then on.
 */
const coarseness = 1 / 8
/** An agent without a deadline reports one that is further away than this. */
const foreverMs = 300 * 86_400_000

/** Finds out when a trial with an agent that listens is over. */
export interface Quiet {
  /** For an idle agent in story time, with how far its own deadline is. */
  readonly rule: IdleRule
  /** For an agent without story time: moves the story where nothing happens by the wall. */
  readonly look: () => Promise<void>
  readonly isOver: () => boolean
}

export const createQuiet = ({ listen, world, deliveries, now }: ListeningParts): Quiet => {
  const { story } = world
  const ids = world.twins.map(({ id }) => id)
  const beganAt = story?.now() ?? 0
  const idleMs = listen.idle_seconds * 1_000
  const latest = beganAt + listen.max_story_seconds * 1_000
  let isOver = story === undefined
  let begun = 0
  let stillSince = now()
  /** What was written when there was last nothing to send: nothing is emitted without a write. */
  let writtenWhenQuiet: string | undefined

  const isSending = async (): Promise<boolean> => {
    const written = world.reach.written()
    if (written === writtenWhenQuiet) return false
    const { count, nextAt } = await deliveries.pendingWork(ids)
    writtenWhenQuiet = count === 0 ? written : undefined
    return count > 0 && (nextAt === null || nextAt.getTime() <= now() + soonMs)
  }

  const rule: IdleRule = async (ms, signal) => {
    if (!story || isOver || (await isSending())) {
      await delay(pollMs)
      return true
    }
    const now = story.now()
    const due = story.nextDue()
    const idleFor = now - Math.max(beganAt, story.lastBegunAt())
    const isIdle = due === undefined && (ms > foreverMs || idleFor + ms > idleMs)
    if (isIdle || Math.min(now + ms, due ?? Infinity) > latest) {
      isOver = true
      return true
    }
    const stepMs = Math.max(ms, Math.min(idleFor * coarseness, world.reach.maxStepMs()))
    await story.waitUntil(Math.min(now + stepMs, due ?? Infinity, latest + 1), { untilTold: true, signal })
    return true
  }

  const look = async (): Promise<void> => {
    if (!story) return
    if (story.begun() !== begun || story.isUnderWay()) {
      begun = story.begun()
      stillSince = now()
      return
    }
    const isStory = story.mode() === 'story'
    if (now() - stillSince < (isStory ? stillMs : Math.max(stillMs, idleMs)) || (await isSending())) return
    const due = story.nextDue()
    if (due === undefined || due > latest || story.now() > latest) isOver = true
    else if (isStory) await story.waitUntil(due, { untilTold: true })
  }

  return { rule, look, isOver: () => isOver }
}
