import { Link } from '@tanstack/react-router'
import type { Reply } from '../api.ts'
import { useList } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { ServiceGlyph } from '../parts/service.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { plural } from '../words.ts'

type Summary = Reply<'listWorlds'>['items'][number]

/** One card for each lineage: its newest version stands for it. */
const lineages = (worlds: readonly Summary[]): { newest: Summary; versions: number }[] =>
  [...Map.groupBy(worlds, ({ version }) => version.rootWorldId).values()].flatMap((versions) => {
    const newest = versions.toSorted((a, b) => b.version.number - a.version.number)[0]
    return newest ? [{ newest, versions: versions.length }] : []
  })

export const WorldsPage = () => {
  const worlds = useList('listWorlds', {}, { everyMs: 5_000 })
  return (
    <>
      <PageHead title="Worlds">
        <Link to="/worlds/new" className="button is-primary">
          <Icon name="plus" size={14} /> Launch a world
        </Link>
      </PageHead>
      <div className="page-body">
        {worlds.error && worlds.items.length === 0 ? (
          <Failure error={worlds.error} retry={worlds.retry} />
        ) : null}
        {worlds.loading ? <Skeleton /> : null}
        {!worlds.loading && !worlds.error && worlds.items.length === 0 ? <NoWorlds /> : null}
        <ul className="gallery">
          {lineages(worlds.items).map(({ newest, versions }) => (
            <li key={newest.id}>
              <WorldCard world={newest} versions={versions} />
            </li>
          ))}
        </ul>
        {worlds.hasMore ? (
          <button type="button" className="button" onClick={worlds.more}>
            Show more worlds
          </button>
        ) : null}
      </div>
    </>
  )
}

const NoWorlds = () => (
  <Empty title="No worlds yet." command={`curl -s ${location.origin}/v1/builder/blueprint.sample.json`}>
    <p className="quiet">
      A world is a company made of connected services that tell one story.{' '}
      <Link to="/worlds/new">Launch one</Link> from the sample company, or from a blueprint of your own.
    </p>
  </Empty>
)

const WorldCard = ({ world, versions }: { world: Summary; versions: number }) => (
  <Link to="/worlds/$worldId/$tab" params={{ worldId: world.id, tab: 'story' }} className="world-card">
    <span className="world-card-head">
      <strong>{world.name}</strong>
      <Status value={world.status} />
    </span>
    <span className="world-card-summary">{world.summary}</span>
    <span className="world-card-foot">
      <span className="world-card-services">
        {world.services.map((service) => (
          <ServiceGlyph key={service} service={service} />
        ))}
      </span>
      <span>{versions > 1 ? plural(versions, 'version') : 'version 1'}</span>
      <span>
        <Moment at={world.createdAt} form="ago" />
      </span>
    </span>
  </Link>
)
