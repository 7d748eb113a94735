import type { BuiltinScorer } from '@diorama/contract'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useAsk, useChange } from '../../ask.ts'
import { Field } from '../../parts/field.tsx'
import { Modal } from '../../parts/modal.tsx'
import { Answered, Failure } from '../../parts/states.tsx'

/** Puts a scorer that comes with the service into the library, with parameters of one's own. */
export const ReadyMade = ({ onClose }: { onClose: () => void }) => {
  const builtins = useAsk('listBuiltinScorers', {}, { forever: true })
  const [slug, setSlug] = useState('')
  return (
    <Modal
      title="Add a built-in scorer"
      about="Built-in scorers cover common checks. Adding one copies it to your library, where you can edit it."
      open
      onClose={onClose}
    >
      <Answered asked={builtins} rows={3}>
        {({ items }) => {
          const chosen = items.find((one) => one.slug === slug)
          return (
            <>
              <Field label="Scorer" {...(chosen ? { hint: chosen.description } : {})}>
                {(id) => (
                  <select id={id} value={slug} onChange={(event) => setSlug(event.target.value)}>
                    <option value="">Choose a scorer</option>
                    {items.map((one) => (
                      <option key={one.slug} value={one.slug}>
                        {one.name}
                        {one.needs_world ? ' (reads the world)' : ''}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
              {chosen ? <Parameters key={slug} builtin={chosen} /> : null}
            </>
          )
        }}
      </Answered>
    </Modal>
  )
}

const parse = (text: string): { value: Record<string, unknown> } | { fault: string } => {
  try {
    return { value: JSON.parse(text) }
  } catch (cause) {
    return { fault: cause instanceof Error ? cause.message : String(cause) }
  }
}

const Parameters = ({ builtin }: { builtin: BuiltinScorer }) => {
  const go = useNavigate()
  const create = useChange('createBuiltinScorer')
  const [name, setName] = useState(builtin.name)
  const [text, setText] = useState(JSON.stringify(builtin.example, null, 2))
  const parsed = parse(text)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!('value' in parsed)) return
    create.mutate(
      { params: { slug: builtin.slug }, body: { name, parameters: parsed.value } },
      { onSuccess: ({ id }) => go({ to: '/scorers/$scorerId', params: { scorerId: id } }) },
    )
  }
  return (
    <form className="form" onSubmit={submit}>
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
      <Field
        label="Parameters"
        hint={'fault' in parsed ? `This is not JSON: ${parsed.fault}` : 'JSON. These values are an example.'}
      >
        {(id) => (
          <textarea
            id={id}
            className="mono"
            rows={8}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      {create.error ? <Failure error={create.error} /> : null}
      <div className="modal-actions">
        <button
          type="submit"
          className="button is-primary"
          disabled={'fault' in parsed || create.isPending || name.trim() === ''}
        >
          Add to the library
        </button>
      </div>
    </form>
  )
}
