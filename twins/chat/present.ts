import { shapeOf } from '@diorama/twin-kit/kernel/record-fields'
import type { Row, TableSpec } from '@diorama/twin-kit/kernel/table'
import { type ChatViews, tables } from './tables.ts'
import { lookup } from './values/records.ts'

/** Rows as graders see them: ids of channels and people are also said by name, and channels in their native fields. */
export const present = (collection: string, row: Row, views: ChatViews): Row => {
  const channel = typeof row.channel === 'string' ? views.channel.get(row.channel) : undefined
  const user = typeof row.user === 'string' ? views.user.get(row.user) : undefined
  if (collection === 'channel') {
    const { kind, ...own } = row
    return {
      ...own,
      is_channel: kind === 'public_channel' || kind === 'private_channel',
      is_private: kind !== 'public_channel',
      is_im: kind === 'im',
      is_mpim: kind === 'mpim',
    }
  }
  return {
    ...row,
    ...(channel && { channel_name: channel.name }),
    ...(user && { user_name: user.name }),
  }
}

export const fields = (collection: string): readonly string[] => {
  const spec: TableSpec | undefined = lookup<TableSpec>(
    tables as unknown as Record<string, TableSpec>,
    collection,
  )
  const own = spec ? shapeOf(spec) : []
  if (collection === 'channel')
    return [...own.filter((name) => name !== 'kind'), ...['is_channel', 'is_private', 'is_im', 'is_mpim']]
  return [
    ...own,
    ...(own.includes('channel') ? ['channel_name'] : []),
    ...(own.includes('user') ? ['user_name'] : []),
  ]
}

/** Channels and people are called by their names. */
export const names = (collection: string, row: Row): readonly string[] =>
  (collection === 'channel' || collection === 'user') && typeof row.name === 'string' ? [row.name] : []
