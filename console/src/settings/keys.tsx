import type { ApiKey, Scope } from '@diorama/contract'
import { type FormEvent, useState } from 'react'
import { useChange, useList } from '../ask.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { Copy } from '../parts/copy.tsx'
import { Field } from '../parts/field.tsx'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Modal } from '../parts/modal.tsx'
import { Moment } from '../parts/moment.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'

const scopes: Readonly<Record<Scope, string>> = {
  'worlds:read': 'Read worlds',
  'worlds:write': 'Launch, reset and stop worlds',
  'twins:read': 'Read twins',
  'twins:write': 'Create, reset and stop twins',
  'suites:read': 'Read suites and scorers',
  'suites:write': 'Change suites and scorers',
  'evals:read': 'Read evaluations',
  'evals:write': 'Start and cancel evaluations',
  'agents:read': 'Read agents and runs',
  'agents:write': 'Register agents, record runs, chat',
  'events:read': 'Read events, traces and signals',
  'events:write': 'Record events',
  'traces:write': 'Record traces',
  'signals:write': 'Record signals',
  'models:read': 'Read model providers, cassettes and calls',
  'models:write': 'Change model providers and cassettes',
  'keys:write': 'Create and revoke keys',
}
const isScope = (name: string): name is Scope => name in scopes
const scopeNames = Object.keys(scopes).filter(isScope)

/** The keys of the organization: create one, copy it once, revoke it. */
export const Keys = () => {
  const keys = useList('listApiKeys')
  const [making, setMaking] = useState(false)
  const [revoking, setRevoking] = useState<ApiKey>()
  return (
    <section className="section">
      <div className="section-head">
        <h2>API keys</h2>
        <button type="button" className="button" onClick={() => setMaking(true)}>
          Create a key
        </button>
      </div>
      {keys.error ? <Failure error={keys.error} retry={keys.retry} /> : null}
      {keys.loading ? (
        <Skeleton rows={3} />
      ) : (
        <KeyTable keys={keys.items.filter(({ revoked_at }) => revoked_at === null)} onRevoke={setRevoking} />
      )}
      {making ? <Create onClose={() => setMaking(false)} /> : null}
      {revoking ? <Revoke apiKey={revoking} onClose={() => setRevoking(undefined)} /> : null}
    </section>
  )
}

const keyColumns: readonly TableColumn<ApiKey>[] = [
  { name: 'Name', cell: ({ name }) => name },
  { name: 'Class', cell: ({ class: kind }) => kind },
  {
    name: 'Scopes',
    look: 'quiet',
    cell: (key) => (key.class === 'standard' ? key.scopes.join(', ') || 'none' : 'all'),
  },
  {
    name: 'Last used',
    look: 'number quiet',
    cell: ({ last_used_at }) => (last_used_at ? <Moment at={last_used_at} form="ago" /> : 'never'),
  },
  {
    name: 'Expires',
    look: 'number quiet',
    cell: ({ expires_at }) => (expires_at ? <Moment at={expires_at} form="ago" /> : 'never'),
  },
]

const KeyTable = ({ keys, onRevoke }: { keys: readonly ApiKey[]; onRevoke: (key: ApiKey) => void }) => (
  <Table
    label="API keys"
    rows={keys}
    keyOf={({ id }) => id}
    columns={[
      ...keyColumns,
      {
        name: 'Revoke',
        unnamed: true,
        look: 'number',
        cell: (key) => (
          <button type="button" className="link" onClick={() => onRevoke(key)}>
            Revoke<span className="unseen"> {key.name}</span>
          </button>
        ),
      },
    ]}
  />
)

const Create = ({ onClose }: { onClose: () => void }) => {
  const create = useChange('createApiKey')
  const [name, setName] = useState('')
  const [keyClass, setKeyClass] = useState<'standard' | 'platform'>('standard')
  const [chosen, setChosen] = useState<readonly Scope[]>([])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A platform key has every scope anyway; it is stored with them, so that no key is ever without.
    create.mutate({
      body: { name, class: keyClass, scopes: keyClass === 'standard' ? [...chosen] : scopeNames },
    })
  }
  // A standard key without scopes could do nothing.
  const isPowerless = keyClass === 'standard' && chosen.length === 0
  if (create.data) return <Secret secret={create.data.secret} name={create.data.name} onClose={onClose} />
  return (
    <Modal title="Create a key" open onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <Field label="Name">
          {(id) => (
            <input
              id={id}
              value={name}
              onChange={(event) => setName(event.target.value)}
              maxLength={120}
              required
            />
          )}
        </Field>
        <Field
          label="Class"
          hint={
            keyClass === 'platform'
              ? 'Everything in this organization.'
              : 'Only the scopes chosen below; choose at least one.'
          }
        >
          {(id) => (
            <select
              id={id}
              value={keyClass}
              onChange={(event) => setKeyClass(event.target.value === 'platform' ? 'platform' : 'standard')}
            >
              <option value="standard">standard</option>
              <option value="platform">platform</option>
            </select>
          )}
        </Field>
        {keyClass === 'standard' ? <ScopeChoice chosen={chosen} setChosen={setChosen} /> : null}
        {create.error ? <Failure error={create.error} /> : null}
        <div className="modal-actions">
          <button
            type="submit"
            className="button is-primary"
            disabled={name === '' || isPowerless || create.isPending}
          >
            Create
          </button>
        </div>
      </form>
    </Modal>
  )
}

const ScopeChoice = ({
  chosen,
  setChosen,
}: {
  chosen: readonly Scope[]
  setChosen: (scopes: readonly Scope[]) => void
}) => (
  <fieldset className="choices scopes">
    <legend className="legend">Scopes</legend>
    {scopeNames.map((scope) => (
      <label key={scope} className="choice">
        <input
          type="checkbox"
          checked={chosen.includes(scope)}
          onChange={() =>
            setChosen(chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope])
          }
        />
        {scopes[scope]}
      </label>
    ))}
  </fieldset>
)

const Secret = ({ secret, name, onClose }: { secret: string; name: string; onClose: () => void }) => (
  <Modal title={`Key created: ${name}`} about="Copy it now. It won't be shown again." open onClose={onClose}>
    <div className="command">
      <code data-testid="secret">{secret}</code>
      <Copy text={secret} label="Copy the key" />
    </div>
    <div className="modal-actions">
      <button type="button" className="button is-primary" onClick={onClose}>
        Done
      </button>
    </div>
  </Modal>
)

const Revoke = ({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) => {
  const revoke = useChange('revokeApiKey')
  return (
    <Confirmation
      title={`Revoke ${apiKey.name}?`}
      about="Requests that use it are refused immediately. This can't be undone."
      yes="Revoke the key"
      doing={revoke}
      onYes={() => revoke.mutate({ params: { keyId: apiKey.id } }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
