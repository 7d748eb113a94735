import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/states.tsx'

/** Runs one request at a time and keeps its refusal. */
export const useDoing = () => {
  const [isDoing, setDoing] = useState(false)
  const [error, setError] = useState<Error>()
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setDoing(true)
    setError(undefined)
    try {
      await work()
      return true
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)))
      return false
    } finally {
      setDoing(false)
    }
  }
  return { isDoing, error, run }
}

interface WriteBoxProps {
  readonly label: string
  readonly action: string
  readonly onSend: (text: string) => Promise<unknown>
}

/** A text that is sent: a message or a comment. Enter sends, Shift+Enter starts a new line. */
export const WriteBox = ({ label, action, onSend }: WriteBoxProps) => {
  const [text, setText] = useState('')
  const { isDoing, error, run } = useDoing()
  const isReady = text.trim() !== '' && !isDoing
  const send = async () => {
    if (isReady && (await run(() => onSend(text.trim())))) setText('')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void send()
  }
  return (
    <form className="write-box" onSubmit={submit}>
      <textarea
        aria-label={label}
        placeholder={label}
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
      />
      <button type="submit" className="button is-primary" disabled={!isReady}>
        {isDoing ? 'Sending…' : action}
      </button>
      {error ? <Failure error={error} /> : null}
    </form>
  )
}

export interface EditedField {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly kind?: 'text' | 'long' | 'date' | 'number'
  /** The only values there are, where that is known. */
  readonly options?: readonly (readonly [value: string, label: string])[]
}

interface EditFieldsProps {
  readonly label: string
  readonly fields: readonly EditedField[]
  /** Gets the fields that were changed, and only those. */
  readonly onSave: (changed: Readonly<Record<string, string>>) => Promise<unknown>
}

/** Fields of a record that the acting person edits; the service decides what it accepts. */
export const EditFields = ({ label, fields, onSave }: EditFieldsProps) => {
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({})
  const { isDoing, error, run } = useDoing()
  const changed = Object.fromEntries(
    fields.flatMap(({ name, value }) => {
      const draft = drafts[name]
      return draft === undefined || draft === value ? [] : [[name, draft]]
    }),
  )
  const isReady = Object.keys(changed).length > 0 && !isDoing
  const save = async () => {
    if (isReady && (await run(() => onSave(changed)))) setDrafts({})
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save()
  }
  return (
    <form className="form edit-fields" aria-label={label} onSubmit={submit}>
      {fields.map((field) => (
        <Field key={field.name} label={field.label}>
          {(id) => (
            <Control
              id={id}
              field={field}
              value={drafts[field.name] ?? field.value}
              onChange={(value) => setDrafts({ ...drafts, [field.name]: value })}
            />
          )}
        </Field>
      ))}
      {error ? <Failure error={error} /> : null}
      <div className="form-foot">
        <button type="submit" className="button is-primary" disabled={!isReady}>
          {isDoing ? 'Saving…' : 'Save'}
        </button>
      </div>
    </form>
  )
}

interface ControlProps {
  readonly id: string
  readonly field: EditedField
  readonly value: string
  readonly onChange: (value: string) => void
}

const Control = ({ id, field: { kind = 'text', options }, value, onChange }: ControlProps) => {
  if (options)
    return (
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    )
  if (kind === 'long')
    return <textarea id={id} rows={4} value={value} onChange={(event) => onChange(event.target.value)} />
  return <input id={id} type={kind} value={value} onChange={(event) => onChange(event.target.value)} />
}
