import { Link } from '@tanstack/react-router'
import { useAsk } from '../ask.ts'
import { Avatar } from '../parts/avatar.tsx'
import { Moment } from '../parts/moment.tsx'
import { ServiceGlyph } from '../parts/service.tsx'
import { Status, TwinStatus } from '../parts/status.tsx'
import { plural } from '../words.ts'
import { readStory, type Story, type Touchpoint } from './blueprint/blueprint.ts'
import type { LiveWorld } from './live-world.ts'
import { Coworkers, WorldEvents } from './story-people.tsx'
import { moves } from './world-clock.tsx'

/** What is going on in the company, and where in its services it can be seen. */
export const StoryTab = ({ live }: { live: LiveWorld }) => {
  const { world } = live.world
  const story = readStory(
    world.blueprint,
    world.twins.map(({ service }) => service),
  )
  const isAlive = live.world.status !== 'retired' && live.world.status !== 'failed'
  return (
    <div className="page-body story">
      <div className="story-main">
        <section className="section">
          <h2 className="story-title">{story.title}</h2>
          {story.narrative.split(/\n\n+/).map((paragraph) => (
            <p key={paragraph} className="narrative">
              {paragraph}
            </p>
          ))}
        </section>
        <section className="section">
          <h2>Threads</h2>
          {story.threads.map((thread) => (
            <div key={thread.title} className="thread-line">
              <h3>{thread.title}</h3>
              <p className="quiet">{thread.summary}</p>
              <ol className="touchpoints">
                {thread.touchpoints.map((point) => (
                  <li key={`${point.service}:${point.key}`}>
                    <PointChip worldId={world.id} point={point} />
                  </li>
                ))}
              </ol>
            </div>
          ))}
        </section>
        <Tasks live={live} story={story} />
        <Coworkers story={story} />
      </div>
      <aside className="story-side" aria-label="People and services">
        <People story={story} />
        <Services live={live} />
        {isAlive && moves(live.world) ? <WorldEvents worldId={world.id} /> : null}
        <Versions worldId={world.id} />
      </aside>
    </div>
  )
}

const PointChip = ({ worldId, point }: { worldId: string; point: Touchpoint }) => (
  <Link
    to="/worlds/$worldId/$tab"
    params={{ worldId, tab: point.service }}
    search={{ record: point.key }}
    className="touchpoint"
    title={`Open ${point.key}`}
  >
    <ServiceGlyph service={point.service} />
    <span>{point.role}</span>
  </Link>
)

const Tasks = ({ live, story }: { live: LiveWorld; story: Story }) => {
  const { evaluation } = live.world
  if (story.tasks.length === 0) return null
  return (
    <section className="section">
      <div className="section-head">
        <h2>Tasks</h2>
        {evaluation?.taskSuiteId ? (
          <span className="chips">
            {evaluation.status === 'ready' ? null : <Status value={evaluation.status} />}
            <Link to="/suites/$suiteId" params={{ suiteId: evaluation.taskSuiteId }}>
              Open the suite
            </Link>
            <Link to="/evaluations/new" search={{ suite: evaluation.taskSuiteId }} className="button">
              Evaluate agents
            </Link>
          </span>
        ) : null}
      </div>
      <ul className="task-list">
        {story.tasks.map(({ key, title, instruction }) => (
          <li key={key}>
            <strong>{title}</strong>
            <p className="quiet">{instruction}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

const People = ({ story }: { story: Story }) => (
  <section className="section">
    <h2>People</h2>
    <ul className="people">
      {story.people.map(({ handle, name, title, isApiOwner }) => (
        <li key={handle}>
          <Avatar name={name} />
          <span>
            <strong>{name}</strong> {isApiOwner ? <span className="tag">API owner</span> : null}
            <br />
            <span className="quiet">{title}</span>
          </span>
        </li>
      ))}
    </ul>
  </section>
)

const Services = ({ live }: { live: LiveWorld }) => (
  <section className="section">
    <h2>Services</h2>
    <ul className="services">
      {live.world.twins.map((twin) => (
        <li key={twin.id}>
          <ServiceGlyph service={twin.service} named />
          <span className="quiet">
            {plural(
              live.world.world.twins.find(({ service }) => service === twin.service)?.entityCount ?? 0,
              'record',
            )}
          </span>
          <TwinStatus value={twin.status} />
          {twin.error ? <span className="status-fail">{twin.error}</span> : null}
        </li>
      ))}
    </ul>
  </section>
)

const Versions = ({ worldId }: { worldId: string }) => {
  const versions = useAsk('listWorldVersions', { params: { worldId } }).data?.items ?? []
  if (versions.length < 2) return null
  return (
    <section className="section">
      <h2>Versions</h2>
      <ul className="services">
        {versions.map(({ id, version, createdAt, status }) => (
          <li key={id}>
            <Link to="/worlds/$worldId/$tab" params={{ worldId: id, tab: 'story' }}>
              Version {version.number}
            </Link>
            <span className="quiet">
              <Moment at={createdAt} form="ago" />
            </span>
            <Status value={status} />
          </li>
        ))}
      </ul>
    </section>
  )
}
