import type { Notice, NoticeButton, Step } from '@diorama/twin-kit/kernel/twin'
import { elementsOf } from '../apps/elements.ts'
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
  const buttons = buttonsOf(message, views)
  return [...kinds].flatMap(([user, kind]) => {
    const to = subjectOf(user, views)
    const where = placeOf(message, kind)
    return to === ''
      ? []
      : [{ to, from, kind, text: message.text, where, ...(buttons.length > 0 ? { buttons } : {}) }]
  })
}

/** The buttons of an app that hears of it when they are pressed. */
const buttonsOf = (message: MessageRow, views: ChatViews): NoticeButton[] => {
  const [app] = views.app.all()
  const settings = app?.manifest.settings
  const hears = settings?.socket_mode_enabled || settings?.interactivity.is_enabled
  if (!hears || message.bot_id === undefined) return []
  return elementsOf(message.blocks ?? []).flatMap(({ block_id, element }) => {
    if (element.type !== 'button' || typeof element.url === 'string') return []
    const { text, style, action_id } = element as {
      text?: { text?: string }
      style?: string
      action_id: string
    }
    return [
      {
        label: text?.text ?? action_id,
        style: style === 'primary' || style === 'danger' ? style : undefined,
        input: { type: 'block_actions', channel: message.channel, ts: message.ts, action_id, block_id },
      },
    ]
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
