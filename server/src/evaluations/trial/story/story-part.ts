import { integration } from '@diorama/twin-kit/kernel/twin'
import type { StoryPart } from '../../../scoring/world-file.ts'
import type { WorldClock } from '../../../worlds/clock/world-clock.ts'
import type { RecordedWait } from './reading.ts'

/** What scorers are shown of the story: when it began, who was written to, and when the agent waited. */
export const storyPart = (clock: WorldClock, waits: readonly RecordedWait[]): StoryPart => {
  const { agent, startsAt } = clock.facts()
  const subjectOf = (subject: string): string => (subject === agent ? integration : subject)
  return {
    story: { start: new Date(startsAt).toISOString() },
    addressed: clock.addressed().map(({ requestId, notice }) => ({
      request_id: requestId,
      to: subjectOf(notice.to),
      from: subjectOf(notice.from),
      kind: notice.kind,
      text: notice.text,
      place: notice.where,
    })),
    waits: waits.map(({ from, to, by }) => ({
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      by,
    })),
  }
}
