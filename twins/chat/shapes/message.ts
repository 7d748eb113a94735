import { isBotCall, type Seen, selfOf, teamOf } from '../access.ts'
import type { MessageRow } from '../tables.ts'
import { messageId } from '../values/ids.ts'
import { nativeJson, type Written, written } from '../wire/native.ts'
import { permalink } from '../wire/urls.ts'
import { sharedFile } from './file.ts'
import { botProfile } from './user.ts'

type Shape = Record<string, unknown>

export interface MessageOptions {
  /** Metadata is shown to those who ask for it. */
  readonly metadata?: boolean
  readonly permalink?: boolean
}

/** A message as the service shows it: what the message itself says, then what others have made of it. */
export const messageShape = (call: Seen, row: MessageRow, options: MessageOptions = {}): Shape => {
  const shape = ownFields(row)
  if (row.metadata && options.metadata) shape.metadata = row.metadata
  if (showsTeam(row)) shape.team = teamOf(call).id
  if (row.bot_id !== undefined) shape.bot_profile = profileOf(call, row.bot_id)
  if (row.files) {
    shape.files = row.files.map((file) => sharedFile(call, file.id))
    shape.upload = false
  }
  if (row.streaming) shape.streaming_state = 'in_progress'
  Object.assign(shape, marks(call, row))
  if (options.permalink) shape.permalink = permalink(call, row)
  return shape
}

/** What depends on the row alone. A field set to undefined is not shown; copying whole and hiding is quicker than picking. */
const ownFields = (row: MessageRow): Shape => ({
  ...row,
  id: undefined,
  channel: undefined,
  metadata: undefined,
  streaming: undefined,
  ...(row.subtype === 'bot_message' && { user: undefined }),
})

const showsTeam = ({ subtype }: MessageRow): boolean =>
  subtype === undefined || subtype === 'thread_broadcast' || subtype === 'file_share'

const profileOf = (call: Seen, id: string): Shape | undefined => {
  const bot = call.tables.bot.get(id)
  return bot && botProfile(call, bot)
}

/** A thread's counters on its parent, the parent on a reply that was also sent to the channel, and the pin. */
const marks = (call: Seen, row: MessageRow): Shape | undefined => {
  const thread = call.tables.thread.get(row.id)
  const pin = call.tables.pin.get(row.id)
  const isBroadcast = row.subtype === 'thread_broadcast' && row.thread_ts
  if (!thread && !pin && !isBroadcast) return undefined
  const root = isBroadcast ? call.tables.message.get(messageId(row.channel, isBroadcast)) : undefined
  return {
    ...(thread && {
      thread_ts: row.ts,
      reply_count: thread.reply_count,
      reply_users_count: thread.reply_users.length,
      latest_reply: thread.latest_reply,
      reply_users: thread.reply_users.slice(0, 5),
      is_locked: false,
      subscribed: isSubscribed(call, row, thread.reply_users),
    }),
    ...(root && { root: messageShape(call, root) }),
    ...(pin && {
      pinned_to: [row.channel],
      pinned_info: { channel: pin.channel, pinned_by: pin.created_by, pinned_ts: pin.created },
    }),
  }
}

const isSubscribed = (call: Seen, row: MessageRow, repliers: readonly string[]): boolean =>
  !isBotCall(call) && (row.user === selfOf(call) || repliers.includes(selfOf(call)))

/** A list of messages, already written: the same as the shapes of all, at a tenth of the cost. */
export const writtenMessages = (
  call: Seen,
  rows: readonly MessageRow[],
  options: MessageOptions = {},
): Written => {
  const pieces = piecesFor(call)
  // Added up rather than joined: the whole is then copied once, when it is sent.
  let list = ''
  for (const row of rows) list += `${list === '' ? '' : ','}${messageText(call, row, pieces, options)}`
  return written(`[${list}]`)
}

/** Fields that many messages of one answer have in common, with the comma before them. */
interface Pieces {
  readonly team: string
  readonly bot: (id: string) => string
}

const piecesFor = (call: Seen): Pieces => {
  const bots = new Map<string, string>()
  const bot = (id: string): string => {
    const profile = profileOf(call, id)
    return profile ? `,"bot_profile":${nativeJson(profile)}` : ''
  }
  return {
    team: `,"team":${nativeJson(teamOf(call).id)}`,
    bot: (id) => {
      const made = bots.get(id) ?? bot(id)
      bots.set(id, made)
      return made
    },
  }
}

const messageText = (call: Seen, row: MessageRow, pieces: Pieces, options: MessageOptions): string => {
  const isPlain = !row.files && !row.streaming && !(row.metadata && options.metadata) && !options.permalink
  const more = isPlain ? marks(call, row) : undefined
  if (!isPlain || (more && row.thread_ts !== undefined)) return nativeJson(messageShape(call, row, options))
  const team = showsTeam(row) ? pieces.team : ''
  const bot = row.bot_id === undefined ? '' : pieces.bot(row.bot_id)
  return `${ownText(row)}${team}${bot}${more ? `,${nativeJson(more).slice(1, -1)}` : ''}}`
}

/** What a row says on its own, without the closing brace. A changed row is another object, and a row that is gone takes its text with it. */
const ownTexts = new WeakMap<MessageRow, string>()

const ownText = (row: MessageRow): string => {
  const known = ownTexts.get(row)
  if (known !== undefined) return known
  const made = nativeJson(ownFields(row)).slice(0, -1)
  ownTexts.set(row, made)
  return made
}
