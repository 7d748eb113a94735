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
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [takesKeys])
}
