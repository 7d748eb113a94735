import { hash } from 'node:crypto'
import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { McpAnswer, type McpTool, mcpTool } from '@diorama/twin-kit/wires/mcp/tool'
import { z } from 'zod'
import { type Downloaded, downloadFile } from '../operations/files/transfers.ts'
import type { ChatTables } from '../tables.ts'
import {
  call,
  callWritten,
  cursor,
  existingPlaceOf,
  format,
  limitOf,
  messagesOf,
  nextCursorOf,
  text,
} from './native.ts'
import { channelMessage, paged, personOf, threadText } from './text.ts'

const maxFileBytes = 10 * 1_048_576
const bounds = { latest: text.optional(), oldest: text.optional() }

const conversationTools: readonly McpTool<ChatTables>[] = [
  mcpTool({
    name: 'slack_read_channel',
    description:
      'Reads messages of a channel, newest first. A user id reads the direct message with that person.',
    effect: 'read',
    input: z.strictObject({
      channel_id: text.describe('Channel id, or user id for a direct message'),
      limit: limitOf(100, 100),
      cursor,
      ...bounds,
      response_format: format,
    }),
    run: ({ session }, { channel_id, response_format, ...range }) => {
      const channel = existingPlaceOf(session, channel_id)
      const answer = callWritten(session, 'conversations.history', { channel, ...range })
      const name = session.views.channel.get(channel)?.name || 'DM'
      const lines = messagesOf(answer).map((one) =>
        channelMessage(session, one, response_format === 'detailed'),
      )
      return paged(
        'messages',
        [`Channel: #${name} (${channel})`, ...lines].join('\n\n'),
        nextCursorOf(answer),
      )
    },
  }),
  mcpTool({
    name: 'slack_read_thread',
    description: 'Reads a thread: its parent message and the replies.',
    effect: 'read',
    input: z.strictObject({
      channel_id: text,
      message_ts: text.describe('ts of the parent message'),
      limit: limitOf(100, 1_000),
      cursor,
      ...bounds,
      response_format: format,
    }),
    run: ({ session }, { channel_id, message_ts, response_format, ...range }) => {
      const channel = existingPlaceOf(session, channel_id)
      const answer = callWritten(session, 'conversations.replies', { channel, ts: message_ts, ...range })
      const thread = threadText(session, messagesOf(answer), response_format === 'detailed')
      return paged('messages', thread, nextCursorOf(answer))
    },
  }),
  mcpTool({
    name: 'slack_list_channel_members',
    description: 'Lists the members of a channel.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({
      channel_id: text,
      limit: limitOf(30, 30),
      cursor,
      response_format: z.enum(['detailed', 'concise', 'ids_only']).default('detailed'),
      include_deleted: z.boolean().default(false),
      include_bots: z.boolean().default(false),
    }),
    run: ({ session }, { channel_id, response_format, include_deleted, include_bots, ...page }) => {
      if (['im', 'mpim'].includes(session.views.channel.get(channel_id)?.kind ?? ''))
        throw new VendorError('method_not_supported_for_channel_type')
      const answer = call(session, 'conversations.members', { channel: channel_id, ...page })
      const members = answer.members as readonly string[]
      if (response_format === 'ids_only') return paged('members', members.join('\n'), nextCursorOf(answer))
      const shown = members.flatMap((id) => {
        const user = session.views.user.get(id)
        if (!user || (user.deleted && !include_deleted) || (user.is_bot && !include_bots)) return []
        const line = `${user.real_name} (${id})`
        if (response_format === 'concise') return [line]
        return [
          `${line}\nUsername: ${user.name}\nTitle: ${user.profile.title}\nEmail: ${user.profile.email ?? ''}`,
        ]
      })
      return paged('members', shown.join('\n\n'), nextCursorOf(answer))
    },
  }),
  mcpTool({
    name: 'slack_list_user_channels',
    description: 'Lists the conversations that you are in.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({
      types: text
        .default('public_channel,private_channel')
        .describe('public_channel, private_channel, mpim, im'),
      name_prefix: text.optional(),
      exclude_archived: z.boolean().default(false),
      limit: limitOf(50, 200),
      cursor,
      format: z.enum(['full', 'ids_only', 'names_only']).default('full'),
      team_id: text.optional(),
    }),
    run: ({ session }, args) => {
      const { types, exclude_archived } = args
      const page =
        args.name_prefix === undefined ? { limit: args.limit, cursor: args.cursor } : { limit: 1_000 }
      const answer = call(session, 'users.conversations', { types, exclude_archived, ...page })
      const all = answer.channels as readonly { id: string; name?: string; purpose?: { value: string } }[]
      const found = all
        .filter(({ name = '' }) => name.startsWith(args.name_prefix ?? ''))
        .slice(0, args.limit)
      const lines = found.map(({ id, name = 'DM', purpose }) => {
        if (args.format === 'ids_only') return id
        if (args.format === 'names_only') return `#${name}`
        return `#${name} (${id})${purpose?.value ? `: ${purpose.value}` : ''}`
      })
      const next = args.name_prefix === undefined ? nextCursorOf(answer) : ''
      return paged('channels', lines.join('\n'), next)
    },
  }),
  mcpTool({
    name: 'slack_get_reactions',
    description: 'Reads the reactions of a message.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({ channel_id: text, message_ts: text }),
    run: ({ session }, { channel_id, message_ts }) => {
      const answer = call(session, 'reactions.get', {
        channel: channel_id,
        timestamp: message_ts,
        full: true,
      })
      const { reactions = [] } = answer.message as {
        reactions?: readonly { name: string; count: number; users: readonly string[] }[]
      }
      return {
        reactions: reactions.map(({ name, count, users }) => ({
          name,
          count,
          users: users.slice(0, 50).map((id) => ({ id, name: personOf(session, id) })),
        })),
      }
    },
  }),
]

const documentTools: readonly McpTool<ChatTables>[] = [
  mcpTool({
    name: 'slack_read_canvas',
    description: 'Reads a canvas as Markdown, with the ids of its sections.',
    effect: 'read',
    evidence: 'chosen',
    input: z.strictObject({ canvas_id: text }),
    run: ({ session }, { canvas_id }) => {
      // The native read decides who may see it.
      call(session, 'files.info', { file: canvas_id })
      const canvas = session.views.canvas.get(canvas_id)
      if (!canvas) throw new VendorError('canvas_not_found')
      return {
        markdown_content: `# ${canvas.title}\n\n${canvas.markdown}`,
        section_id_mapping: Object.fromEntries(
          canvas.sections.map(({ id, markdown }) => [id, markdown.slice(0, 80)]),
        ),
      }
    },
  }),
  mcpTool({
    name: 'slack_read_file',
    description: 'Reads the content of a file of up to 10 MB.',
    effect: 'read',
    input: z.strictObject({ file_id: text }),
    run: ({ session }, { file_id }) => {
      const canvas = session.views.canvas.get(file_id)
      const { bytes, type, name } = session.call<Downloaded>(downloadFile, { file: file_id, isPublic: false })
      if (bytes.length > maxFileBytes) throw new VendorError('file_too_large')
      const isText = /^text\/|json|xml|javascript|csv/.test(type)
      if (canvas || isText) {
        const content = canvas ? canvas.markdown : Buffer.from(bytes).toString('utf8')
        // The suffix keeps the content of a file from closing the tag it is shown in.
        const suffix = hash('sha256', `${file_id}:${content}`).slice(0, 16)
        return `File: ${name} (${file_id})\n<file_content_${suffix}>\n${content}\n</file_content_${suffix}>`
      }
      const data = Buffer.from(bytes).toString('base64')
      return type.startsWith('image/')
        ? new McpAnswer([{ type: 'image', data, mimeType: type }])
        : { file_id, name, mimeType: type, base64: data }
    },
  }),
  mcpTool({
    name: 'slack_read_user_profile',
    description: 'Reads the profile of a person; yours when no id is given.',
    effect: 'read',
    input: z.strictObject({
      user_id: text.optional(),
      include_locale: z.boolean().default(false),
      response_format: format,
    }),
    run: ({ session }, { user_id = session.actor?.id ?? '', include_locale, response_format }) => {
      const { user } = call(session, 'users.info', { user: user_id, include_locale })
      const { id, name, real_name, tz, locale, is_admin, is_bot, profile } = user as Profile
      return {
        result: [
          `User ID: ${id}`,
          `Username: ${name}`,
          `Display Name: ${profile.display_name ?? ''}`,
          `Real Name: ${real_name ?? ''}`,
          `Email: ${profile.email ?? ''}`,
          ...(response_format === 'concise'
            ? []
            : [
                `Title: ${profile.title ?? ''}`,
                `Phone: ${profile.phone ?? ''}`,
                `Status: ${profile.status_emoji ?? ''} ${profile.status_text ?? ''}`,
                `Timezone: ${tz ?? ''}`,
                `Is Admin: ${is_admin === true}`,
                `Is Bot: ${is_bot === true}`,
              ]),
          ...(locale === undefined ? [] : [`Locale: ${locale}`]),
        ].join('\n'),
      }
    },
  }),
]

interface Profile {
  readonly id: string
  readonly name: string
  readonly real_name?: string
  readonly tz?: string
  readonly locale?: string
  readonly is_admin?: boolean
  readonly is_bot?: boolean
  readonly profile: Readonly<Record<string, string | undefined>>
}

export const readTools: readonly McpTool<ChatTables>[] = [...conversationTools, ...documentTools]
