import { Link } from '@tanstack/react-router'
import type { Reply } from '../api.ts'
import { useAsk, useList } from '../ask.ts'
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
import { StandaloneTwins } from './standalone-twins.tsx'

type Summary = Reply<'listWorlds'>['items'][number]

/** One card for each lineage: it shows the newest version. */
interface Lineage {
  readonly newest: Summary
  readonly versions: number
}

const lineages = (worlds: readonly Summary[]): Lineage[] =>
  [...Map.groupBy(worlds, ({ version }) => version.rootWorldId).values()].flatMap((versions) => {
    const newest = versions.toSorted((a, b) => b.version.number - a.version.number)[0]
    return newest ? [{ newest, versions: versions.length }] : []
  })

/** How many evaluations used the suite of each world, among the newest two hundred. */
const useEvaluationCounts = (): ReadonlyMap<string, number> => {
  const query = { limit: 200 }
  const suites = useAsk('listSuites', { query }).data?.items ?? []
  const jobs = useAsk('listJobs', { query }).data?.items ?? []
  const worldOf = new Map(suites.map(({ id, world_id }) => [id, world_id]))
  const counts = new Map<string, number>()
  for (const { task_suite_id } of jobs) {
    const worldId = worldOf.get(task_suite_id)
    if (worldId) counts.set(worldId, (counts.get(worldId) ?? 0) + 1)
  }
  return counts
}

export const WorldsPage = () => {
  const worlds = useList('listWorlds', {}, { everyMs: 5_000 })
  const { search, change } = useAddress()
  const all = lineages(worlds.items)
  const counts = useEvaluationCounts()
  // A world that was stopped can be read and not used any more: like an archived one it is hidden unless asked for.
  const isHidden = ({ newest }: Lineage) => newest.archived || newest.status === 'retired'
  const hidden = all.filter(isHidden)
  const tags = [...new Set(all.flatMap(({ newest }) => newest.tags))].sort()
  const shown = all.filter(
    (one) =>
      (search.archived !== undefined || !isHidden(one)) &&
      (search.tag === undefined || one.newest.tags.includes(search.tag)),
  )
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
        {hidden.length > 0 || tags.length > 0 ? (
          <p className="chips">
            {tags.map((tag) => (
              <Chip
                key={tag}
                on={search.tag === tag}
                onClick={() => change({ tag: search.tag === tag ? undefined : tag })}
              >
                {tag}
              </Chip>
            ))}
            {hidden.length > 0 ? (
              <Chip
                on={search.archived === 'yes'}
                onClick={() => change({ archived: search.archived ? undefined : 'yes' })}
              >
                Show {hidden.length} archived or stopped
              </Chip>
            ) : null}
          </p>
        ) : null}
        <ul className="gallery">
          {shown.map(({ newest, versions }) => (
            <li key={newest.id} data-list-row="">
              <WorldCard world={newest} versions={versions} evaluations={counts.get(newest.id) ?? 0} />
            </li>
          ))}
        </ul>
        <StandaloneTwins />
        {worlds.hasMore ? (
          <button type="button" className="button" onClick={worlds.more}>
            Show more worlds
          </button>
        ) : null}
      </div>
    </>
  )
}

interface WorldCardProps {
  readonly world: Summary
  readonly versions: number
  readonly evaluations: number
}

const WorldCard = ({ world, versions, evaluations }: WorldCardProps) => (
  <Link to="/worlds/$worldId/$tab" params={{ worldId: world.id, tab: 'story' }} className="world-card">
    <span className="world-card-head">
      <strong>{world.name}</strong>
      <Status value={world.status} />
    </span>
    <span className="world-card-summary">{world.summary}</span>
    <span className="hint mono">{world.id}</span>
    {world.tags.length > 0 || world.archived ? (
      <span className="chips">
        {world.tags.map((tag) => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
        {world.archived ? <span className="hint">archived</span> : null}
      </span>
    ) : null}
    <span className="world-card-foot">
      <span className="world-card-services">
        {world.services.map((service) => (
          <ServiceGlyph key={service} service={service} />
        ))}
      </span>
      <span>{versions > 1 ? plural(versions, 'version') : 'version 1'}</span>
      {evaluations > 0 ? <span>{plural(evaluations, 'evaluation')}</span> : null}
      <span>
        <Moment at={world.createdAt} form="ago" />
      </span>
    </span>
  </Link>
)
