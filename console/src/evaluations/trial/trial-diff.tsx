import type { TrialDetail } from '@diorama/contract'
import { useAsk } from '../../ask.ts'
import { Failure } from '../../parts/states.tsx'
import { DiffList } from '../../worlds/diff-tab.tsx'

/** What was left changed over all services of the trial's copy of the world: by the agent, and by the world on its own. */
export const TrialDiff = ({ twins }: { twins: TrialDetail['twins'] }) => (
  <>
    <section aria-label="Changed by the agent">
      <h2>By the agent</h2>
      {twins.map((twin) => (
        <OneTwin key={twin.id} twinId={twin.id} service={twin.service} by="agent" />
      ))}
    </section>
    <section aria-label="Changed by the world">
      <h2>By the world</h2>
      <p className="hint">
        Events, coworkers and what services do as time passes. Not held against the agent.
      </p>
      {twins.map((twin) => (
        <OneTwin key={twin.id} twinId={twin.id} service={twin.service} by="world" />
      ))}
    </section>
  </>
)

interface OneTwinProps {
  readonly twinId: string
  readonly service: string
  readonly by: 'agent' | 'world'
}

const OneTwin = ({ twinId, service, by }: OneTwinProps) => {
  const diff = useAsk('diffTwin', { params: { twinId }, query: { by } })
  if (diff.error) return <Failure error={diff.error} retry={() => void diff.refetch()} />
  if (diff.data === undefined) return null
  if (diff.data.items.length === 0) return <p className="quiet">Nothing changed in the {service}.</p>
  return <DiffList entries={diff.data.items} />
}
