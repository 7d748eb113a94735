import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { type McpTool, mcpTool } from '@diorama/twin-kit/wires/mcp/tool'
import { z } from 'zod'
import type { ChatTables } from '../tables.ts'
import { type ChatSession, call, placeOf, type Shape, text, workspaceOf } from './native.ts'

const place = text.describe('Channel id, or user id for a direct message')
const message = text.describe('The message, in Markdown')
const maxMessage = 5_000
const signature = 'the line that names the sending app is not added'

const requireLength = (sent: string): void => {
  if (sent.length > maxMessage) throw new VendorError('msg_too_long')
}

const linkOf = (session: ChatSession, channel: string, message_ts: string): unknown =>
  call(session, 'chat.getPermalink', { channel, message_ts }).permalink

const messageTools: readonly McpTool<ChatTables>[] = [
  mcpTool({
    name: 'slack_send_message',
    description: 'Sends a message to a channel, a thread or a person.',
    effect: 'write',
    input: z.strictObject({
      channel_id: place,
      message,
      thread_ts: text.describe('ts of the parent message, for a reply').optional(),
      reply_broadcast: z.boolean().optional(),
      unfurl_app_links: z.boolean().optional(),
    }),
    missing: `${signature}; drafts`,
    run: ({ session }, { channel_id, message: sent, thread_ts, reply_broadcast }) => {
      requireLength(sent)
      const { channel, ts } = call(session, 'chat.postMessage', {
        channel: channel_id,
        markdown_text: sent,
        ...(thread_ts === undefined ? {} : { thread_ts }),
        ...(reply_broadcast === undefined ? {} : { reply_broadcast }),
      }) as { channel: string; ts: string }
      return {
        message_link: linkOf(session, channel, ts),
        message_context: { message_ts: ts, channel_id: channel },
      }
    },
  }),
  mcpTool({
    name: 'slack_schedule_message',
    description: 'Schedules a message, from 2 minutes to 120 days ahead.',
    effect: 'write',
    evidence: 'chosen',
    input: z.strictObject({
      channel_id: place,
      message,
      post_at: z.number().describe('Unix seconds'),
      thread_ts: text.optional(),
      reply_broadcast: z.boolean().optional(),
    }),
    missing: signature,
    run: ({ session }, { channel_id, message: sent, post_at, ...more }) => {
      requireLength(sent)
      if (!Number.isInteger(post_at)) throw new VendorError('invalid_post_at_format')
      if (post_at < session.now / 1_000 + 120) throw new VendorError('time_in_past')
      const channel = placeOf(session, channel_id)
      const answer = call(session, 'chat.scheduleMessage', { channel, markdown_text: sent, post_at, ...more })
      return { scheduled_message_id: answer.scheduled_message_id, channel_id: channel, post_at }
    },
  }),
  mcpTool({
    name: 'slack_add_reaction',
    description: 'Adds a reaction to a message.',
    effect: 'write',
    evidence: 'chosen',
    input: z.strictObject({
      channel_id: text,
      message_ts: text,
      emoji: text.describe('Name without colons'),
    }),
    run: ({ session }, { channel_id, message_ts, emoji }) => {
      try {
        call(session, 'reactions.add', { channel: channel_id, timestamp: message_ts, name: emoji })
      } catch (error) {
        if (!(error instanceof VendorError) || error.code !== 'already_reacted') throw error
      }
      return { ok: true, channel_id, message_ts, emoji }
    },
  }),
  mcpTool({
    name: 'slack_create_conversation',
    description: 'Makes a channel, or opens a direct message or group message.',
    effect: 'write',
    evidence: 'documented',
    input: z.strictObject({
      user_ids: z.array(text).max(1_000).optional(),
      channel_name: text.max(80).optional(),
      is_private: z.boolean().default(false),
    }),
    run: ({ session }, { user_ids = [], channel_name, is_private }) => {
      if (channel_name === undefined) {
        if (user_ids.length === 0) throw new VendorError('invalid_arguments')
        if (user_ids.length > 8) throw new VendorError('too_many_users')
        const { channel } = call(session, 'conversations.open', { users: user_ids.join(',') })
        return { channel_id: (channel as { id: string }).id }
      }
      const { channel } = call(session, 'conversations.create', { name: channel_name, is_private })
      const { id } = channel as { id: string }
      const others = user_ids.filter((user) => user !== session.actor?.id)
      if (others.length > 0) call(session, 'conversations.invite', { channel: id, users: others.join(',') })
      return { channel_id: id }
    },
  }),
]

const Edit = z.strictObject({
  edit_type: z.enum(['append', 'prepend', 'replace', 'delete']),
  section_id: text.optional(),
  content: text.optional(),
})

/** One edit in the words of the native method. */
const changeOf = ({ edit_type, section_id, content }: z.output<typeof Edit>): Shape => {
  const place = section_id === undefined ? {} : { section_id }
  if (edit_type === 'delete') return { operation: 'delete', ...place }
  const document_content = { type: 'markdown', markdown: content ?? '' }
  if (edit_type === 'replace') return { operation: 'replace', ...place, document_content }
  const side =
    edit_type === 'append' ? ['insert_after', 'insert_at_end'] : ['insert_before', 'insert_at_start']
  return { operation: side[section_id === undefined ? 1 : 0], ...place, document_content }
}

const canvasUrl = (session: ChatSession, id: string): string => {
  const [team] = session.views.team.all()
  return `${workspaceOf(session)}/docs/${team?.id ?? ''}/${id}`
}

const documentTools: readonly McpTool<ChatTables>[] = [
  mcpTool({
    name: 'slack_create_canvas',
    description: 'Makes a canvas.',
    effect: 'write',
    evidence: 'documented',
    input: z.strictObject({ title: text, content: text.describe('Markdown') }),
    run: ({ session }, { title, content }) => {
      const document_content = { type: 'markdown', markdown: content }
      const { canvas_id } = call(session, 'canvases.create', { title, document_content })
      return { canvas_id, canvas_url: canvasUrl(session, String(canvas_id)) }
    },
  }),
  mcpTool({
    name: 'slack_update_canvas',
    description: 'Edits sections of a canvas, all of them or none.',
    effect: 'write',
    evidence: 'documented',
    input: z.strictObject({
      canvas_id: text,
      sections: z.array(Edit).max(100).optional(),
      action: z.enum(['append', 'prepend', 'replace']).describe('Older form of one edit').optional(),
      content: text.optional(),
      section_id: text.optional(),
    }),
    run: ({ session }, { canvas_id, sections = [], action, content, section_id }) => {
      const edits =
        action === undefined ? sections : [...sections, { edit_type: action, content, section_id }]
      if (edits.length === 0) throw new VendorError('invalid_arguments')
      for (const edit of edits) call(session, 'canvases.edit', { canvas_id, changes: [changeOf(edit)] })
      return { canvas_url: canvasUrl(session, canvas_id) }
    },
  }),
  mcpTool({
    name: 'slack_get_file_upload_url',
    description: 'First step of an upload: the address to which the bytes are posted.',
    effect: 'write',
    evidence: 'documented',
    input: z.strictObject({
      filename: text,
      content_length: z.number().min(1),
      snippet_type: text.optional(),
      alt_txt: text.max(1_000).optional(),
    }),
    run: ({ session }, { content_length, ...more }) => {
      const answer = call(session, 'files.getUploadURLExternal', { length: content_length, ...more })
      return { upload_url: answer.upload_url, file_id: answer.file_id }
    },
  }),
  mcpTool({
    name: 'slack_complete_file_upload',
    description: 'Second step of an upload: finishes it and shares the file.',
    effect: 'write',
    evidence: 'documented',
    input: z.strictObject({
      file_id: text,
      title: text.optional(),
      channel_id: text.optional(),
      thread_ts: text.optional(),
      initial_comment: text.optional(),
    }),
    run: ({ session }, { file_id, title, ...more }) => {
      const answer = call(session, 'files.completeUploadExternal', {
        files: [{ id: file_id, ...(title === undefined ? {} : { title }) }],
        ...more,
      })
      const [file] = answer.files as readonly { id: string; title: string; permalink?: string }[]
      return { file_id: file?.id, title: file?.title, link: file?.permalink }
    },
  }),
]

export const writeTools: readonly McpTool<ChatTables>[] = [...messageTools, ...documentTools]
