import type { WorldResponse } from '@diorama/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useAsk, useChange } from '../ask.ts'
import { Field } from '../parts/field.tsx'
import { Modal } from '../parts/modal.tsx'
import { Moment } from '../parts/moment.tsx'
import { Failure } from '../parts/states.tsx'

/** Keeps the world as it is now under a name, and forks worlds from what was kept. */
export const WorldSnapshots = ({ world: { world } }: { world: WorldResponse }) => {
  const [open, setOpen] = useState(false)
  const [name, setName] = useState('')
  const take = useChange('createSnapshot')
  const params = { worldId: world.id }
  const keep = (event: FormEvent) => {
    event.preventDefault()
    take.mutate({ params, body: { name: name.trim() } }, { onSuccess: () => setName('') })
  }
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Snapshots
      </button>
      <Modal
        title="Snapshots"
        about="A snapshot keeps every record of this world as it is now. A fork is a new world that begins with it."
        open={open}
        onClose={() => setOpen(false)}
      >
        <form onSubmit={keep}>
          <Field label="Name of the snapshot">
            {(id) => (
              <input
                id={id}
                value={name}
                maxLength={120}
                required
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          {take.error ? <Failure error={take.error} /> : null}
          <p className="modal-actions">
            <button
              type="submit"
              className="button is-primary"
              disabled={take.isPending || name.trim() === ''}
            >
              {take.isPending ? 'Taking the snapshot…' : 'Take a snapshot'}
            </button>
          </p>
        </form>
        {open ? <Kept worldId={world.id} onForked={() => setOpen(false)} /> : null}
      </Modal>
    </>
  )
}

const Kept = ({ worldId, onForked }: { worldId: string; onForked: () => void }) => {
  const go = useNavigate()
  const kept = useAsk('listSnapshots', { params: { worldId }, query: { limit: 20 } }).data?.items ?? []
  const launch = useChange('launchWorld')
  const fork = (datasetVersionId: string) =>
    launch.mutate(
      { body: { datasetVersionId } },
      {
        onSuccess: ({ world }) => {
          onForked()
          void go({ to: '/worlds/$worldId/$tab', params: { worldId: world.id, tab: 'story' } })
        },
      },
    )
  return (
    <>
      {launch.error ? <Failure error={launch.error} /> : null}
      <ul aria-label="Kept snapshots">
        {kept.map(({ id, name, number, created_at }) => (
          <li key={id}>
            <Link to="/datasets/$versionId" params={{ versionId: id }}>
              {name}, version {number}
            </Link>{' '}
            <Moment at={created_at} form="ago" />{' '}
            <button type="button" className="button" disabled={launch.isPending} onClick={() => fork(id)}>
              Fork {name}, version {number}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
