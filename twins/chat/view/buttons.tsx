import { Failure, type TwinInstanceRecord, useActing, useDoing } from '@diorama/console/view-kit'
import type { ChatButton, Message } from './read-chat.ts'

/** The buttons of a message. Somebody who acts as a person can press them. */
export const Buttons = ({ twin, message }: { twin: TwinInstanceRecord; message: Message }) =>
  message.buttons.length === 0 ? null : <ButtonRow twin={twin} message={message} />

const ButtonRow = ({ twin, message }: { twin: TwinInstanceRecord; message: Message }) => {
  const { person, interact } = useActing(twin)
  const { isDoing, error, run } = useDoing()
  const { channel, ts } = message
  const press = ({ actionId, blockId }: ChatButton) =>
    run(() =>
      interact({
        type: 'block_actions',
        channel,
        ts,
        action_id: actionId,
        ...(blockId === '' ? {} : { block_id: blockId }),
      }),
    )
  return (
    <div className="chips">
      {message.buttons.map((button) => (
        <button
          key={`${button.blockId} ${button.actionId}`}
          type="button"
          className="button"
          disabled={!person || isDoing}
          title={person ? `Press as ${person.name}` : 'Choose a person to act as'}
          onClick={() => void press(button)}
        >
          {button.label}
        </button>
      ))}
      {error ? <Failure error={error} /> : null}
    </div>
  )
}
