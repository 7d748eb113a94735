import type { WorldResponse } from '@diorama/contract'
import { useNavigate } from '@tanstack/react-router'
import { useChange } from '../../ask.ts'
import { Failure } from '../../parts/states.tsx'

/** Whose request it is: a world's, or one in a trial's copy of a world. */
export type BranchSource = { readonly worldId: string } | { readonly jobId: string; readonly trialId: string }

/** Starts a world as it was after a request, and opens it. */
export const BranchButton = ({ source, at }: { source: BranchSource; at: string }) => {
  const go = useNavigate()
  const ofWorld = useChange('branchWorld')
  const ofTrial = useChange('branchTrial')
  const started = {
    onSuccess: ({ world }: WorldResponse) =>
      go({ to: '/worlds/$worldId/$tab', params: { worldId: world.id, tab: 'story' } }),
  }
  const branch = () =>
    'worldId' in source
      ? ofWorld.mutate({ params: { worldId: source.worldId }, body: { at } }, started)
      : ofTrial.mutate({ params: { jobId: source.jobId, trialId: source.trialId }, body: { at } }, started)
  const error = ofWorld.error ?? ofTrial.error
  return (
    <div aria-live="polite">
      <button
        type="button"
        className="button"
        disabled={ofWorld.isPending || ofTrial.isPending}
        onClick={branch}
      >
        Branch from here
      </button>
      <p className="hint">Starts a new world with the state after this request.</p>
      {error ? <Failure error={error} /> : null}
    </div>
  )
}
