import { operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { botOf, namedChannel, visibleFile } from '../../access.ts'
import { moveTables, readAttachments } from '../../blocks/attachments.ts'
import { nameBlocks, readBlocks } from '../../blocks/blocks.ts'
import { blockContext } from '../../blocks/context.ts'
import type { Chat, ChatTables } from '../../tables.ts'
import { insertMessage } from '../messages/post.ts'
import { storedText } from '../messages/text.ts'
import { canvasHtml } from './canvas-html.ts'
import { listCsv } from './lists.ts'

/** What happens beside the methods: bytes that go up and down, and messages that come in by webhook. */
export const uploadBytes = 'POST /upload/v1'
export const downloadFile = 'GET /files-pri'
export const incomingWebhook = 'POST /services'

export interface Uploaded {
  readonly ticket: string
  readonly bytes: Uint8Array
}

export interface Downloaded {
  readonly bytes: Uint8Array
  readonly type: string
  readonly name: string
}

const upload = (call: Chat, { ticket, bytes }: Uploaded): { length: number } => {
  const row = call.tables.upload.get(ticket)
  if (!row) throw new VendorError('invalid_upload_url', 'no upload waits for this address', { status: 404 })
  const base64 = Buffer.from(bytes).toString('base64')
  if (call.tables.file_content.has(row.file)) call.tables.file_content.update(row.file, { base64 })
  else call.tables.file_content.insert({ id: row.file, base64 })
  if (!row.received) call.tables.upload.update(ticket, { received: true })
  return { length: bytes.length }
}

const download = (call: Chat, { file, isPublic }: { file: string; isPublic: boolean }): Downloaded => {
  const shared = call.tables.file.get(file)
  const row = isPublic && shared?.public_url_shared ? shared : visibleFile(call, file)
  const canvas = call.tables.canvas.get(row.id)
  const list = call.tables.list.get(row.id)
  if (canvas)
    return {
      bytes: Buffer.from(canvasHtml(canvas)),
      type: 'text/html; charset=utf-8',
      name: `${row.name}.html`,
    }
  if (list)
    return {
      bytes: Buffer.from(listCsv(call, list)),
      type: 'text/csv; charset=utf-8',
      name: `${row.name}.csv`,
    }
  const content = call.tables.file_content.get(row.id)
  return {
    bytes: Buffer.from(content?.base64 ?? '', 'base64'),
    type: row.mode === 'snippet' ? 'text/plain; charset=utf-8' : row.mimetype,
    name: row.name,
  }
}

const refuse = (status: number, code: string): VendorError => new VendorError(code, code, { status })

/** The channel is the one that was chosen when the webhook was made; what a payload says of it, or of a name, is ignored. */
const webhook = (call: Chat, payload: unknown): string => {
  if (!isRecord(payload)) throw refuse(400, 'invalid_payload')
  const channel = namedChannel(call, 'general')
  if (!channel) throw refuse(404, 'channel_not_found')
  if (channel.is_archived) throw refuse(410, 'channel_is_archived')
  const text = typeof payload.text === 'string' ? storedText(payload.text) : ''
  const context = blockContext(call)
  const { blocks, attachments } = moveTables({
    blocks: readBlocks(payload.blocks, context),
    attachments: readAttachments(payload.attachments, { context, place: channel.id }),
  })
  if (text === '' && !blocks && !attachments) throw refuse(400, 'no_text')
  const bot = botOf(call)
  insertMessage(call, {
    channel,
    user: bot.user_id,
    bot,
    text,
    blocks: blocks && ((ts) => nameBlocks(blocks, `${channel.id}:${ts}`)),
    attachments,
    threadTs: typeof payload.thread_ts === 'string' ? payload.thread_ts : undefined,
    subtype: 'bot_message',
  })
  return 'ok'
}

export const transfers = {
  [uploadBytes]: operation<ChatTables, Uploaded>({ effect: 'write', run: upload }),
  [downloadFile]: operation<ChatTables, { file: string; isPublic: boolean }>({
    effect: 'read',
    run: download,
  }),
  [incomingWebhook]: operation<ChatTables, unknown>({ effect: 'write', run: webhook }),
}
