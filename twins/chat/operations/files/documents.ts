import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { type DocumentLevel, documentLevel, selfOf, visibleChannel } from '../../access.ts'
import type { Chat } from '../../tables.ts'
import { nowSeconds } from '../../values/time.ts'

/** Canvases and lists are files: each has a row here and one among the files, under the same id. */
export interface DocumentFile {
  readonly id: string
  readonly title: string
  readonly mode: 'quip' | 'list'
  readonly size: number
}

const kinds = {
  quip: { mimetype: 'application/vnd.slack-docs', filetype: 'quip', pretty_type: 'Canvas' },
  list: { mimetype: 'application/vnd.slack-list', filetype: 'list', pretty_type: 'List' },
}

export const insertDocument = (call: Chat, { id, title, mode, size }: DocumentFile): void => {
  call.tables.file.insert({
    id,
    created: nowSeconds(call),
    name: title,
    title,
    ...kinds[mode],
    user: selfOf(call),
    size,
    mode,
    public_url_shared: false,
    shares: [],
  })
}

/** Keeps the file's own fields true after an edit. Documents made before they were files have none. */
export const updateDocument = (call: Chat, id: string, fields: { title?: string; size?: number }): void => {
  if (!call.tables.file.has(id)) return
  const { title, size } = fields
  call.tables.file.update(id, {
    ...(title !== undefined && { title, name: title }),
    ...(size !== undefined && { size }),
  })
}

/** Takes a canvas or a list away with everything that belongs to it. */
export const deleteDocument = (call: Chat, id: string): void => {
  if (call.tables.canvas.has(id)) call.tables.canvas.delete(id)
  if (call.tables.list.has(id)) {
    for (const item of [...call.tables.list_item.find('list', id)]) call.tables.list_item.delete(item.id)
    call.tables.list.delete(id)
  }
  if (call.tables.file.has(id)) call.tables.file.delete(id)
}

const ranks: Readonly<Record<DocumentLevel, number>> = { read: 1, write: 2, owner: 3 }

/** Refuses a caller who may see a document and not do this to it. */
export const requireLevel = (call: Chat, id: string, wanted: DocumentLevel): void => {
  const level = documentLevel(call, id)
  if (!level || ranks[level] < ranks[wanted]) throw new VendorError('restricted_action')
}

const levels = ['read', 'write', 'owner']

/** Access after a grant to these holders, or after theirs was taken away. */
const withAccess = (
  access: Readonly<Record<string, string>>,
  ids: readonly string[],
  level: string | undefined,
): Record<string, string> => {
  const kept = Object.fromEntries(Object.entries(access).filter(([id]) => !ids.includes(id)))
  return level === undefined ? kept : { ...kept, ...Object.fromEntries(ids.map((id) => [id, level])) }
}

export interface Holders {
  readonly channel_ids?: string[] | undefined
  readonly user_ids?: string[] | undefined
}

/** The channels or the people that access is given to; not both at once. */
const readHolders = (call: Chat, args: Holders, level?: string): string[] => {
  const channels = args.channel_ids ?? []
  const users = args.user_ids ?? []
  if ((channels.length === 0) === (users.length === 0)) throw new VendorError('invalid_parameters')
  if (level === 'owner' && channels.length > 0) throw new VendorError('invalid_parameters')
  for (const id of channels) visibleChannel(call, id)
  for (const id of users) if (!call.tables.user.has(id)) throw new VendorError('user_not_found')
  return [...channels, ...users]
}

/** Access to a document after holders were given a level, or lost theirs. */
export const changedAccess = (
  call: Chat,
  document: { readonly id: string; readonly access: Readonly<Record<string, string>> },
  holders: Holders,
  level?: string,
): Record<string, string> => {
  if (level !== undefined && !levels.includes(level)) throw new VendorError('invalid_parameters')
  const given = readHolders(call, holders, level)
  requireLevel(call, document.id, 'write')
  return withAccess(document.access, given, level)
}
