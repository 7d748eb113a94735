import type { TwinInstanceRecord } from '@diorama/contract'
import { useEffect, useRef } from 'react'
import { Avatar } from '../parts/avatar.tsx'
import { Icon } from '../parts/icon.tsx'
import { Answered, Empty } from '../parts/states.tsx'
import { useAddress } from '../search.ts'
import { plural, storyDay, storyMinute, text } from '../words.ts'
import { ChangeInspector, ChangeMark, changeClass } from './change-mark.tsx'
import { type Chat, type Message, readChat } from './chat.ts'
import { ChatText } from './chat-text.tsx'
import { type LiveWorld, useCollection } from './live-world.ts'

/** The company's chat as its people see it. */
export const ChatView = ({ live, twin }: { live: LiveWorld; twin: TwinInstanceRecord }) => {
  const channels = useCollection(twin.id, 'channel')
  const users = useCollection(twin.id, 'user')
  const bots = useCollection(twin.id, 'bot')
  const members = useCollection(twin.id, 'channel_member')
  const messages = useCollection(twin.id, 'message')
  const { search } = useAddress()
  return (
    <Answered asked={messages}>
      {(items) => {
        const chat = readChat({
          messages: items,
          channels: channels.data ?? [],
          members: members.data ?? [],
          users: [...(users.data ?? []), ...(bots.data ?? [])],
        })
        const asked = chat.messages.find(({ key, id }) => search.record === key || search.record === id)
        const current =
          chat.channels.find(
            ({ id, key }) =>
              id === (asked?.channel ?? search.channel) ||
              (search.record !== undefined && key === search.record),
          ) ??
          chat.channels.find(({ name }) => name === 'general') ??
          chat.channels[0]
        if (!current) return <Empty title="This workspace has no channels." />
        const thread = search.thread ?? (asked?.isReply ? asked.thread : undefined)
        return (
          <div className="split chat">
            <Channels chat={chat} current={current.id} />
            <Channel live={live} chat={chat} channelId={current.id} asked={asked?.id} />
            {thread ? <Thread live={live} chat={chat} channelId={current.id} thread={thread} /> : null}
            <ChangeInspector live={live} />
          </div>
        )
      }}
    </Answered>
  )
}

const Channels = ({ chat, current }: { chat: Chat; current: string }) => {
  const { change } = useAddress()
  const pick = (id: string) =>
    change({ channel: id, record: undefined, thread: undefined, open: undefined }, false)
  return (
    <nav className="chat-channels" aria-label="Channels">
      <ul>
        {chat.channels.map(({ id, name, isPrivate, isArchived }) => (
          <li key={id}>
            <button
              type="button"
              className="chat-channel"
              aria-current={id === current}
              onClick={() => pick(id)}
            >
              {isPrivate ? <Icon name="lock" size={12} /> : <span aria-hidden="true">#</span>}
              <span>{name}</span>
              {isArchived ? <span className="hint">archived</span> : null}
            </button>
          </li>
        ))}
      </ul>
      <label className="chat-pick">
        <span className="unseen">Channel</span>
        <select value={current} onChange={(event) => pick(event.target.value)}>
          {chat.channels.map(({ id, name }) => (
            <option key={id} value={id}>
              #{name}
            </option>
          ))}
        </select>
      </label>
    </nav>
  )
}

interface ChannelProps {
  readonly live: LiveWorld
  readonly chat: Chat
  readonly channelId: string
  readonly asked: string | undefined
}

const Channel = ({ live, chat, channelId, asked }: ChannelProps) => {
  const channel = chat.channels.find(({ id }) => id === channelId)
  const messages = chat.messages.filter((message) => message.channel === channelId && !message.isReply)
  const days = [...Map.groupBy(messages, ({ ms }) => storyDay(ms)).entries()]
  return (
    <section className="split-main" aria-label={`Channel ${channel?.name ?? ''}`}>
      <header className="chat-head">
        <h2>#{channel?.name}</h2>
        <span className="quiet">{channel?.topic}</span>
        <span className="quiet chat-members">{plural(channel?.members ?? 0, 'member')}</span>
        <ChangeMark live={live} service="chat" collection="channel" id={channelId} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <div className="chat-messages" tabIndex={0} role="log" aria-label="Messages">
        {days.map(([day, items]) => (
          <div key={day}>
            <h3 className="chat-day">
              <span>{day}</span>
            </h3>
            {items.map((message, index) => (
              <MessageRow
                key={message.id}
                live={live}
                chat={chat}
                message={message}
                grouped={follows(items[index - 1], message)}
                asked={message.id === asked}
              />
            ))}
          </div>
        ))}
      </div>
    </section>
  )
}

const groupMs = 5 * 60_000
const follows = (before: Message | undefined, message: Message): boolean =>
  before !== undefined &&
  before.author === message.author &&
  !before.isNotice &&
  message.ms - before.ms < groupMs

interface MessageProps {
  readonly live: LiveWorld
  readonly chat: Chat
  readonly message: Message
  readonly grouped: boolean
  readonly asked?: boolean
}

const MessageRow = ({ live, chat, message, grouped, asked = false }: MessageProps) => {
  const row = useRef<HTMLDivElement>(null)
  const isFresh = live.fresh.has(`chat:message:${message.id}`)
  useEffect(() => {
    if (asked || isFresh) row.current?.scrollIntoView({ block: 'center' })
  }, [asked, isFresh])
  const marked = changeClass({ live, service: 'chat', collection: 'message', id: message.id })
  const replies = chat.replies.get(`${message.channel}:${message.ts}`) ?? 0
  if (message.isNotice)
    return (
      <div className={`chat-notice ${marked}`}>
        <ChatText text={message.text} names={chat.names} /> <time>{storyMinute(message.ms)}</time>
      </div>
    )
  return (
    <div ref={row} className={`message ${marked} ${asked ? 'is-asked' : ''} ${grouped ? 'is-grouped' : ''}`}>
      {grouped ? <span /> : <Avatar name={message.authorName} />}
      <div>
        {grouped ? null : (
          <p className="message-head">
            <strong>{message.authorName}</strong> {message.isBot ? <span className="tag">app</span> : null}{' '}
            <time className="hint">{storyMinute(message.ms)}</time>
          </p>
        )}
        <ChatText text={message.text} names={chat.names} />
        <Attached message={message} replies={replies} />
      </div>
      <ChangeMark live={live} service="chat" collection="message" id={message.id} />
    </div>
  )
}

const faces: Readonly<Record<string, string>> = {
  '+1': '👍',
  thumbsup: '👍',
  tada: '🎉',
  eyes: '👀',
  white_check_mark: '✅',
  heart: '❤️',
  rocket: '🚀',
  pray: '🙏',
  fire: '🔥',
  raised_hands: '🙌',
  warning: '⚠️',
}

const Attached = ({ message, replies }: { message: Message; replies: number }) => {
  const { change } = useAddress()
  return (
    <>
      {message.files.map((name) => (
        <p key={name} className="tag">
          <Icon name="file" size={12} /> {name}
        </p>
      ))}
      {message.reactions.length > 0 || replies > 0 ? (
        <div className="chips message-foot">
          {message.reactions.map(({ name, count }) => (
            <span key={name} className="reaction" title={`:${name}:`}>
              {faces[name] ?? `:${name}:`} {count}
            </span>
          ))}
          {replies > 0 ? (
            <button
              type="button"
              className="link"
              onClick={() => change({ thread: message.ts, record: undefined }, false)}
            >
              {plural(replies, 'reply', 'replies')}
            </button>
          ) : null}
        </div>
      ) : null}
    </>
  )
}

interface ThreadProps {
  readonly live: LiveWorld
  readonly chat: Chat
  readonly channelId: string
  readonly thread: string
}

const Thread = ({ live, chat, channelId, thread }: ThreadProps) => {
  const { search, change } = useAddress()
  const messages = chat.messages.filter(
    (message) => message.channel === channelId && message.thread === thread,
  )
  return (
    <aside className="inspector chat-thread" aria-label="Thread">
      <header className="inspector-head">
        <h2>Thread</h2>
        <button
          type="button"
          className="icon-button"
          aria-label="Close the thread"
          onClick={() => change({ thread: undefined, record: undefined })}
        >
          <Icon name="close" />
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <div className="chat-messages" tabIndex={0}>
        {messages.map((message) => (
          <MessageRow
            key={message.id}
            live={live}
            chat={{ ...chat, replies: new Map() }}
            message={message}
            grouped={false}
            asked={search.record !== undefined && text({ key: message.key }, 'key') === search.record}
          />
        ))}
      </div>
    </aside>
  )
}
