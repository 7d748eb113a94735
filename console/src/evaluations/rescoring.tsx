import type { Job } from '@diorama/contract'
import { useState } from 'react'
import { useAll, useChange } from '../ask.ts'
import { Modal } from '../parts/modal.tsx'
import { Failure } from '../parts/states.tsx'

/** Rescores a finished evaluation without running the agents: by its tasks' scorers, or by others. */
export const Rescoring = ({ job, onClose }: { job: Job; onClose: () => void }) => {
  const rescore = useChange('rescoreJob')
  const library = useAll('listScorers').data?.items ?? []
  const [chosen, setChosen] = useState<readonly string[]>([])
  const toggle = (id: string) =>
    setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  const send = () =>
    rescore.mutate(
      { params: { jobId: job.id }, body: { scorers: chosen.length > 0 ? [...chosen] : null } },
      { onSuccess: onClose },
    )
  return (
    <Modal
      title="Rescore this evaluation"
      about="Scores the recorded results again without running the agents. Choose other scorers, or leave them unchecked to use each task's scorers."
      open
      onClose={onClose}
    >
      <div className="rescoring">
        <fieldset className="choices">
          <legend className="legend">Use these scorers instead</legend>
          {library.map(({ id, name, slug }) => (
            <label key={id} className="choice">
              <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
              <span>
                {name} <span className="hint mono">{slug}</span>
              </span>
            </label>
          ))}
        </fieldset>
      </div>
      {rescore.error ? <Failure error={rescore.error} /> : null}
      <div className="modal-actions">
        <button
          type="button"
          className="button is-primary"
          disabled={rescore.isPending || chosen.length > 50}
          onClick={send}
        >
          {rescore.isPending ? 'Rescoring…' : 'Rescore'}
        </button>
      </div>
    </Modal>
  )
}
