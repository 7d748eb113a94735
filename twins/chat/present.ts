import type { Row } from '@diorama/twin-kit/kernel/table'
import type { ChatViews } from './tables.ts'

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

/** Channels and people are called by their names. */
export const names = (collection: string, row: Row): readonly string[] =>
  (collection === 'channel' || collection === 'user') && typeof row.name === 'string' ? [row.name] : []
