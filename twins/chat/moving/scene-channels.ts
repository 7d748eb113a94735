import type { Scene } from '@diorama/twin-kit/variations/variations'
import type { ChannelRow, ChatTables } from '../tables.ts'

export type ChatScene = Scene<ChatTables>

export const publicChannels = ({ views }: ChatScene): ChannelRow[] =>
  [...views.channel.all()].filter(
    ({ kind, is_archived, posting }) => kind === 'public_channel' && !is_archived && posting === undefined,
  )

/** Public channels that the task does not name. */
export const otherChannels = (scene: ChatScene): ChannelRow[] =>
  publicChannels(scene).filter((channel) => !scene.isNamed('channel', channel))
