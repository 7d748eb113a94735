import { type FormEvent, useState } from 'react'
import { useChange, useList } from '../ask.ts'
import { Field } from '../parts/field.tsx'
import { Modal } from '../parts/modal.tsx'
import { Failure } from '../parts/states.tsx'
import { dateTime, plural } from '../words.ts'

interface TraceTaskProps {
  readonly suiteId: string
  /** Closes; with the task that was made, so that it can be looked over. */
  readonly onClose: (made: string | undefined) => void
}

/** Makes a task of what an agent once did: what led up to its answer is given, the answer is the reference. */
export const TraceTask = ({ suiteId, onClose }: TraceTaskProps) => {
  const traces = useList('listTraces')
  const make = useChange('createTaskFromTrace')
  const [traceId, setTraceId] = useState('')
  const [notes, setNotes] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate(
      { params: { suiteId }, body: { trace_id: traceId.trim(), notes: notes || null } },
      { onSuccess: ({ id }) => onClose(id) },
    )
  }
  return (
    <Modal
      title="Create a task from a trace"
      about="The agent gets everything before the last answer. The answer itself becomes the reference."
      open
      onClose={() => onClose(undefined)}
    >
      <form className="form" onSubmit={submit}>
        {traces.items.length > 0 ? (
          <Field label="Recorded trace">
            {(id) => (
              <select id={id} value={traceId} onChange={(event) => setTraceId(event.target.value)}>
                <option value="">Choose a trace</option>
                {traces.items.map((trace) => (
                  <option key={trace.trace_id} value={trace.trace_id}>
                    {trace.name}, {plural(trace.totals.spans, 'span')}, {dateTime(trace.started_at)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        ) : null}
        <Field label="Trace id">
          {(id) => (
            <input
              id={id}
              className="mono"
              value={traceId}
              maxLength={128}
              required
              onChange={(event) => setTraceId(event.target.value)}
            />
          )}
        </Field>
        <Field label="Notes" hint="What a good answer needs. Added to the expected outcome.">
          {(id) => (
            <textarea
              id={id}
              rows={3}
              value={notes}
              maxLength={20_000}
              onChange={(event) => setNotes(event.target.value)}
            />
          )}
        </Field>
        {make.error ? <Failure error={make.error} /> : null}
        <div className="modal-actions">
          <button
            type="submit"
            className="button is-primary"
            disabled={traceId.trim() === '' || make.isPending}
          >
            {make.isPending ? 'Creating…' : 'Create task'}
          </button>
        </div>
      </form>
    </Modal>
  )
}
