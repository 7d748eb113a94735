import { type RowOf, VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { knownMessage, selfOf, visibleChannel } from '../access.ts'
import { viewShape } from '../operations/people/views.ts'
import { messageShape } from '../shapes/message.ts'
import type { AppRow } from '../tables/apps.ts'
import type { Chat, ChatTables } from '../tables.ts'
import { type Container, elementState } from './element-state.ts'
import { elementAt } from './elements.ts'
import { eventView } from './events.ts'
import { newResponseUrl } from './response-urls.ts'

/** The name of a conversation as what apps are sent has it: those of private ones stay private. */
export const placeName = ({ kind, name }: RowOf<ChatTables['channel']>): string | undefined =>
  kind === 'im' ? 'directmessage' : kind === 'private_channel' ? 'privategroup' : name

/** A view that a person has open, with what they have filled in. */
export const openedView = (call: Chat, app: AppRow, id: string) => {
  const user = selfOf(call)
  const row = call.tables.view.get(id)
  if (!row || row.user !== user)
    throw new VendorError('not_found', `this person has no view ${id} open`, {
      data: { pointer: '/view_id' },
    })
  const view = viewShape(eventView(call, app) as never, row)
  const blocks = view.blocks as unknown[]
  const container: Container = { type: 'view', view_id: row.id }
  return { row, view, blocks, container, state: elementState(call, { user, container, blocks }) }
}

interface Use {
  readonly action_id: string
  readonly block_id?: string | undefined
  readonly channel?: string | undefined
  readonly ts?: string | undefined
  readonly view_id?: string | undefined
}

/** Where the element is: a message, also one that only this person sees, or a view. */
export const usedIn = (call: Chat, app: AppRow, input: Use) => {
  if (input.view_id !== undefined) {
    const { view, blocks, container, state } = openedView(call, app, input.view_id)
    const shown = () => ({ container, view: { ...view, state: { values: state.values() } } })
    return { shown, state, placed: elementAt(blocks, input) }
  }
  const user = selfOf(call)
  const channel = visibleChannel(call, input.channel ?? '')
  const hidden = call.tables.ephemeral_message.get(`${channel.id}:${input.ts}`)
  const isEphemeral = hidden !== undefined && hidden.to === user
  const row = isEphemeral ? undefined : knownMessage(call, channel, input.ts ?? '')
  const message = row ? messageShape(eventView(call, app), row) : { ...hidden, type: 'message' }
  const blocks = [
    ...(row?.blocks ?? hidden?.blocks ?? []),
    ...(row?.attachments ?? hidden?.attachments ?? []).flatMap((one) => (one.blocks as unknown[]) ?? []),
  ]
  const container: Container = {
    type: 'message',
    message_ts: input.ts,
    channel_id: channel.id,
    is_ephemeral: isEphemeral,
    ...(row?.thread_ts !== undefined && { thread_ts: row.thread_ts }),
  }
  const shown = () => ({
    container,
    channel: { id: channel.id, name: placeName(channel) },
    ...(isEphemeral ? {} : { message }),
    response_url: newResponseUrl(call, {
      channel: channel.id,
      user,
      ts: input.ts ?? '',
      is_ephemeral: isEphemeral,
    }),
  })
  const state = elementState(call, { user, container, blocks })
  return { shown, state, placed: elementAt(blocks, input) }
}

type Values = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const inputsOf = (blocks: readonly unknown[]) =>
  blocks.flatMap((block) =>
    isRecord(block) && block.type === 'input' && isRecord(block.element)
      ? [{ block, block_id: String(block.block_id ?? ''), action_id: String(block.element.action_id ?? '') }]
      : [],
  )

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** The vendor's client does not submit a view while a required input is empty. */
export const requireFilled = (blocks: readonly unknown[], values: Values): void => {
  for (const { block, block_id, action_id } of inputsOf(blocks)) {
    const state = values[block_id]?.[action_id]
    const isGiven =
      isRecord(state) && Object.entries(state).some(([name, value]) => name !== 'type' && !isEmpty(value))
    if (block.optional === true || isGiven) continue
    throw new VendorError('missing_value', `the input ${action_id} is required`, {
      data: { pointer: `/values/${action_id}` },
    })
  }
}

/** Addresses to answer in the conversations that a person chose, where the view asks for them. */
export const responseUrlsOf = (call: Chat, blocks: readonly unknown[], values: Values) =>
  inputsOf(blocks).flatMap(({ block, block_id, action_id }) => {
    const state = values[block_id]?.[action_id]
    if (!isRecord(block.element) || block.element.response_url_enabled !== true || !isRecord(state)) return []
    const channel_id = state.selected_conversation ?? state.selected_channel
    if (typeof channel_id !== 'string') return []
    const to = { channel: channel_id, user: selfOf(call), ts: '', is_ephemeral: false }
    return [{ block_id, action_id, channel_id, response_url: newResponseUrl(call, to) }]
  })
