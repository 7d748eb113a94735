import type { WorldResponse } from '@diorama/contract'
import { type FormEvent, useState } from 'react'
import { useChange } from '../ask.ts'
import { Field } from '../parts/field.tsx'
import { Modal } from '../parts/modal.tsx'
import { Failure } from '../parts/states.tsx'

const wordsOf = (text: string) => [...new Set(text.split(',').map((word) => word.trim()))].filter(Boolean)

/** Tags of a world, and whether lists leave it out. */
export const WorldLabels = ({ world: { world } }: { world: WorldResponse }) => {
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const update = useChange('updateWorld')
  const params = { worldId: world.id }
  const show = () => {
    setText(world.tags.join(', '))
    setOpen(true)
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    update.mutate({ params, body: { tags: wordsOf(text) } }, { onSuccess: () => setOpen(false) })
  }
  return (
    <>
      <button type="button" className="button" onClick={show}>
        Tags
      </button>
      <button
        type="button"
        className="button"
        disabled={update.isPending}
        onClick={() => update.mutate({ params, body: { archived: !world.archived } })}
      >
        {world.archived ? 'Restore' : 'Archive'}
      </button>
      <Modal title="Tags" open={open} onClose={() => setOpen(false)}>
        <form onSubmit={save}>
          <Field label="Tags" hint="Words to find this world by, with commas between them.">
            {(id) => (
              <input id={id} value={text} maxLength={800} onChange={(event) => setText(event.target.value)} />
            )}
          </Field>
          {update.error ? <Failure error={update.error} /> : null}
          <p className="modal-actions">
            <button type="submit" className="button is-primary" disabled={update.isPending}>
              Save
            </button>
          </p>
        </form>
      </Modal>
    </>
  )
}
