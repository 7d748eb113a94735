import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { isTyping, moveFocus } from '../parts/lists/list-keys.ts'
import { Modal } from '../parts/modal.tsx'
import { places } from './places.ts'
import { pressSave } from './save-key.ts'

const listed: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['⌘ K', 'Ctrl K'], 'Search and commands'],
  [['j', 'k'], 'Next and previous row of a list'],
  [['Enter'], 'Open the page of the row'],
  [['Esc'], 'Close the inspector or the dialog'],
  [['/'], 'Filter or search on this page'],
  ...places.map(({ key, label }) => [[`g ${key}`], label] as const),
  [['⌘ S', 'Ctrl S'], 'Save or format'],
  [['?'], 'Show keyboard shortcuts'],
]

/** How long `g` waits for the letter of a place. */
const waitMs = 1_200

/** The keys that work on every page; `?` lists them. */
export const Shortcuts = () => {
  const [open, setOpen] = useState(false)
  const go = useNavigate()
  const waiting = useRef(0)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      pressSave(event)
      if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return
      if (document.querySelector('[role="dialog"]')) return
      moveFocus(event)
      const { key, timeStamp } = event
      if (key === 'g') {
        waiting.current = timeStamp
        return
      }
      const place = places.find((one) => one.key === key)
      if (place && timeStamp - waiting.current < waitMs) void go({ to: place.to })
      waiting.current = Number.NEGATIVE_INFINITY
      if (key === '?') setOpen(true)
      const filter = key === '/' ? document.querySelector<HTMLElement>('main input[type="search"]') : null
      if (filter) {
        event.preventDefault()
        filter.focus()
      }
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [go])
  return (
    <Modal title="Keyboard shortcuts" open={open} onClose={() => setOpen(false)}>
      <dl className="pairs shortcuts">
        {listed.map(([keys, does]) => (
          <div key={does} className="pair">
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}
