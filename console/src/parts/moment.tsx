import { now } from '../clock.ts'
import { ago, clockTime, dateTime, exactly, storyMoment } from '../words.ts'

const forms = {
  full: dateTime,
  clock: clockTime,
  ago: (at: string) => ago(at, now()),
} as const

/** A moment in the reader's zone, or how long ago it was; its title says it exactly, in UTC. */
export const Moment = ({ at, form = 'full' }: { at: string; form?: keyof typeof forms }) => (
  <time dateTime={at} title={exactly(at)}>
    {forms[form](at)}
  </time>
)

/** A moment of the story, by the story's own clock, which goes by UTC for every reader. */
export const StoryMoment = ({ at }: { at: string }) => (
  <time dateTime={at} title={`${exactly(at)} in the story`}>
    {storyMoment(at)}
  </time>
)
