import { type NativeReply, type TwinInstanceRecord, useActing, WriteBox } from '@diorama/console/view-kit'

/** The service answers 200 with `ok: false` where it refuses. */
const accepted = ({ status, body }: NativeReply): void => {
  const reply = typeof body === 'object' && body !== null ? body : {}
  if (Reflect.get(reply, 'ok') === true) return
  throw new Error(`The service refused it: ${Reflect.get(reply, 'error') ?? status}.`)
}

interface ComposerProps {
  readonly twin: TwinInstanceRecord
  readonly channel: string
  /** The message that is answered. */
  readonly thread?: string
  readonly label: string
}

/** Posts as the person that the reader acts as. */
export const Composer = ({ twin, channel, thread, label }: ComposerProps) => {
  const { person, send } = useActing(twin)
  if (!person) return null
  const post = async (text: string) =>
    accepted(
      await send({
        method: 'POST',
        path: '/api/chat.postMessage',
        body: { channel, text, ...(thread === undefined ? {} : { thread_ts: thread }) },
      }),
    )
  return <WriteBox label={`${label} as ${person.name}`} action="Send" onSend={post} />
}
