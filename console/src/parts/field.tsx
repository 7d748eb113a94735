import { type ReactNode, useId } from 'react'

/** For the first field of a form that was asked for: it takes the focus. */
export const focusFirst = (field: HTMLElement | null): void => field?.focus()

/** A labelled control; the label is always in sight. */
export const Field = ({
  label,
  hint,
  children,
}: {
  label: string
  hint?: string
  children: (id: string) => ReactNode
}) => {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {hint === undefined ? null : <p className="hint">{hint}</p>}
    </div>
  )
}

/** A filter that is on or off. */
export const Chip = ({
  on,
  onClick,
  children,
}: {
  on: boolean
  onClick: () => void
  children: ReactNode
}) => (
  <button type="button" className="chip" aria-pressed={on} onClick={onClick}>
    {children}
  </button>
)
