import type { TrialDetail } from '@diorama/contract'
import { useAsk } from '../../ask.ts'
import { Failure } from '../../parts/states.tsx'
import { DiffList } from '../../worlds/diff-tab.tsx'

/** What the agent left changed, over all services of its copy of the world. */
export const TrialDiff = ({ twins }: { twins: TrialDetail['twins'] }) => (
  <>
    {twins.map((twin) => (
      <OneTwin key={twin.id} twinId={twin.id} service={twin.service} />
    ))}
  </>
)

const OneTwin = ({ twinId, service }: { twinId: string; service: string }) => {
  const diff = useAsk('diffTwin', { params: { twinId } })
  if (diff.error) return <Failure error={diff.error} retry={() => void diff.refetch()} />
  if (diff.data === undefined) return null
  if (diff.data.items.length === 0) return <p className="quiet">Nothing changed in the {service}.</p>
  return <DiffList entries={diff.data.items} />
}
