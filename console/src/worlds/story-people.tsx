import { useAsk } from '../ask.ts'
import { Avatar } from '../parts/avatar.tsx'
import { StoryMoment } from '../parts/moment.tsx'
import { plural } from '../words.ts'
import type { Coworker, Story } from './blueprint/blueprint.ts'

const tells: Readonly<Record<string, string>> = {
  always: 'tells anybody',
  when_asked: 'tells when asked',
  only_to: 'tells only',
  never: 'never tells',
}

/** What the people who answer know, to whom they tell it, and what they approve. */
export const Coworkers = ({ story }: { story: Story }) => {
  if (story.coworkers.length === 0) return null
  const nameOf = (handle: string) => story.people.find((one) => one.handle === handle)?.name ?? handle
  return (
    <section className="section" aria-label="What coworkers know">
      <h2>What coworkers know</h2>
      <ul className="task-list">
        {story.coworkers.map((coworker) => (
          <li key={coworker.person} className="coworker">
            <Avatar name={nameOf(coworker.person)} />
            <Knowledge coworker={coworker} nameOf={nameOf} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface KnowledgeProps {
  readonly coworker: Coworker
  readonly nameOf: (handle: string) => string
}

const Knowledge = ({ coworker, nameOf }: KnowledgeProps) => {
  const { person, knows, approvals, replyDelay, escalatesTo } = coworker
  const habits = [
    replyDelay ? `answers after ${replyDelay}` : '',
    escalatesTo ? `escalates to ${nameOf(escalatesTo)}` : '',
  ].filter(Boolean)
  return (
    <div>
      <strong>{nameOf(person)}</strong>
      {habits.length > 0 ? <span className="quiet"> {habits.join(', ')}</span> : null}
      <ul className="facts-known">
        {knows.map(({ fact, tell, to, first }) => (
          <li key={fact}>
            {fact}{' '}
            <span className="tag">
              {tells[tell] ?? tell}
              {tell === 'only_to' ? ` ${to.map(nameOf).join(', ')}` : ''}
            </span>
            {first ? <span className="quiet"> Says first: {first}</span> : null}
          </li>
        ))}
        {approvals.map(({ about, below, otherwise }) => (
          <li key={about.join()}>
            Approves {about.join(', ')}
            {below === null ? '' : ` below ${below}`}
            <span className="quiet">, {otherwise === 'escalate' ? 'passes on' : 'refuses'} the rest</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** What the world has scheduled and what has happened. */
export const WorldEvents = ({ worldId }: { worldId: string }) => {
  const { data } = useAsk('listWorldEvents', { params: { worldId } }, { everyMs: 10_000 })
  const events = data?.items ?? []
  if (events.length === 0) return null
  return (
    <section className="section" aria-label="Events">
      <h2>Events</h2>
      <ul className="services">
        {events.map(({ key, status, next_at, fired }) => (
          <li key={key}>
            <strong>{key}</strong>
            <span className="quiet">
              {next_at === null ? (
                status === 'done' ? (
                  'over'
                ) : (
                  'waits for its condition'
                )
              ) : (
                <>
                  at <StoryMoment at={next_at} />
                </>
              )}
              {fired > 0 ? `, happened ${plural(fired, 'time')}` : ''}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
