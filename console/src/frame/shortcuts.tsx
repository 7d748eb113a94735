import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { isTyping } from '../parts/lists/list-keys.ts'
import { Modal } from '../parts/modal.tsx'

const places = {
  w: '/worlds',
  e: '/evaluations',
  s: '/suites',
  a: '/agents',
  t: '/telemetry',
  ',': '/settings',
} as const
const isPlace = (key: string): key is keyof typeof places => key in places

const listed: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['⌘ K', 'Ctrl K'], 'Go to anything, do anything'],
  [['j', 'k'], 'Next and previous row of a list'],
  [['Enter'], 'Open the page of the row'],
  [['Esc'], 'Close the inspector or the dialog'],
  [['/'], 'Filter or search on this page'],
  [['g w'], 'Worlds'],
  [['g e'], 'Evaluations'],
  [['g s'], 'Suites'],
  [['g a'], 'Agents'],
  [['g t'], 'Telemetry'],
  [['g ,'], 'Settings'],
  [['⌘ S', 'Ctrl S'], 'Format the blueprint in its editor'],
  [['?'], 'This list'],
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
      if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return
      if (document.querySelector('[role="dialog"]')) return
      const { key, timeStamp } = event
      if (key === 'g') {
        waiting.current = timeStamp
        return
      }
      if (isPlace(key) && timeStamp - waiting.current < waitMs) void go({ to: places[key] })
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
    <Modal title="Keyboard" open={open} onClose={() => setOpen(false)}>
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
