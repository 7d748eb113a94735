import { Modal } from './modal.tsx'
import { Failure } from './states.tsx'

interface ConfirmationProps {
  readonly title: string
  /** What happens, and what does not come back. */
  readonly about: string
  /** The words on the button that does it. */
  readonly yes: string
  readonly doing: { readonly error: Error | null; readonly isPending: boolean }
  readonly onYes: () => void
  readonly onClose: () => void
  readonly open?: boolean
}

/** Asks before something that cannot be taken back. */
export const Confirmation = ({
  title,
  about,
  yes,
  doing,
  onYes,
  onClose,
  open = true,
}: ConfirmationProps) => (
  <Modal title={title} about={about} open={open} onClose={onClose}>
    {doing.error ? <Failure error={doing.error} /> : null}
    <div className="modal-actions">
      <button type="button" className="button" onClick={onClose}>
        Cancel
      </button>
      <button type="button" className="button is-primary" disabled={doing.isPending} onClick={onYes}>
        {yes}
      </button>
    </div>
  </Modal>
)
