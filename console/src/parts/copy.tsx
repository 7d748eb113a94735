import { useState } from 'react'
import { Icon } from './icon.tsx'

/** Copies a text, and says that it did. */
export const Copy = ({
  text,
  label = 'Copy',
  named = false,
}: {
  text: string
  label?: string
  named?: boolean
}) => {
  const [done, setDone] = useState(false)
  const copy = () => {
    void navigator.clipboard.writeText(text).then(() => {
      setDone(true)
      setTimeout(() => setDone(false), 1_500)
    })
  }
  return (
    <button
      type="button"
      className={named ? 'button' : 'icon-button'}
      onClick={copy}
      aria-label={label}
      title={label}
    >
      <Icon name={done ? 'check' : 'copy'} size={14} />
      {named ? <span>{done ? 'Copied' : label}</span> : null}
      <span className="unseen" role="status">
        {done ? 'Copied' : ''}
      </span>
    </button>
  )
}

/** An id in mono, with a way to copy it. */
export const Id = ({ value }: { value: string }) => (
  <span className="id">
    <code>{value}</code>
    <Copy text={value} label={`Copy ${value}`} />
  </span>
)
