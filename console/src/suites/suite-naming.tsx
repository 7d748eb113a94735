import type { TaskSuite } from '@diorama/contract'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useChange } from '../ask.ts'
import { Field } from '../parts/field.tsx'
import { Modal } from '../parts/modal.tsx'
import { Failure } from '../parts/states.tsx'

/** Names a suite: a new one, or one that is there. */
export const SuiteNaming = ({ suite, onClose }: { suite?: TaskSuite; onClose: () => void }) => {
  const go = useNavigate()
  const create = useChange('createSuite')
  const update = useChange('updateSuite')
  const [name, setName] = useState(suite?.name ?? '')
  const [description, setDescription] = useState(suite?.description ?? '')
  const body = { name, description }
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (suite) update.mutate({ params: { suiteId: suite.id }, body }, { onSuccess: onClose })
    else
      create.mutate(
        { body },
        { onSuccess: ({ id }) => go({ to: '/suites/$suiteId', params: { suiteId: id } }) },
      )
  }
  const error = create.error ?? update.error
  return (
    <Modal title={suite ? 'Name and description' : 'New suite'} open onClose={onClose}>
      <form className="form" onSubmit={save}>
        <Field label="Name">
          {(id) => (
            <input
              id={id}
              value={name}
              maxLength={200}
              required
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Field label="Description" hint="What passing this suite says about an agent.">
          {(id) => (
            <textarea
              id={id}
              rows={3}
              maxLength={10_000}
              value={description}
              onChange={(event) => setDescription(event.target.value)}
            />
          )}
        </Field>
        {error ? <Failure error={error} /> : null}
        <div className="modal-actions">
          <button
            type="submit"
            className="button is-primary"
            disabled={name.trim() === '' || create.isPending || update.isPending}
          >
            {suite ? 'Save' : 'Create'}
          </button>
        </div>
      </form>
    </Modal>
  )
}
