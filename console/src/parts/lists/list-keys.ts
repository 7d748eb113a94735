import { useEffect, useRef } from 'react'

interface ListKeys<T> {
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  readonly open: string | undefined
  readonly onOpen: ((item: T) => void) | undefined
  readonly onEnter: ((item: T) => void) | undefined
  readonly show: (index: number) => void
}

/** Whether a key is meant for a field or a control, and not for the page. */
export const isTyping = (event: KeyboardEvent): boolean =>
  event.target instanceof HTMLElement &&
  (event.target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName))

/** j and k move the focus through the rows of a page whose lists open pages; Enter then opens, as on any link. */
export const moveFocus = (event: KeyboardEvent): void => {
  const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
  if (step === 0 || event.defaultPrevented) return
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-list-row]')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const row = rows[at === -1 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1)]
  const link = row?.matches('a, button') ? row : row?.querySelector<HTMLElement>('a, button')
  if (!link) return
  event.preventDefault()
  link.focus()
  row?.scrollIntoView({ block: 'nearest' })
}

/** j and k move through a list, Enter opens the page of the row that is open. */
export const useListKeys = <T>(keys: ListKeys<T>): void => {
  const latest = useRef(keys)
  latest.current = keys
  const takesKeys = keys.onOpen !== undefined
  useEffect(() => {
    if (!takesKeys) return
    const press = (event: KeyboardEvent) => {
      const { items, keyOf, open, onOpen, onEnter, show } = latest.current
      if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return
      const at = items.findIndex((item) => keyOf(item) === open)
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
      const here = items[at]
      if (event.key === 'Enter' && here !== undefined && event.target === document.body) onEnter?.(here)
      if (step === 0) return
      const next = Math.min(Math.max(at + step, 0), items.length - 1)
      const item = items[next]
      if (item === undefined) return
      event.preventDefault()
      onOpen?.(item)
      show(next)
    }
    // Before the keys that work on every page, which leave alone what a list has taken.
    addEventListener('keydown', press, true)
    return () => removeEventListener('keydown', press, true)
  }, [takesKeys])
}
