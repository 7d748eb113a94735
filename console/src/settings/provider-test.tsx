import type { ModelProvider } from '@diorama/contract'
import { type FormEvent, useState } from 'react'
import { useChange } from '../ask.ts'
import { Field } from '../parts/field.tsx'
import { Modal } from '../parts/modal.tsx'
import { Failure } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { duration } from '../words.ts'

/** Asks the provider one small question, with the stored key. */
export const ProviderTest = ({ provider, onClose }: { provider: ModelProvider; onClose: () => void }) => {
  const test = useChange('testModelProvider')
  const known = [...Object.keys(provider.prices), ...(provider.models ?? [])].find((id) => !id.includes('*'))
  const [model, setModel] = useState(known ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    test.mutate({ params: { name: provider.name }, body: { model } })
  }
  const { data } = test
  return (
    <Modal
      title={`Test ${provider.name}`}
      about="Sends one short question with the stored key. It may cost a few tokens."
      open
      onClose={onClose}
    >
      <form className="form" onSubmit={submit}>
        <Field label="Model">
          {(id) => (
            <input
              id={id}
              value={model}
              onChange={(event) => setModel(event.target.value)}
              maxLength={200}
              required
            />
          )}
        </Field>
        <div aria-live="polite">
          {test.error ? <Failure error={test.error} /> : null}
          {data ? (
            <p>
              <Status
                value={data.ok ? 'passed' : 'failed'}
                label={data.ok ? 'It answered' : 'It did not answer'}
              />{' '}
              <span className="quiet">
                {data.status === null ? '' : `status ${data.status}, `}
                {duration(data.latency_ms)}
              </span>
            </p>
          ) : null}
          {data ? <p className="wrap">{data.error ?? data.reply}</p> : null}
        </div>
        <div className="modal-actions">
          <button type="submit" className="button is-primary" disabled={model === '' || test.isPending}>
            {test.isPending ? 'Asking…' : 'Test the connection'}
          </button>
        </div>
      </form>
    </Modal>
  )
}
