import type { Task } from '@diorama/contract'
import { type FormEvent, useState } from 'react'
import { useChange } from '../ask.ts'
import { Field, focusFirst } from '../parts/field.tsx'
import { Failure } from '../parts/states.tsx'
import { EnvironmentChoice } from './environment-choice.tsx'
import { type Binding, ScorerBindings } from './scorer/scorer-bindings.tsx'

interface Draft {
  readonly title: string
  readonly instruction: string
  readonly expected: string
  readonly versionId: string | null
  readonly cutoff: string | null
  readonly bindings: readonly Binding[]
}

const draftOf = (task: Task | undefined): Draft => ({
  title: task?.title ?? '',
  instruction: task?.instruction ?? '',
  expected: task?.expected_outcome ?? '',
  versionId: task?.environment_version_id ?? null,
  cutoff: task?.cutoff_event_id ?? null,
  bindings: (task?.scorers ?? []).map((one) => ({
    scorerId: one.scorer_id,
    name: one.name,
    weight: one.weight,
    threshold: one.pass_threshold === null ? '' : String(one.pass_threshold),
    version: one.scorer_version,
  })),
})

const fieldsOf = (draft: Draft) => ({
  title: draft.title,
  instruction: draft.instruction,
  expected_outcome: draft.expected,
  environment_version_id: draft.versionId,
  cutoff_event_id: draft.cutoff,
})
const scorersOf = ({ bindings }: Draft) =>
  bindings.map(({ scorerId, weight, threshold }) => ({
    scorer_id: scorerId,
    weight,
    pass_threshold: threshold === '' ? null : Number(threshold),
  }))

/** Saves a task: a new one whole; of one that is there its fields, and its scorers where they changed. */
const useSaving = (suiteId: string, task: Task | undefined) => {
  const create = useChange('createTask')
  const update = useChange('updateTask')
  const bind = useChange('setTaskScorers')
  const save = async (draft: Draft) => {
    if (!task) {
      await create.mutateAsync({
        params: { suiteId },
        body: { ...fieldsOf(draft), scorers: scorersOf(draft) },
      })
      return
    }
    const params = { suiteId, taskId: task.id }
    await update.mutateAsync({ params, body: fieldsOf(draft) })
    if (JSON.stringify(draft.bindings) !== JSON.stringify(draftOf(task).bindings))
      await bind.mutateAsync({ params, body: { scorers: scorersOf(draft) } })
  }
  return {
    save,
    busy: create.isPending || update.isPending || bind.isPending,
    error: create.error ?? update.error ?? bind.error,
  }
}

interface TaskFormProps {
  readonly suiteId: string
  readonly task?: Task
  readonly onDone: () => void
}

/** All of a task: what is asked, in which world, what is expected, and who decides. */
export const TaskForm = ({ suiteId, task, onDone }: TaskFormProps) => {
  const [draft, setDraft] = useState(() => draftOf(task))
  const { save, busy, error } = useSaving(suiteId, task)
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save(draft).then(onDone, () => {})
  }
  return (
    <form className="form task-form" aria-label={task ? `Edit ${task.title}` : 'New task'} onSubmit={submit}>
      <Words draft={draft} set={set} />
      <EnvironmentChoice versionId={draft.versionId} onChange={(versionId) => set({ versionId })} />
      {task && task.events.length > 0 ? (
        <Cutoff task={task} cutoff={draft.cutoff} onChange={(cutoff) => set({ cutoff })} />
      ) : null}
      <ScorerBindings bindings={draft.bindings} onChange={(bindings) => set({ bindings })} />
      {error ? <Failure error={error} /> : null}
      <div className="form-foot">
        <button
          type="submit"
          className="button is-primary"
          disabled={busy || draft.title.trim() === '' || draft.instruction.trim() === ''}
        >
          {task ? 'Save the task' : 'Add the task'}
        </button>
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        <span className="hint">The time limit is set by each agent version.</span>
      </div>
    </form>
  )
}

const Words = ({ draft, set }: { draft: Draft; set: (part: Partial<Draft>) => void }) => (
  <>
    <Field label="Title">
      {(id) => (
        <input
          id={id}
          ref={focusFirst}
          value={draft.title}
          maxLength={300}
          required
          onChange={(event) => set({ title: event.target.value })}
        />
      )}
    </Field>
    <Field label="Instruction" hint="Sent to the agent as written.">
      {(id) => (
        <textarea
          id={id}
          rows={5}
          value={draft.instruction}
          required
          onChange={(event) => set({ instruction: event.target.value })}
        />
      )}
    </Field>
    <Field label="Expected outcome" hint="Visible to scorers, never to the agent.">
      {(id) => (
        <textarea
          id={id}
          rows={3}
          value={draft.expected}
          onChange={(event) => set({ expected: event.target.value })}
        />
      )}
    </Field>
  </>
)

interface CutoffProps {
  readonly task: Task
  readonly cutoff: string | null
  readonly onChange: (cutoff: string | null) => void
}

/** What of a recorded trace the agent is given, and from where on it is held back. */
const Cutoff = ({ task, cutoff, onChange }: CutoffProps) => (
  <Field label="Held out from" hint="The agent gets everything before this; the rest is the reference.">
    {(id) => (
      <select id={id} value={cutoff ?? ''} onChange={(event) => onChange(event.target.value || null)}>
        <option value="">nothing</option>
        {task.events.map((event) => (
          <option key={event.id} value={event.id}>
            {event.kind} {event.name}
          </option>
        ))}
      </select>
    )}
  </Field>
)
