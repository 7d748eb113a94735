import type { TrialDetail } from '@diorama/contract'
import { useQueries } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { serviceName } from '../../parts/service.tsx'
import { Failure, Skeleton } from '../../parts/states.tsx'
import { DiffList } from '../../worlds/diff-tab.tsx'

/** What was left changed over all services of the trial's copy of the world: by the agent, and by the world on its own. */
export const TrialDiff = ({ twins }: { twins: TrialDetail['twins'] }) => (
  <>
    <section className="section" aria-label="Changed by the agent">
      <h2>By the agent</h2>
      <Side twins={twins} by="agent" />
    </section>
    <section className="section" aria-label="Changed by the world">
      <h2>By the world</h2>
      <p className="hint">
        Events, coworkers and what services do as time passes. Not held against the agent.
      </p>
      <Side twins={twins} by="world" />
    </section>
  </>
)

interface SideProps {
  readonly twins: TrialDetail['twins']
  readonly by: 'agent' | 'world'
}

const words = new Intl.ListFormat('en', { type: 'disjunction' })

/** The changed records of all services; services without changes share one line. */
const Side = ({ twins, by }: SideProps) => {
  const diffs = useQueries({
    queries: twins.map(({ id }) => ({
      queryKey: ['diffTwin', id, by],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call('diffTwin', { params: { twinId: id }, query: { by }, signal }),
    })),
  })
  const failed = diffs.find(({ error }) => error)
  if (failed?.error) return <Failure error={failed.error} retry={() => void failed.refetch()} />
  if (diffs.some(({ isPending }) => isPending)) return <Skeleton rows={2} />
  const entries = diffs.flatMap(({ data }) => data?.items ?? [])
  const still = twins.filter((_, index) => diffs[index]?.data?.items.length === 0)
  return (
    <>
      {entries.length > 0 ? <DiffList entries={entries} /> : null}
      {still.length > 0 ? (
        <p className="quiet">
          Nothing changed in {words.format(still.map(({ service }) => serviceName(service)))}.
        </p>
      ) : null}
    </>
  )
}
