import { documentLevel, type Seen, teamOf } from '../access.ts'
import type { FileRow } from '../tables.ts'
import { filesUrl, workspaceUrl } from '../wire/urls.ts'

type Shape = Record<string, unknown>

export const sharedFile = (call: Seen, id: string): Shape => {
  const file = call.tables.file.get(id)
  return file ? fileShape(call, file) : { id, mode: 'tombstone' }
}

const fileGroups = (call: Seen, row: FileRow) => {
  const document = call.tables.canvas.get(row.id) ?? call.tables.list.get(row.id)
  const shown = [
    ...row.shares.map(({ channel }) => channel),
    ...Object.keys(document?.access ?? {}).filter((id) => call.tables.channel.has(id)),
    ...(document && 'channel' in document && document.channel ? [document.channel] : []),
  ]
  const kinds = shown.map((channel) => ({
    channel,
    kind: call.tables.channel.get(channel)?.kind ?? 'public_channel',
  }))
  const of = (...wanted: string[]) =>
    [...new Set(kinds.filter(({ kind }) => wanted.includes(kind)).map(({ channel }) => channel))].sort()
  return { channels: of('public_channel'), groups: of('private_channel', 'mpim'), ims: of('im') }
}

export const fileShape = (call: Seen, row: FileRow, withShares = false): Shape => {
  const team = teamOf(call).id
  const groups = fileGroups(call, row)
  const path = `${team}-${row.id}`
  const name = encodeURIComponent(row.name.toLowerCase().replace(/\s+/g, '_'))
  const hosted = `${filesUrl(call)}/files-pri/${path}`
  return {
    id: row.id,
    created: row.created,
    timestamp: row.created,
    name: row.name,
    title: row.title,
    mimetype: row.mimetype,
    filetype: row.filetype,
    pretty_type: row.pretty_type,
    user: row.user,
    user_team: team,
    editable: row.mode !== 'hosted' && row.mode !== 'external',
    size: row.size,
    mode: row.mode,
    is_external: row.external !== undefined,
    external_type: row.external?.type ?? '',
    ...(row.external && {
      external_id: row.external.id,
      external_url: row.external.url,
      app_id: row.external.app_id,
    }),
    is_public: groups.channels.length > 0,
    public_url_shared: row.public_url_shared,
    display_as_bot: false,
    username: '',
    url_private: row.external?.url ?? `${hosted}/${name}`,
    ...(!row.external && { url_private_download: `${hosted}/download/${name}` }),
    media_display_type: 'unknown',
    permalink: `${workspaceUrl(call)}/files/${row.user}/${row.id}/${name}`,
    permalink_public: `${filesUrl(call)}/files-pub/${path}/${name}`,
    ...(row.alt_txt !== undefined && { alt_txt: row.alt_txt }),
    is_starred: false,
    has_rich_preview: false,
    file_access: 'visible',
    comments_count: 0,
    ...(row.reactions && row.reactions.length > 0 && { reactions: row.reactions }),
    ...(withShares && { shares: sharesShape(call, row, team) }),
    ...groups,
    ...(row.image && imageShape(`${filesUrl(call)}/files-tmb/${path}`, row, row.image)),
    ...documentShape(call, row),
  }
}

const squares = [64, 80, 160]
const boxes = [360, 480, 720, 800, 960, 1024]

/** The smaller versions of a picture. Their addresses lead to the picture itself. */
const imageShape = (
  base: string,
  row: FileRow,
  { width, height }: { width: number; height: number },
): Shape => {
  const shape: Shape = { original_w: width, original_h: height, image_exif_rotation: 1 }
  const link = (size: string) => `${base}/${encodeURIComponent(row.title)}_${size}.png`
  for (const size of squares) shape[`thumb_${size}`] = link(String(size))
  for (const [n, size] of boxes.entries()) {
    if (n > 0 && size > Math.max(width, height)) break
    const scale = Math.min(1, size / Math.max(width, height, 1))
    shape[`thumb_${size}`] = link(String(size))
    shape[`thumb_${size}_w`] = Math.round(width * scale)
    shape[`thumb_${size}_h`] = Math.round(height * scale)
  }
  if (row.filetype === 'gif') {
    shape.thumb_360_gif = link('360_gif')
    shape.deanimate_gif = link('deanimate_gif')
  }
  return shape
}

/** What a canvas or a list has beside the fields of every file. */
const documentShape = (call: Seen, row: FileRow): Shape => {
  const document = call.tables.canvas.get(row.id) ?? call.tables.list.get(row.id)
  if (!document) return {}
  const holders = Object.keys(document.access).filter((id) => call.tables.user.has(id))
  const channel = 'channel' in document ? document.channel : undefined
  return {
    updated: document.updated,
    editors: [...new Set([document.creator, ...holders])],
    last_editor: document.creator,
    access: documentLevel(call, row.id) ?? 'read',
    is_channel_space: channel !== undefined,
    ...(channel !== undefined && { linked_channel_id: channel }),
    dm_mpdm_users_with_file_access: [],
  }
}

const sharesShape = (call: Seen, row: FileRow, team: string): Shape => {
  const shares: Record<string, Record<string, Shape[]>> = {}
  for (const { channel, ts, thread_ts } of row.shares) {
    const found = call.tables.channel.get(channel)
    const side = found?.kind === 'public_channel' ? 'public' : 'private'
    const group = shares[side] ?? {}
    shares[side] = group
    const list = group[channel] ?? []
    group[channel] = list
    list.push({
      reply_users: [],
      reply_users_count: 0,
      reply_count: 0,
      ts,
      ...(thread_ts && { thread_ts }),
      channel_name: found?.name ?? '',
      team_id: team,
      share_user_id: row.user,
      source: 'UNKNOWN',
    })
  }
  return shares
}
