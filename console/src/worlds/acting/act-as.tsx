import type { TwinInstanceRecord } from '@diorama/contract'
import { useId } from 'react'
import { useAddress } from '../../search.ts'
import { usePeople } from './acting.ts'

/** Chooses the person that the reader acts as in a service, or no one. */
export const ActAs = ({ twin }: { twin: TwinInstanceRecord }) => {
  const { search, change } = useAddress()
  const people = usePeople(twin)
  const id = useId()
  if (people.length === 0) return null
  const isActing = people.some(({ subject }) => subject === search.person)
  return (
    <div className={isActing ? 'act-as is-acting' : 'act-as'}>
      <label htmlFor={id}>Act as</label>
      <select
        id={id}
        value={isActing ? search.person : ''}
        onChange={(event) => change({ person: event.target.value || undefined })}
      >
        <option value="">no one (read only)</option>
        {people.map(({ subject, name }) => (
          <option key={subject} value={subject}>
            {name}
          </option>
        ))}
      </select>
      {isActing ? (
        <span className="hint">Sent to the service’s own API and recorded in the ledger as this person.</span>
      ) : null}
    </div>
  )
}
