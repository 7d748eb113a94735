import {
  Avatar,
  ChangeMark,
  changeClass,
  exactly,
  type LiveWorld,
  plural,
  storyMinute,
  type TwinInstanceRecord,
  useAddress,
  Value,
} from '@diorama/console/view-kit'
import { useEffect, useRef } from 'react'
import { Buttons } from './buttons.tsx'
import { SharedFile } from './files.tsx'
import { Reactions } from './reactions.tsx'
import type { Chat, Message } from './read-chat.ts'
import { ChatText } from './text.tsx'

interface MessageProps {
  readonly live: LiveWorld
  readonly twin: TwinInstanceRecord
  readonly chat: Chat
  readonly message: Message
  readonly grouped?: boolean
  readonly asked?: boolean
  /** The thread itself does not link to itself. */
  readonly inThread?: true
}

const iso = (ms: number): string => new Date(ms).toISOString()

const StoryTime = ({ ms }: { ms: number }) => (
  <time className="hint" dateTime={iso(ms)} title={`${exactly(iso(ms))} in the story`}>
    {storyMinute(ms)}
  </time>
)

/** Somebody joined, left or renamed something. */
export const Notice = ({ live, chat, message }: Pick<MessageProps, 'live' | 'chat' | 'message'>) => (
  <div
    className={`chat-notice ${changeClass({ live, service: 'chat', collection: 'message', id: message.id })}`}
  >
    <ChatText text={message.text} names={chat.names} /> <StoryTime ms={message.ms} />
  </div>
)

/** A message with what hangs on it: files, reactions, and the way to its thread. */
export const MessageRow = ({
  live,
  twin,
  chat,
  message,
  grouped = false,
  asked = false,
  inThread,
}: MessageProps) => {
  const row = useRef<HTMLDivElement>(null)
  const isFresh = live.fresh.has(`chat:message:${message.id}`)
  useEffect(() => {
    if (asked || isFresh) row.current?.scrollIntoView({ block: 'center' })
  }, [asked, isFresh])
  const marked = changeClass({ live, service: 'chat', collection: 'message', id: message.id })
  return (
    <div ref={row} className={`message ${marked} ${asked ? 'is-asked' : ''} ${grouped ? 'is-grouped' : ''}`}>
      {grouped ? <span /> : <Avatar name={message.authorName} />}
      <div className="message-body">
        {grouped ? null : (
          <p className="message-head">
            <strong>
              <Value text={message.author} known={message.authorName} />
            </strong>{' '}
            {message.isBot ? <span className="tag">app</span> : null} <StoryTime ms={message.ms} />
            {message.isEdited ? <span className="hint"> edited</span> : null}
          </p>
        )}
        <ChatText text={message.text} names={chat.names} />
        {message.files.map((file) => (
          <SharedFile key={file.id} twin={twin} team={chat.team} file={file} />
        ))}
        <Buttons twin={twin} message={message} />
        <Foot chat={chat} message={message} inThread={inThread} />
      </div>
      <ChangeMark live={live} service="chat" collection="message" id={message.id} />
    </div>
  )
}

interface FootProps {
  readonly chat: Chat
  readonly message: Message
  readonly inThread: true | undefined
}

const Foot = ({ chat, message, inThread }: FootProps) => {
  const { search, change } = useAddress()
  const thread = inThread ? undefined : chat.threads.get(`${message.channel}:${message.ts}`)
  const canReply = !inThread && !thread && !message.isReply && search.person !== undefined
  if (message.reactions.length === 0 && !thread && !canReply) return null
  const openThread = () => change({ thread: message.ts, record: undefined }, false)
  return (
    <div className="chips message-foot">
      <Reactions message={message} chat={chat} />
      {thread ? (
        <span className="thread-way">
          <span className="thread-people" aria-hidden="true">
            {thread.people.slice(0, 3).map((name) => (
              <Avatar key={name} name={name} />
            ))}
          </span>
          <button type="button" className="link" onClick={openThread}>
            {plural(thread.count, 'reply', 'replies')}
          </button>
          <span className="hint">last {storyMinute(thread.last)}</span>
        </span>
      ) : null}
      {canReply ? (
        <button type="button" className="link" onClick={openThread}>
          Reply in thread
        </button>
      ) : null}
    </div>
  )
}
