import type { Agent } from '@diorama/contract'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useAsk, useChange } from '../ask.ts'
import { Field } from '../parts/field.tsx'
import { Modal } from '../parts/modal.tsx'
import { Failure } from '../parts/states.tsx'

/** Begins a chat: with which version, and in which world, if any. */
export const ChatStart = ({ agent, onClose }: { agent: Agent; onClose: () => void }) => {
  const go = useNavigate()
  const start = useChange('startChat')
  const worlds = useAsk('listWorlds', { query: { limit: 200 } }).data?.items ?? []
  const [version, setVersion] = useState(agent.current_version ?? '')
  const [world, setWorld] = useState('')
  const { name } = agent
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start.mutate(
      { params: { name }, body: { world_id: world || null, ...(version ? { version } : {}) } },
      { onSuccess: ({ id }) => go({ to: '/agents/$name/chat/$sessionId', params: { name, sessionId: id } }) },
    )
  }
  return (
    <Modal
      title={`Chat with ${name}`}
      about="In a world, the agent works with its services. Its changes stay."
      open
      onClose={onClose}
    >
      <form className="form" onSubmit={submit}>
        <Field label="Version">
          {(id) => (
            <select id={id} value={version} onChange={(event) => setVersion(event.target.value)}>
              {agent.versions.map((one) => (
                <option key={one.version}>{one.version}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="World">
          {(id) => (
            <select id={id} value={world} onChange={(event) => setWorld(event.target.value)}>
              <option value="">none</option>
              {worlds
                .filter(({ status }) => status === 'ready')
                .map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.name}, version {one.version.number}
                  </option>
                ))}
            </select>
          )}
        </Field>
        {start.error ? <Failure error={start.error} /> : null}
        <div className="modal-actions">
          <button type="submit" className="button is-primary" disabled={start.isPending}>
            Start the chat
          </button>
        </div>
      </form>
    </Modal>
  )
}
