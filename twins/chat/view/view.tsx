import {
  Answered,
  ChangeInspector,
  ChangeMark,
  Empty,
  Icon,
  Inspector,
  type LiveWorld,
  plural,
  RecordInspector,
  storyDay,
  type TwinInstanceRecord,
  Unread,
  useAddress,
  useCollection,
} from '@diorama/console/view-kit'
import { type ReactNode, useState } from 'react'
import { Composer } from './composer.tsx'
import { MessageRow, Notice } from './message.tsx'
import { type Chat, type Message, readChat } from './read-chat.ts'

interface Parts {
  readonly live: LiveWorld
  readonly twin: TwinInstanceRecord
}

/** The company's chat as its people see it. */
export const View = ({ live, twin }: Parts) => {
  const channels = useCollection(twin.id, 'channel')
  const users = useCollection(twin.id, 'user')
  const bots = useCollection(twin.id, 'bot')
  const members = useCollection(twin.id, 'channel_member')
  const files = useCollection(twin.id, 'file')
  const teams = useCollection(twin.id, 'team')
  const messages = useCollection(twin.id, 'message')
  const { search } = useAddress()
  return (
    <Answered asked={messages}>
      {(items) => {
        const chat = readChat({
          messages: items,
          channels: channels.data ?? [],
          members: members.data ?? [],
          files: files.data ?? [],
          team: teams.data?.[0]?.id ?? '',
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
        const place = { live, twin, chat, channelId: current.id }
        return (
          <div className="split chat">
            <Channels live={live} chat={chat} current={current.id} />
            <Channel
              key={current.id}
              {...place}
              asked={asked?.id}
              cut={<Unread list={messages} of="messages" />}
            />
            {thread && !search.open ? <Thread {...place} thread={thread} asked={asked?.id} /> : null}
            <RecordInspector live={live} twin={twin} collections={['user']} />
            <ChangeInspector live={live} />
          </div>
        )
      }}
    </Answered>
  )
}

const Channels = ({ live, chat, current }: { live: LiveWorld; chat: Chat; current: string }) => {
  const { change } = useAddress()
  const pick = (id: string) =>
    change({ channel: id, record: undefined, thread: undefined, open: undefined }, false)
  const news = Map.groupBy(
    chat.messages.filter(({ id }) => live.changes.get(`chat:message:${id}`)?.operation === 'create'),
    ({ channel }) => channel,
  )
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
              {news.has(id) ? (
                <span className="channel-news" title="Messages that are not in the seed">
                  {news.get(id)?.length}
                  <span className="unseen"> new</span>
                </span>
              ) : null}
            </button>
          </li>
        ))}
      </ul>
      <label className="chat-pick">
        <span className="unseen">Channel</span>
        <select value={current} onChange={(event) => pick(event.target.value)}>
          {chat.channels.map(({ id, name }) => (
            <option key={id} value={id}>
              #{name} {news.has(id) ? `(${news.get(id)?.length} new)` : ''}
            </option>
          ))}
        </select>
      </label>
    </nav>
  )
}

interface ChannelProps extends Parts {
  readonly chat: Chat
  readonly channelId: string
  readonly asked: string | undefined
}

const shownAtFirst = 300

const Channel = ({ live, twin, chat, channelId, asked, cut }: ChannelProps & { cut: ReactNode }) => {
  const channel = chat.channels.find(({ id }) => id === channelId)
  const all = chat.messages.filter((message) => message.channel === channelId && !message.isReply)
  const [count, setCount] = useState(shownAtFirst)
  const earlier = all.some(({ id }) => id === asked) ? 0 : Math.max(all.length - count, 0)
  const days = [...Map.groupBy(all.slice(earlier), ({ ms }) => storyDay(ms)).entries()]
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
        {cut}
        {earlier > 0 ? (
          <button
            type="button"
            className="button chat-earlier"
            onClick={() => setCount(count + shownAtFirst)}
          >
            Show earlier, {plural(earlier, 'more', 'more')}
          </button>
        ) : null}
        {all.length === 0 ? <Empty title="Nobody has written here yet." /> : null}
        {days.map(([day, items]) => (
          <div key={day}>
            <h3 className="chat-day">
              <span>{day}</span>
            </h3>
            {runsOf(items).map((run) => (
              <Run key={run[0]?.id} live={live} twin={twin} chat={chat} run={run} asked={asked} />
            ))}
          </div>
        ))}
      </div>
      <Composer twin={twin} channel={channelId} label={`Message #${channel?.name ?? ''}`} />
    </section>
  )
}

const groupMs = 5 * 60_000
const follows = (before: Message, message: Message): boolean =>
  before.isNotice === message.isNotice &&
  (message.isNotice || (before.author === message.author && message.ms - before.ms < groupMs))

/** Messages of one author in quick succession, or notices in a row. */
const runsOf = (messages: readonly Message[]): Message[][] => {
  const runs: Message[][] = []
  for (const message of messages) {
    const before = runs.at(-1)?.at(-1)
    if (before && follows(before, message)) runs.at(-1)?.push(message)
    else runs.push([message])
  }
  return runs
}

const fewNotices = 2

const Run = ({ run, asked, ...place }: Omit<ChannelProps, 'channelId'> & { run: readonly Message[] }) => {
  const [first] = run
  if (!first) return null
  if (!first.isNotice)
    return run.map((message, index) => (
      <MessageRow
        key={message.id}
        {...place}
        message={message}
        grouped={index > 0}
        asked={message.id === asked}
      />
    ))
  const notices = run.map((message) => (
    <Notice key={message.id} live={place.live} chat={place.chat} message={message} />
  ))
  if (run.length <= fewNotices) return notices
  return (
    <details className="chat-notices">
      <summary>{run.length} changes to the channel and who is in it</summary>
      {notices}
    </details>
  )
}

const Thread = ({ live, twin, chat, channelId, thread, asked }: ChannelProps & { thread: string }) => {
  const { change } = useAddress()
  const messages = chat.messages.filter(
    (message) => message.channel === channelId && message.thread === thread,
  )
  const replies = messages.filter(({ ts }) => ts !== thread)
  const row = (message: Message) => (
    <MessageRow
      key={message.id}
      live={live}
      twin={twin}
      chat={chat}
      message={message}
      asked={message.id === asked}
      inThread
    />
  )
  return (
    <Inspector
      title="Thread"
      label="Thread"
      className="chat-thread"
      onClose={() => change({ thread: undefined, record: undefined })}
    >
      {messages.filter(({ ts }) => ts === thread).map(row)}
      <h3 className="chat-day">
        <span>{plural(replies.length, 'reply', 'replies')}</span>
      </h3>
      {replies.map(row)}
      <Composer twin={twin} channel={channelId} thread={thread} label="Reply" />
    </Inspector>
  )
}
