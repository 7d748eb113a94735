import { integration, operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { botOf } from '../access.ts'
import { compose } from '../operations/messages/compose.ts'
import { insertMessage } from '../operations/messages/post.ts'
import type { Chat, ChatTables } from '../tables.ts'
import { messageId } from '../values/ids.ts'
import { nextTs } from '../values/time.ts'
import { appOf } from './app.ts'

const lifeMs = 30 * 60_000
const maxUses = 5

/** What a response URL answers to: a message that was acted on, or the place where a command was typed. */
export interface RespondingTo {
  readonly channel: string
  readonly user: string
  /** Of the message; empty where there is none. */
  readonly ts: string
  readonly is_ephemeral: boolean
}

export const newResponseUrl = (call: Chat, to: RespondingTo): string => {
  const id = call.draw('response url').slice(0, 24)
  call.tables.response_url.insert({ id, ...to, uses: 0, expires: call.now + lifeMs })
  // What people of the world do on their own came to no address: the app is reached where it was configured.
  const base = call.baseUrl || (appOf(call)?.base_url ?? '')
  const host = /^https:\/\/([a-z0-9-]+\.)*slack\.com$/.test(base) ? 'https://hooks.slack.com' : base
  return `${host}/actions/${botOf(call).app_id}/${id}`
}

/** The operation behind a response URL. */
export const respond = 'POST /actions'

/** As the app itself, whatever step it is in. */
export const asApp = (call: Chat): Chat => {
  const bot = botOf(call)
  return { ...call, actor: { id: bot.user_id, name: bot.name, subject: integration } }
}

/** Says something where a person has acted: to all, to them alone, or in place of what they acted on. */
export const sayTo = (call: Chat, to: RespondingTo, said: Readonly<Record<string, unknown>>): void => {
  const app = asApp(call)
  const channel = call.tables.channel.get(to.channel)
  if (!channel) throw new VendorError('channel_not_found')
  const id = messageId(to.channel, to.ts)
  const isReplacing = said.replace_original === true || said.replace_original === 'true'
  if (said.delete_original === true || said.delete_original === 'true') {
    if (to.is_ephemeral) {
      if (call.tables.ephemeral_message.has(id)) call.tables.ephemeral_message.delete(id)
    } else if (call.tables.message.has(id)) call.tables.message.delete(id)
    return
  }
  const composed = compose(
    app,
    {
      ...(typeof said.text === 'string' && { text: said.text }),
      ...(said.blocks !== undefined && { blocks: said.blocks }),
      ...(said.attachments !== undefined && { attachments: said.attachments }),
    },
    to.channel,
  )
  const content = (ts: string) => {
    const blocks = composed.blocks?.(ts)
    return {
      text: composed.text,
      ...(blocks && { blocks }),
      ...(composed.attachments && { attachments: composed.attachments }),
    }
  }
  if (isReplacing && to.ts !== '') {
    const table = to.is_ephemeral ? call.tables.ephemeral_message : call.tables.message
    if (!table.has(id)) throw new VendorError('message_not_found')
    const edited = { user: botOf(call).user_id, ts: nextTs(call, to.channel) }
    if (to.is_ephemeral) call.tables.ephemeral_message.update(id, content(to.ts))
    else call.tables.message.update(id, { ...content(to.ts), edited })
    return
  }
  const threadTs = typeof said.thread_ts === 'string' ? said.thread_ts : undefined
  if (said.response_type === 'in_channel') {
    const bot = botOf(call)
    const { blocks, attachments } = composed
    insertMessage(app, {
      channel,
      user: bot.user_id,
      bot,
      text: composed.text,
      blocks,
      attachments,
      threadTs,
    })
    return
  }
  const ts = nextTs(call, to.channel)
  call.tables.ephemeral_message.insert({
    id: messageId(to.channel, ts),
    channel: to.channel,
    ts,
    user: botOf(call).user_id,
    to: to.user,
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    ...content(ts),
  })
}

export const responseMethods = {
  [respond]: operation<ChatTables, { id: string; said: unknown }>({
    effect: 'write',
    run: (call, { id, said }) => {
      const row = call.tables.response_url.get(id)
      if (!row) throw new VendorError('invalid_url', 'unknown', { status: 404 })
      if (row.expires < call.now) throw new VendorError('expired_url', 'expired', { status: 404 })
      if (row.uses >= maxUses) throw new VendorError('used_url', 'used', { status: 404 })
      if (!isRecord(said)) throw new VendorError('invalid_payload', 'no JSON object', { status: 400 })
      call.tables.response_url.update(id, { uses: row.uses + 1 })
      sayTo(call, row, said)
      return {}
    },
  }),
}
