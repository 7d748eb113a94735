const submitOf = (form: Element | null | undefined): HTMLElement | null =>
  form?.querySelector<HTMLElement>('button[type="submit"]:not(:disabled)') ?? null

/** What the key saves: the form in front, then the one that is being filled in, then the page itself. */
const saver = (): HTMLElement | null => {
  const dialog = document.querySelector('[role="dialog"]')
  if (dialog) return submitOf(dialog.querySelector('form'))
  return (
    submitOf(document.activeElement?.closest('form')) ??
    document.querySelector<HTMLElement>('main [data-saves]:not(:disabled)') ??
    submitOf(document.querySelector('main form:not([role="search"])'))
  )
}

/** Ctrl+S or ⌘S presses the button that saves; the browser's own dialog never opens. */
export const pressSave = (event: KeyboardEvent): void => {
  if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return
  event.preventDefault()
  saver()?.click()
}
