import { Dialog } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { Icon } from './icon.tsx'

/** A question or a form above the page. */
export const Modal = ({
  title,
  about,
  open,
  onClose,
  children,
}: {
  title: string
  about?: string
  open: boolean
  onClose: () => void
  children: ReactNode
}) => {
  const content = useRef<HTMLDivElement>(null)
  // The first thing to fill in takes the focus; without one, the first thing to press does.
  const focusFirst = (event: Event) => {
    const find = () => content.current?.querySelector<HTMLElement>('input, select, textarea')
    const field = find()
    if (field) {
      event.preventDefault()
      return field.focus()
    }
    // A form that waits for its choices has its first field later; who has moved on meanwhile is left alone.
    const arriving = new MutationObserver(() => {
      const late = find()
      if (!late) return
      arriving.disconnect()
      if (document.activeElement?.closest('.modal-head')) late.focus()
    })
    if (content.current) arriving.observe(content.current, { childList: true, subtree: true })
  }
  return (
    <Dialog.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content
          ref={content}
          className="modal"
          onOpenAutoFocus={focusFirst}
          {...(about === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <header className="modal-head">
            <Dialog.Title>{title}</Dialog.Title>
            <Dialog.Close className="icon-button" aria-label="Close">
              <Icon name="close" />
            </Dialog.Close>
          </header>
          {about === undefined ? null : <Dialog.Description className="quiet">{about}</Dialog.Description>}
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
