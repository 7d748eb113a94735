import { Link, useParams } from '@tanstack/react-router'
import { useList } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { Happenings } from './happenings.tsx'

/** Everything about one record, across all sources, newest first. */
export const EntityPage = () => {
  const params = useParams({ from: '/telemetry/entities/$type/$id' })
  const timeline = useList('readTimeline', { params })
  return (
    <>
      <PageHead title={`${params.type} ${params.id}`} crumbs={<Link to="/telemetry">Telemetry</Link>} />
      <div className="page-body">
        {timeline.error ? <Failure error={timeline.error} retry={timeline.retry} /> : null}
        {timeline.loading ? <Skeleton /> : null}
        {!timeline.loading && !timeline.error && timeline.items.length === 0 ? (
          <Empty title="No events about this entity." />
        ) : null}
        <Happenings items={timeline.items} />
        {timeline.hasMore ? (
          <button type="button" className="button" onClick={timeline.more}>
            Show earlier
          </button>
        ) : null}
      </div>
    </>
  )
}
