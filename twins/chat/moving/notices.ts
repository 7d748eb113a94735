import type { Notice, Step } from '@diorama/twin-kit/kernel/twin'
import type { ChatViews, MessageRow } from '../tables.ts'

/** New messages address the people they are sent to directly, those they mention, and the author of their thread. */
export const notices = (step: Step, views: ChatViews): readonly Notice[] =>
  step.changes.flatMap(({ collection, operation, after }) =>
    collection === 'message' && operation === 'create' && after
      ? ofMessage(after as unknown as MessageRow, views)
      : [],
  )

const ofMessage = (message: MessageRow, views: ChatViews): Notice[] => {
  if (message.subtype !== undefined && message.subtype !== 'bot_message') return []
  const channel = views.channel.get(message.channel)
  const isDirect = channel?.kind === 'im' || channel?.kind === 'mpim'
  const kinds = new Map<string, Notice['kind']>()
  const parent = message.thread_ts === undefined ? undefined : authorOf(message, views)
  if (parent) kinds.set(parent, 'comment')
  for (const [, user] of message.text.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^>]*)?>/g))
    if (user) kinds.set(user, 'mention')
  if (isDirect) for (const user of channel.users ?? []) kinds.set(user, 'message')
  kinds.delete(message.user ?? '')
  const from = subjectOf(message.user, views)
  return [...kinds].flatMap(([user, kind]) => {
    const to = subjectOf(user, views)
    return to === '' ? [] : [{ to, from, kind, text: message.text, where: placeOf(message, kind) }]
  })
}

/** A direct message is answered beside it, anything else in its thread. */
const placeOf = ({ channel, ts, thread_ts }: MessageRow, kind: Notice['kind']): Notice['where'] =>
  kind === 'message' && thread_ts === undefined ? { channel } : { channel, thread_ts: thread_ts ?? ts }

const authorOf = ({ channel, thread_ts }: MessageRow, views: ChatViews): string | undefined => {
  for (const root of views.message.find('channel', channel)) if (root.ts === thread_ts) return root.user
  return undefined
}

const subjectOf = (user: string | undefined, views: ChatViews): string =>
  user === undefined ? '' : (views.user.get(user)?.subject ?? '')
