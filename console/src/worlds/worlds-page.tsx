import { Link } from '@tanstack/react-router'
import type { Reply } from '../api.ts'
import { useList } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Chip } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { ServiceGlyph } from '../parts/service.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { useAddress } from '../search.ts'
import { plural } from '../words.ts'
import { SampleGallery } from './sample-gallery.tsx'

type Summary = Reply<'listWorlds'>['items'][number]

/** One card for each lineage: it shows the newest version. */
const lineages = (worlds: readonly Summary[]): { newest: Summary; versions: number }[] =>
  [...Map.groupBy(worlds, ({ version }) => version.rootWorldId).values()].flatMap((versions) => {
    const newest = versions.toSorted((a, b) => b.version.number - a.version.number)[0]
    return newest ? [{ newest, versions: versions.length }] : []
  })

export const WorldsPage = () => {
  const worlds = useList('listWorlds', {}, { everyMs: 5_000 })
  const { search, change } = useAddress()
  const all = lineages(worlds.items)
  // A world that was stopped can be read and not used any more: it is out of the way unless asked for.
  const stopped = all.filter(({ newest }) => newest.status === 'retired')
  const shown = search.archived ? all : all.filter(({ newest }) => newest.status !== 'retired')
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
        {!worlds.loading && !worlds.error && worlds.items.length === 0 ? <SampleGallery /> : null}
        {stopped.length > 0 ? (
          <p>
            <Chip
              on={search.archived === 'yes'}
              onClick={() => change({ archived: search.archived ? undefined : 'yes' })}
            >
              Show {plural(stopped.length, 'stopped world')}
            </Chip>
          </p>
        ) : null}
        <ul className="gallery">
          {shown.map(({ newest, versions }) => (
            <li key={newest.id} data-list-row="">
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

const WorldCard = ({ world, versions }: { world: Summary; versions: number }) => (
  <Link to="/worlds/$worldId/$tab" params={{ worldId: world.id, tab: 'story' }} className="world-card">
    <span className="world-card-head">
      <strong>{world.name}</strong>
      <Status value={world.status} />
    </span>
    <span className="world-card-summary">{world.summary}</span>
    <span className="hint mono">{world.id}</span>
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
