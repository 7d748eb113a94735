import { type ReactNode, useEffect } from 'react'
import { Icon } from './icon.tsx'
import { isTyping } from './lists/list-keys.ts'

/** Opens on a row without leaving the list; Esc closes it. On a narrow screen it is its own page. */
export const Inspector = ({
  title,
  onClose,
  link,
  label = 'Inspector',
  className = '',
  children,
}: {
  title: ReactNode
  label?: string
  className?: string
  onClose: () => void
  link?: ReactNode
  children: ReactNode
}) => {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !isTyping(event) && !event.defaultPrevented) onClose()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [onClose])
  return (
    <aside className={`inspector ${className}`} aria-label={label}>
      <header className="inspector-head">
        <h2>{title}</h2>
        {link}
        <button
          type="button"
          className="icon-button"
          onClick={onClose}
          aria-label={`Close the ${label.toLowerCase()}`}
        >
          <Icon name="close" />
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <div className="inspector-body" tabIndex={0}>
        {children}
      </div>
    </aside>
  )
}
