import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { canSee, canSeeFile, teamOf, visibleChannel } from '../../access.ts'
import { flag, int, json, list, method, must, str } from '../../methods/method.ts'
import { makeCursor, nextCursor, readCursor } from '../../methods/pages.ts'
import { fileShape } from '../../shapes/file.ts'
import type { Chat, MessageRow } from '../../tables.ts'
import { messageId } from '../../values/ids.ts'
import { permalink } from '../../wire/urls.ts'
import { queryOf, searchFiles, searchMessages } from './search.ts'
import { foldText } from './words.ts'

const maxQuery = 1_000

const messageResult = (call: Chat, row: MessageRow, blocks: boolean) => {
  const author = call.tables.user.get(row.user ?? '')
  return {
    author_name: row.username ?? author?.real_name ?? '',
    author_user_id: row.user ?? '',
    team_id: teamOf(call).id,
    channel_id: row.channel,
    channel_name: call.tables.channel.get(row.channel)?.name ?? '',
    message_ts: row.ts,
    content: row.text,
    is_author_bot: row.bot_id !== undefined,
    permalink: permalink(call, row),
    ...(blocks && { blocks: row.blocks ?? [] }),
  }
}

/** Keeps a note beside an assistant's thread. */
const note = (
  call: Chat,
  channelId: string,
  threadTs: string,
  fields: { title?: string; status?: string; prompts?: Record<string, unknown>[] },
): void => {
  const channel = visibleChannel(call, channelId)
  const id = messageId(channel.id, threadTs)
  if (threadTs !== '' && !call.tables.message.has(id)) throw new VendorError('invalid_thread_ts')
  if (call.tables.assistant_thread.has(id)) call.tables.assistant_thread.update(id, fields)
  else
    call.tables.assistant_thread.insert({
      id,
      channel: channel.id,
      thread_ts: threadTs,
      title: '',
      status: '',
      prompts: [],
      ...fields,
    })
}

/** Each kind of thing that the context search finds, most fitting first. */
const finders = {
  messages: (call: Chat, text: string, args: SearchOptions) =>
    searchMessages(call, queryOf(call, text), {
      sort: args.sort ?? 'score',
      ascending: args.sort_dir === 'asc',
    })
      .map(({ row }) => row)
      .filter((row) => fitsOptions(call, row, args))
      .map((row) => messageResult(call, row, args.include_message_blocks === true)),
  files: (call: Chat, text: string) =>
    searchFiles(call, queryOf(call, text), (file) => canSeeFile(call, file)).map((file) => {
      const shape = fileShape(call, file)
      return {
        uploader_user_id: file.user,
        author_user_id: file.user,
        author_name: call.tables.user.get(file.user)?.real_name ?? '',
        team_id: teamOf(call).id,
        file_id: file.id,
        date_created: file.created,
        date_updated: file.created,
        title: file.title,
        file_type: file.filetype,
        permalink: shape.permalink,
        content: file.title,
      }
    }),
  channels: (call: Chat, text: string) =>
    [...call.tables.channel.all()]
      .filter((row) => row.users === undefined && canSee(call, row))
      .filter((row) =>
        foldText(`${row.name} ${row.topic.value} ${row.purpose.value}`).includes(foldText(text)),
      )
      .map((row) => ({
        team_id: teamOf(call).id,
        creator_user_id: row.creator,
        date_created: row.created,
        name: row.name,
        topic: row.topic.value,
        purpose: row.purpose.value,
        channel_id: row.id,
      })),
  users: (call: Chat, text: string) =>
    [...call.tables.user.find('all', 'all')]
      .filter((row) =>
        foldText(`${row.name} ${row.real_name} ${row.profile.email ?? ''} ${row.profile.title}`).includes(
          foldText(text),
        ),
      )
      .map((row) => ({
        user_id: row.id,
        full_name: row.real_name,
        email: row.profile.email ?? '',
        title: row.profile.title,
        timezone: row.tz,
      })),
}
type Kind = keyof typeof finders
const kinds = Object.keys(finders) as Kind[]

interface SearchOptions {
  readonly sort?: string | undefined
  readonly sort_dir?: string | undefined
  readonly after?: number | undefined
  readonly before?: number | undefined
  readonly channel_types?: string[] | undefined
  readonly include_bots?: boolean | undefined
  readonly include_message_blocks?: boolean | undefined
}

const fitsOptions = (call: Chat, row: MessageRow, args: SearchOptions): boolean => {
  const time = Number(row.ts)
  const kind = call.tables.channel.get(row.channel)?.kind ?? ''
  return (
    (args.after === undefined || time > args.after) &&
    (args.before === undefined || time < args.before) &&
    (args.channel_types === undefined || args.channel_types.includes(kind)) &&
    (args.include_bots !== false || row.bot_id === undefined)
  )
}

export const assistantMethods = {
  'assistant.search.context': method({
    effect: 'read',
    args: {
      query: must(str, 'missing_query'),
      content_types: list,
      channel_types: list,
      after: int,
      before: int,
      cursor: str,
      limit: int,
      sort: str,
      sort_dir: str,
      include_bots: flag,
      include_message_blocks: flag,
      action_token: str,
      context_channel_id: str,
      disable_semantic_search: flag,
      highlight: flag,
      include_archived_channels: flag,
      include_context_messages: flag,
      include_deleted_users: flag,
      modifiers: str,
      term_clauses: json(),
    },
    run: (call, args) => {
      if (args.query.trim() === '') throw new VendorError('missing_query')
      if (args.query.length > maxQuery) throw new VendorError('query_too_long')
      const wanted = kinds.filter((kind) => (args.content_types ?? ['messages']).includes(kind))
      const limit = Math.min(Math.max(args.limit || 20, 1), 20)
      const from = Number(readCursor('context', args.cursor) ?? 0)
      if (!Number.isInteger(from) || from < 0) throw new VendorError('invalid_cursor')
      const text = `${args.query} ${args.modifiers ?? ''}`.trim()
      const found = wanted.map((kind) => ({ kind, items: finders[kind](call, text, args) }))
      const more = found.some(({ items }) => items.length > from + limit)
      return {
        results: Object.fromEntries(found.map(({ kind, items }) => [kind, items.slice(from, from + limit)])),
        ...nextCursor(more ? makeCursor('context', String(from + limit)) : ''),
      }
    },
  }),
  'assistant.search.info': method({
    effect: 'read',
    args: {},
    run: () => ({ is_ai_search_enabled: false }),
  }),
  'assistant.threads.setStatus': method({
    effect: 'write',
    args: {
      channel_id: must(str),
      thread_ts: must(str),
      status: must(str),
      loading_messages: list,
      username: str,
      icon_emoji: str,
      icon_url: str,
    },
    run: (call, args) => {
      note(call, args.channel_id, args.thread_ts, { status: args.status })
      return {}
    },
  }),
  'assistant.threads.setTitle': method({
    effect: 'write',
    args: { channel_id: must(str), thread_ts: must(str), title: must(str) },
    run: (call, args) => {
      note(call, args.channel_id, args.thread_ts, { title: args.title })
      return {}
    },
  }),
  'assistant.threads.setSuggestedPrompts': method({
    effect: 'write',
    args: { channel_id: must(str), prompts: must(json()), thread_ts: str, title: str },
    run: (call, args) => {
      const prompts = Array.isArray(args.prompts) ? args.prompts.filter(isRecord) : []
      note(call, args.channel_id, args.thread_ts ?? '', { prompts })
      return {}
    },
  }),
}
