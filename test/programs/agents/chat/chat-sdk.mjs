// What both majors of the vendor's client are used for, call by call, as a bot and as a person.
import { call, finish, refused } from '../recorder.mjs'

// Set by the file of each major.
const { WebClient, LogLevel } = globalThis.client
const { SLACK_BOT_TOKEN, SLACK_USER_TOKEN } = process.env
const options = { logLevel: LogLevel.ERROR, retryConfig: { retries: 0 } }
const bot = new WebClient(SLACK_BOT_TOKEN, options)
const person = new WebClient(SLACK_USER_TOKEN, options)
const by = (client) => (method, args, isRight) => call(method, () => client.apiCall(method, args), isRight)
const as = by(bot)
const asPerson = by(person)
const not = (client, method, args, code) => refused(method, () => client.apiCall(method, args), code)

const me = await as('auth.test', {}, ({ bot_id, url }) => bot_id.startsWith('B') && url.endsWith('/'))
const { user_id: mira } = await asPerson('auth.test', {}, ({ user }) => user === 'mira')
const { channels } = await as('conversations.list', {}, (answer) => answer.channels.length >= 2)
const pumps = channels.find(({ name }) => name === 'pumps').id
const { members } = await as('users.list', {}, (answer) => answer.members.length >= 3)
const dev = members.find(({ name }) => name === 'dev').id
await as('users.info', { user: dev }, ({ user }) => user.real_name === 'Dev Sharma')
await as('users.lookupByEmail', { email: 'dev@northwind.example' }, ({ user }) => user.id === dev)
await not(bot, 'users.lookupByEmail', { email: 'no@where.example' }, /users_not_found/)
await as('users.profile.get', { user: dev }, ({ profile }) => profile.title === 'Engineer')
await as('conversations.info', { channel: pumps }, ({ channel }) => channel.topic.value === 'P-200 launch')
await as('conversations.members', { channel: pumps }, (answer) => answer.members.includes(dev))

const root = await as(
  'chat.postMessage',
  { channel: pumps, text: 'Hello <world>' },
  ({ message }) => message.text.includes('&lt;world&gt;') || message.text.includes('<world>'),
)
const reply = await as(
  'chat.postMessage',
  { channel: pumps, text: 'In the thread', thread_ts: root.ts },
  ({ message }) => message.thread_ts === root.ts,
)
const section = { type: 'section', text: { type: 'mrkdwn', text: '*Status* green' } }
await as(
  'chat.postMessage',
  { channel: pumps, text: 'Status', blocks: [section] },
  ({ message }) => message.blocks[0].text.text === '*Status* green',
)
await not(bot, 'chat.postMessage', { channel: pumps, blocks: [{ type: 'nonsuch' }] }, /invalid_blocks/)
await not(bot, 'chat.postMessage', { channel: pumps, text: '' }, /no_text/)
await not(bot, 'chat.postMessage', { channel: 'C0000000000', text: 'x' }, /channel_not_found/)
await as(
  'chat.update',
  { channel: pumps, ts: root.ts, text: 'Hello again' },
  ({ text }) => text === 'Hello again',
)
await not(person, 'chat.update', { channel: pumps, ts: root.ts, text: 'Not mine' }, /cant_update_message/)
await as('chat.getPermalink', { channel: pumps, message_ts: root.ts }, ({ permalink }) =>
  permalink.startsWith(me.url),
)
await as(
  'chat.postEphemeral',
  { channel: pumps, user: dev, text: 'Only you' },
  (answer) => !!answer.message_ts,
)
await as('conversations.replies', { channel: pumps, ts: root.ts }, ({ messages }) => messages.length === 2)
await as('conversations.history', { channel: pumps, limit: 2 }, ({ has_more }) => has_more === true)
await as('reactions.add', { channel: pumps, timestamp: root.ts, name: 'eyes' })
await not(bot, 'reactions.add', { channel: pumps, timestamp: root.ts, name: 'eyes' }, /already_reacted/)
await as(
  'reactions.get',
  { channel: pumps, timestamp: root.ts },
  ({ message }) => message.reactions[0].count === 1,
)
await as('reactions.list', {}, ({ items }) => items.length === 1)
await as('reactions.remove', { channel: pumps, timestamp: root.ts, name: 'eyes' })
await not(bot, 'reactions.remove', { channel: pumps, timestamp: root.ts, name: 'eyes' }, /no_reaction/)
await as('pins.add', { channel: pumps, timestamp: root.ts })
await as('pins.list', { channel: pumps }, ({ items }) => items.length === 1)
await as('pins.remove', { channel: pumps, timestamp: root.ts })
const { bookmark } = await as(
  'bookmarks.add',
  { channel_id: pumps, title: 'Docs', type: 'link', link: 'https://docs.example' },
  (answer) => answer.bookmark.title === 'Docs',
)
await as('bookmarks.edit', { channel_id: pumps, bookmark_id: bookmark.id, title: 'Manual' })
await as('bookmarks.list', { channel_id: pumps }, ({ bookmarks }) => bookmarks[0].title === 'Manual')
await as('bookmarks.remove', { channel_id: pumps, bookmark_id: bookmark.id })

const made = await as(
  'conversations.create',
  { name: 'quality' },
  ({ channel }) => channel.name === 'quality',
)
const quality = made.channel.id
await not(bot, 'conversations.create', { name: 'quality' }, /name_taken/)
await not(bot, 'conversations.create', { name: 'Not Allowed!' }, /invalid_name/)
await as(
  'conversations.invite',
  { channel: quality, users: `${dev},${mira}` },
  ({ channel }) => channel.id === quality,
)
await not(bot, 'conversations.invite', { channel: quality, users: dev }, /already_in_channel/)
await as('conversations.setTopic', { channel: quality, topic: 'All about quality' })
await as('conversations.setPurpose', { channel: quality, purpose: 'Audits' })
await as('conversations.rename', { channel: quality, name: 'quality-team' })
await as('conversations.kick', { channel: quality, user: dev })
await as('conversations.archive', { channel: quality })
await not(bot, 'chat.postMessage', { channel: quality, text: 'Too late' }, /is_archived/)
await asPerson('conversations.unarchive', { channel: quality })
const opened = await as('conversations.open', { users: dev }, ({ channel }) => channel.id.startsWith('D'))
await as('chat.postMessage', { channel: opened.channel.id, text: 'In private' })
const post_at = Math.floor(Date.now() / 1000) + 3_600
const later = await as('chat.scheduleMessage', { channel: pumps, text: 'Later', post_at })
await as(
  'chat.scheduledMessages.list',
  { channel: pumps },
  (answer) => answer.scheduled_messages.length === 1,
)
const scheduled_message_id = later.scheduled_message_id
await as('chat.deleteScheduledMessage', { channel: pumps, scheduled_message_id })

const upload = await call(
  'filesUploadV2',
  () => bot.filesUploadV2({ channel_id: pumps, file: Buffer.from('some bytes'), filename: 'note.txt' }),
  ({ ok }) => ok,
)
const file = upload.files[0].files[0].id
await as('files.info', { file }, (answer) => answer.file.size === 10)
await as('files.list', { channel: pumps }, ({ files }) => files.length === 1)
await as('files.delete', { file })
await not(bot, 'files.info', { file }, /file_deleted|file_not_found/)
await asPerson('search.messages', { query: 'invoices' }, ({ messages }) => messages.total === 1)
await not(bot, 'search.messages', { query: 'invoices' }, /not_allowed_token_type/)
await asPerson('search.files', { query: 'note' }, ({ files }) => files.total === 0)
await as('team.info', {}, ({ team }) => team.name === 'Northwind Supply')
await as('emoji.list', {}, ({ emoji }) => typeof emoji === 'object')
await as('bots.info', { bot: me.bot_id }, (answer) => answer.bot.id === me.bot_id)
await asPerson('reminders.add', { text: 'Call back', time: 'in 20 minutes' }, ({ reminder }) => !!reminder.id)
await asPerson('reminders.list', {}, ({ reminders }) => reminders.length === 1)
await asPerson('users.setPresence', { presence: 'away' })
await as('users.getPresence', { user: mira }, ({ presence }) => presence === 'away')
await asPerson('dnd.setSnooze', { num_minutes: 30 }, ({ snooze_enabled }) => snooze_enabled === true)
await as('chat.delete', { channel: pumps, ts: reply.ts })
await not(bot, 'chat.delete', { channel: pumps, ts: reply.ts }, /message_not_found/)
await as('conversations.leave', { channel: pumps })
await not(bot, 'conversations.nonsuch', {}, /unknown_method/)
finish()
