import { Dialog } from 'radix-ui'
import type { ReactNode } from 'react'
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
}) => (
  <Dialog.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
    <Dialog.Portal>
      <Dialog.Overlay className="overlay" />
      <Dialog.Content className="modal" {...(about === undefined ? { 'aria-describedby': undefined } : {})}>
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
