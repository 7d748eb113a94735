import type { WorldResponse } from '@diorama/contract'
import { now } from '../clock.ts'
import { storyDay, storyMinute } from '../words.ts'

/** The story's now: its clock, and the time that has passed since the world was launched. */
export const storyClock = ({ world }: WorldResponse): string => {
  const clock = Date.parse(String(world.blueprint['clock'] ?? ''))
  const ms = clock + now() - Date.parse(world.createdAt)
  return Number.isNaN(ms) ? 'an unknown time' : `${storyDay(ms)}, ${storyMinute(ms)} UTC`
}
