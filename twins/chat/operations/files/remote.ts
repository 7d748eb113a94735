import { VendorError } from '@diorama/twin-kit/kernel/twin'
import {
  botOf,
  isBotCall,
  mayPost,
  namedChannel,
  requireMember,
  selfOf,
  visibleChannel,
} from '../../access.ts'
import { int, method, must, str } from '../../methods/method.ts'
import { clampLimit, makeCursor, nextCursor, readCursor } from '../../methods/pages.ts'
import { fileShape } from '../../shapes/file.ts'
import type { Chat, FileRow } from '../../tables.ts'
import { nativeId } from '../../values/ids.ts'
import { nowSeconds } from '../../values/time.ts'
import { authorOf, insertMessage } from '../messages/post.ts'
import { kindOfFile } from './filetypes.ts'

const maxTitle = 255
const maxExternalId = 500

interface Named {
  readonly file?: string | undefined
  readonly external_id?: string | undefined
}

/** Remote files belong to apps: only a bot's token may add and change them. */
const requireBot = (call: Chat): void => {
  if (!isBotCall(call)) throw new VendorError('bot_user_required')
}

/** A remote file by one of its ids. */
const known = (call: Chat, { file, external_id }: Named, both = 'too_many_ids'): FileRow => {
  if (file && external_id) throw new VendorError(both)
  if (!file && !external_id) throw new VendorError(both === 'file_not_found' ? both : 'invalid_args')
  const row = file ? call.tables.file.get(file) : call.tables.file.first('external', external_id ?? '')
  if (!row?.external) throw new VendorError('file_not_found')
  return row
}

const requireUrl = (text: string, code: string): string => {
  if (!URL.canParse(text) || !/^https?:/i.test(text)) throw new VendorError(code)
  return text
}

const add = (
  call: Chat,
  args: { external_id: string; external_url: string; title: string; filetype?: string | undefined },
) => {
  const kind = kindOfFile(`x.${args.filetype ?? ''}`)
  return call.tables.file.insert({
    id: nativeId('F', call.draw('file')),
    created: nowSeconds(call),
    name: args.title,
    title: args.title,
    mimetype: kind?.mimetype ?? 'application/octet-stream',
    filetype: args.filetype ?? 'remote',
    pretty_type: kind?.pretty ?? 'Remote',
    user: selfOf(call),
    size: 0,
    mode: 'external',
    external: { id: args.external_id, type: 'app', url: args.external_url, app_id: botOf(call).app_id },
    public_url_shared: false,
    shares: [],
  })
}

export const remoteFileMethods = {
  'files.remote.add': method({
    effect: 'write',
    args: {
      external_id: must(str),
      external_url: must(str),
      title: must(str),
      filetype: str,
      indexable_file_contents: str,
      preview_image: str,
    },
    run: (call, args) => {
      requireBot(call)
      if (args.title.length > maxTitle) throw new VendorError('bad_title')
      if (args.external_id === '' || args.external_id.length > maxExternalId)
        throw new VendorError('invalid_external_id')
      requireUrl(args.external_url, 'invalid_arguments')
      const found = call.tables.file.first('external', args.external_id)
      const row = found ? change(call, found, args) : add(call, args)
      return { file: fileShape(call, row) }
    },
  }),
  'files.remote.update': method({
    effect: 'write',
    args: {
      file: str,
      external_id: str,
      external_url: str,
      title: str,
      filetype: str,
      indexable_file_contents: str,
      preview_image: str,
    },
    run: (call, args) => {
      requireBot(call)
      if (args.title !== undefined && (args.title === '' || args.title.length > maxTitle))
        throw new VendorError('invalid_title')
      if (args.external_url !== undefined) requireUrl(args.external_url, 'invalid_url')
      return { file: fileShape(call, change(call, known(call, args, 'file_not_found'), args)) }
    },
  }),
  'files.remote.info': method({
    effect: 'read',
    args: { file: str, external_id: str },
    run: (call, args) => ({ file: fileShape(call, known(call, args), true) }),
  }),
  'files.remote.list': method({
    effect: 'read',
    args: { channel: str, cursor: str, limit: int, ts_from: str, ts_to: str },
    run: (call, args) => {
      const channel = args.channel ? visibleChannel(call, args.channel, 'invalid_arguments').id : undefined
      const from = readCursor('remote', args.cursor)
      const rows = [...call.tables.file.find('all', 'all', { reverse: true })].filter(
        (row) =>
          row.external !== undefined &&
          (!channel || row.shares.some((share) => share.channel === channel)) &&
          (!args.ts_from || row.created >= Number(args.ts_from)) &&
          (!args.ts_to || row.created <= Number(args.ts_to)),
      )
      const start = from === undefined ? 0 : rows.findIndex(({ id }) => id === from)
      if (start === -1) throw new VendorError('invalid_cursor')
      const limit = clampLimit(args.limit, 100, 1_000)
      const next = rows[start + limit]
      return {
        files: rows.slice(start, start + limit).map((row) => fileShape(call, row)),
        ...nextCursor(next ? makeCursor('remote', next.id) : ''),
      }
    },
  }),
  'files.remote.remove': method({
    effect: 'write',
    args: { file: str, external_id: str },
    run: (call, args) => {
      requireBot(call)
      call.tables.file.delete(known(call, args).id)
      return {}
    },
  }),
  'files.remote.share': method({
    effect: 'write',
    args: { channels: must(str), file: str, external_id: str },
    run: (call, args) => {
      let row = known(call, args, 'invalid_args')
      for (const name of args.channels.split(',').map((text) => text.trim())) {
        const channel = namedChannel(call, name)
        if (!channel) throw new VendorError('channel_not_found')
        if (channel.is_archived || !mayPost(call, channel, false)) throw new VendorError('invalid_args')
        requireMember(call, channel)
        const files = [{ id: row.id, name: row.name, title: row.title }]
        const { ts } = insertMessage(call, { ...authorOf(call), channel, text: '', files })
        row = call.tables.file.update(row.id, { shares: [...row.shares, { channel: channel.id, ts }] })
      }
      return { file: fileShape(call, row, true) }
    },
  }),
}

const change = (
  call: Chat,
  row: FileRow,
  args: { external_url?: string | undefined; title?: string | undefined; filetype?: string | undefined },
): FileRow =>
  call.tables.file.update(row.id, {
    ...(args.title !== undefined && { title: args.title, name: args.title }),
    ...(args.filetype !== undefined && { filetype: args.filetype }),
    ...(args.external_url !== undefined &&
      row.external && { external: { ...row.external, url: args.external_url } }),
  })
