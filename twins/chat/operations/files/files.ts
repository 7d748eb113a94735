import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import {
  canSeeFile,
  isAdmin,
  isBotCall,
  knownUser,
  namedChannel,
  requireMember,
  requireOpen,
  requirePosting,
  selfOf,
  visibleChannel,
  visibleFile,
} from '../../access.ts'
import { nameBlocks, readBlocks } from '../../blocks/blocks.ts'
import { blockContext } from '../../blocks/context.ts'
import { int, json, list, method, must, str } from '../../methods/method.ts'
import { nextCursor, pageOf, pagingShape, readPaging } from '../../methods/pages.ts'
import { fileShape } from '../../shapes/file.ts'
import type { ChannelRow, Chat, FileRow } from '../../tables.ts'
import { capitals, nativeId } from '../../values/ids.ts'
import { nowSeconds } from '../../values/time.ts'
import { filesUrl } from '../../wire/urls.ts'
import { replyTarget } from '../messages/compose.ts'
import { authorOf, insertMessage } from '../messages/post.ts'
import { storedText } from '../messages/text.ts'
import { deleteDocument } from './documents.ts'
import { fileTypes, isOfType, kindOfFile, kindOfSnippet } from './filetypes.ts'
import { imageSize } from './image-size.ts'

/** Larger files do not fit a request to a twin. */
const maxBytes = 1_073_741_824
const maxAltText = 1_000

const readFiles = (value: unknown): { id: string; title?: string }[] => {
  const given = isRecord(value) ? [value] : value
  if (!Array.isArray(given) || given.length === 0) throw new VendorError('invalid_arguments')
  return given.map((file: unknown) => {
    if (!isRecord(file) || typeof file.id !== 'string') throw new VendorError('file_not_found')
    return { id: file.id, ...(typeof file.title === 'string' && { title: file.title }) }
  })
}

/** Turns an upload that has arrived into a file. */
const complete = (call: Chat, id: string, title: string | undefined): FileRow => {
  const upload = call.tables.upload.first('file', id)
  if (!upload || upload.user !== selfOf(call) || !upload.received) throw new VendorError('file_not_found')
  const kind = upload.snippet_type ? kindOfSnippet(upload.snippet_type) : kindOfFile(upload.name)
  const content = call.tables.file_content.get(id)
  call.tables.upload.delete(upload.id)
  const isImage = kind?.mimetype.startsWith('image/') === true
  const image = content && isImage ? imageSize(Buffer.from(content.base64, 'base64')) : undefined
  return call.tables.file.insert({
    id,
    created: nowSeconds(call),
    name: upload.name,
    title: title || upload.name,
    mimetype: kind?.mimetype ?? 'application/octet-stream',
    filetype: kind?.filetype ?? 'binary',
    pretty_type: kind?.pretty ?? 'Binary',
    user: upload.user,
    size: content ? Buffer.byteLength(content.base64, 'base64') : 0,
    mode: upload.snippet_type || (kind?.isText && upload.name.endsWith('.txt')) ? 'snippet' : 'hosted',
    ...(upload.alt_txt && { alt_txt: upload.alt_txt }),
    ...(image && { image }),
    public_url_shared: false,
    shares: [],
  })
}

const shareTarget = (call: Chat, id: string, isReply: boolean): ChannelRow => {
  const channel = namedChannel(call, id)
  if (!channel) throw new VendorError('channel_not_found')
  requireOpen(channel)
  if (!(isBotCall(call) && channel.kind === 'public_channel')) requireMember(call, channel)
  requirePosting(call, channel, { isReply, code: 'posting_to_channel_denied' })
  return channel
}

interface Sharing {
  readonly channel: ChannelRow
  readonly comment: string
  readonly blocks: unknown
  readonly threadTs: string | undefined
}

/** One message carries all the files; each file remembers where it was shared. */
const share = (
  call: Chat,
  files: readonly FileRow[],
  { channel, comment, blocks, threadTs }: Sharing,
): FileRow[] => {
  const checked = readBlocks(blocks, blockContext(call))
  const row = insertMessage(call, {
    ...authorOf(call),
    channel,
    text: storedText(comment),
    ...(checked && { blocks: (ts: string) => nameBlocks(checked, `${channel.id}:${ts}`) }),
    threadTs: replyTarget(call, channel, threadTs),
    files: files.map(({ id, name, title }) => ({ id, name, title })),
    ...(!isBotCall(call) && { subtype: 'file_share' }),
  })
  const at = { channel: channel.id, ts: row.ts, ...(row.thread_ts && { thread_ts: row.thread_ts }) }
  return files.map((file) => call.tables.file.update(file.id, { shares: [...file.shares, at] }))
}

export const fileMethods = {
  'files.getUploadURLExternal': method({
    effect: 'write',
    args: {
      filename: must(str, 'missing_argument'),
      length: must(int, 'missing_argument'),
      alt_txt: str,
      snippet_type: str,
    },
    run: (call, args) => {
      if (args.filename === '') throw new VendorError('missing_argument')
      if (args.length <= 0) throw new VendorError('missing_argument')
      if (args.length > maxBytes) throw new VendorError('file_upload_size_restricted')
      if ((args.alt_txt?.length ?? 0) > maxAltText) throw new VendorError('alt_txt_too_large')
      if (args.snippet_type && !kindOfSnippet(args.snippet_type))
        throw new VendorError('unknown_snippet_type')
      const file = nativeId('F', call.draw('file'))
      const ticket = `${capitals(call.draw('upload'), 24)}${file}`
      call.tables.upload.insert({
        id: ticket,
        file,
        user: selfOf(call),
        name: args.filename,
        length: args.length,
        received: false,
        ...(args.snippet_type && { snippet_type: args.snippet_type }),
        ...(args.alt_txt && { alt_txt: args.alt_txt }),
      })
      return { upload_url: `${filesUrl(call)}/upload/v1/${ticket}`, file_id: file }
    },
  }),
  'files.completeUploadExternal': method({
    effect: 'write',
    args: {
      files: must(json()),
      channel_id: str,
      channels: list,
      thread_ts: str,
      initial_comment: str,
      blocks: json('invalid_blocks'),
      username: str,
      icon_emoji: str,
      icon_url: str,
    },
    run: (call, args) => {
      const wanted = readFiles(args.files)
      const ids = args.channel_id ? [args.channel_id] : (args.channels ?? [])
      if (args.thread_ts && ids.length > 1) throw new VendorError('invalid_channel')
      const channels = ids.map((id) => shareTarget(call, id, Boolean(args.thread_ts)))
      let files = wanted.map(({ id, title }) => complete(call, id, title))
      for (const channel of channels)
        files = share(call, files, {
          channel,
          comment: args.initial_comment ?? '',
          blocks: args.blocks,
          threadTs: args.thread_ts,
        })
      return { files: files.map((file) => fileShape(call, file, true)) }
    },
  }),
  'files.info': method({
    effect: 'read',
    args: { file: must(str), count: int, cursor: str, limit: int, page: int },
    run: (call, args) => {
      const row = visibleFile(call, args.file)
      const content = row.mode === 'snippet' ? call.tables.file_content.get(row.id) : undefined
      const text = content && Buffer.from(content.base64, 'base64').toString('utf8').slice(0, 5_000)
      return {
        file: {
          ...fileShape(call, row, true),
          ...(text !== undefined && { preview: text, lines: text.split('\n').length, lines_more: 0 }),
        },
        ...(text !== undefined && { content: text }),
        comments: [],
        ...nextCursor(''),
      }
    },
  }),
  'files.list': method({
    effect: 'read',
    args: {
      channel: str,
      user: str,
      ts_from: str,
      ts_to: str,
      types: str,
      count: int,
      page: int,
      team_id: str,
    },
    run: (call, args) => {
      const types = (args.types || 'all').split(',').map((type) => type.trim())
      if (types.some((type) => !fileTypes.includes(type))) throw new VendorError('unknown_type')
      const user = args.user ? knownUser(call, args.user).id : undefined
      const channel = args.channel ? visibleChannel(call, args.channel).id : undefined
      const range = {
        ...(args.ts_from && { after: Number(args.ts_from) - 1 }),
        ...(args.ts_to && { before: Number(args.ts_to) + 1 }),
        reverse: true,
      }
      const rows = channel
        ? call.tables.file.find('channel', channel, range)
        : user
          ? call.tables.file.find('user', user, range)
          : call.tables.file.find('all', 'all', range)
      const seen = [...rows].filter(
        (row) =>
          (!user || row.user === user) && types.some((type) => isOfType(type, row)) && canSeeFile(call, row),
      )
      const paging = readPaging(args, 100, 1_000)
      return {
        files: pageOf(seen, paging).map((row) => fileShape(call, row)),
        paging: pagingShape(seen.length, paging),
      }
    },
  }),
  'files.delete': method({
    effect: 'write',
    args: { file: must(str) },
    run: (call, args) => {
      const row = visibleFile(call, args.file)
      if (row.user !== selfOf(call) && (isBotCall(call) || !isAdmin(call)))
        throw new VendorError('cant_delete_file')
      if (row.mode === 'quip' || row.mode === 'list') deleteDocument(call, row.id)
      else call.tables.file.delete(row.id)
      if (call.tables.file_content.has(row.id)) call.tables.file_content.delete(row.id)
      return {}
    },
  }),
  'files.sharedPublicURL': method({
    effect: 'write',
    args: { file: must(str) },
    run: (call, args) => {
      const row = visibleFile(call, args.file)
      if (row.public_url_shared) throw new VendorError('already_public')
      return { file: fileShape(call, call.tables.file.update(row.id, { public_url_shared: true })) }
    },
  }),
  'files.revokePublicURL': method({
    effect: 'write',
    args: { file: must(str) },
    run: (call, args) => {
      const row = visibleFile(call, args.file)
      return { file: fileShape(call, call.tables.file.update(row.id, { public_url_shared: false })) }
    },
  }),
}
