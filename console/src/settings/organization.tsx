import type { Me } from '@diorama/contract'
import { type FormEvent, useState } from 'react'
import { useChange } from '../ask.ts'
import { Field } from '../parts/field.tsx'
import { Failure } from '../parts/states.tsx'

interface Draft {
  readonly name: string
  readonly events: string
  readonly ledgers: string
  readonly hosts: string
}

const draftOf = ({ organization: { name, limits } }: Me): Draft => ({
  name,
  events: limits.event_retention_days === null ? '' : String(limits.event_retention_days),
  ledgers: limits.ledger_retention_days === null ? '' : String(limits.ledger_retention_days),
  hosts: limits.agent_hosts.join('\n'),
})

const days = (text: string): number | null => (text === '' ? null : Number(text))

/** Name, retention and allowed hosts, for operators to change; others see them. */
export const OrganizationSettings = ({ me }: { me: Me }) => {
  const update = useChange('updateOrganization')
  const [draft, setDraft] = useState<Draft>(() => draftOf(me))
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const isOperator = me.key.class === 'operator'
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(me))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    update.mutate({
      params: { organizationId: me.organization.id },
      body: {
        name: draft.name,
        limits: {
          event_retention_days: days(draft.events),
          ledger_retention_days: days(draft.ledgers),
          agent_hosts: draft.hosts.split(/[\s,]+/).filter((host) => host !== ''),
        },
      },
    })
  }
  return (
    <section className="section" aria-labelledby="organization">
      <h2 id="organization">Organization</h2>
      {isOperator ? null : <p className="quiet">Only an operator key can change these.</p>}
      <form className="form" aria-label="Organization" onSubmit={submit}>
        <fieldset className="plain-fields" disabled={!isOperator}>
          <Field label="Organization name">
            {(id) => (
              <input
                id={id}
                value={draft.name}
                maxLength={120}
                required
                onChange={(event) => set({ name: event.target.value })}
              />
            )}
          </Field>
          <div className="form-pair">
            <Days
              label="Keep events and traces for (days)"
              hint="Empty: as long as the deployment says."
              value={draft.events}
              onChange={(events) => set({ events })}
            />
            <Days
              label="Keep ended twins and ledgers for (days)"
              hint="Empty: until they are deleted."
              value={draft.ledgers}
              onChange={(ledgers) => set({ ledgers })}
            />
          </div>
          <Field
            label="Hosts that agents may reach"
            hint="Public hosts, one on each line, beside the services of their world. By HTTPS."
          >
            {(id) => (
              <textarea
                id={id}
                className="mono"
                rows={3}
                value={draft.hosts}
                placeholder="api.example.com"
                onChange={(event) => set({ hosts: event.target.value })}
              />
            )}
          </Field>
        </fieldset>
        {update.error ? <Failure error={update.error} /> : null}
        <div className="form-foot">
          {update.isSuccess && !isChanged ? <span role="status">Saved.</span> : null}
          <button
            type="submit"
            className="button is-primary"
            disabled={!isOperator || !isChanged || draft.name === '' || update.isPending}
          >
            Save
          </button>
        </div>
      </form>
    </section>
  )
}

interface DaysProps {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onChange: (value: string) => void
}

const Days = ({ label, hint, value, onChange }: DaysProps) => (
  <Field label={label} hint={hint}>
    {(id) => (
      <input
        id={id}
        type="number"
        min={1}
        max={36_500}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </Field>
)
