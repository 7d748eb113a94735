import type { DeliveryAnswer, Emission, Settlement } from '@diorama/twin-kit/kernel/deliveries'
import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { blockContext } from '../blocks/context.ts'
import { readView } from '../blocks/view.ts'
import { openView, replaceView, stackOf, type View } from '../operations/people/views.ts'
import type { Chat } from '../tables.ts'
import { forgetState } from './element-state.ts'
import { asApp, sayTo } from './response-urls.ts'

/** What an app said in its answer: JSON, or else text. */
const saidIn = (answer: DeliveryAnswer | undefined): Record<string, unknown> | string => {
  const body = answer?.body.trim() ?? ''
  try {
    const parsed: unknown = JSON.parse(body)
    return isRecord(parsed) ? parsed : body
  } catch {
    return body
  }
}

/** What the answer to an interaction does: most do nothing, those to submissions decide about the view. */
export const interactionSettled = (call: Chat, { payload }: Emission, settlement: Settlement): void => {
  if (payload.type !== 'view_submission' || !isRecord(payload.view)) return
  const id = String(payload.view.id)
  const row = call.tables.view.get(id)
  if (!row) return
  if (settlement.outcome === 'failed') {
    call.tables.view.update(id, { errors: { '': 'We had some trouble connecting. Try again?' } })
    return
  }
  const said = saidIn(settlement.answer)
  const { response_action, errors, view } = typeof said === 'string' ? {} : said
  const checked = () => readView(view, { context: blockContext(asApp(call)), kinds: ['modal'] })
  try {
    switch (response_action) {
      case 'errors':
        call.tables.view.update(id, { errors: (isRecord(errors) ? errors : {}) as Record<string, string> })
        return
      case 'update':
        replaceView(asApp(call), row, checked())
        return
      case 'push':
        openView(asApp(call), row.user, checked(), row)
        return
      case 'clear':
        for (const one of stackOf(call, row)) close(call, one)
        return
      default:
        close(call, row)
    }
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    call.tables.view.update(id, { errors: { '': error.code } })
  }
}

const close = (call: Chat, { id, user }: View): void => {
  call.tables.view.delete(id)
  forgetState(call, user, id)
}

/** What the answer to a slash command says goes to the person, or to the channel where it says so. */
export const commandSettled = (call: Chat, { payload }: Emission, settlement: Settlement): void => {
  const to = {
    channel: String(payload.channel_id),
    user: String(payload.user_id),
    ts: '',
    is_ephemeral: true,
  }
  if (settlement.outcome === 'failed') {
    const why = settlement.fault === 'timeout' ? 'operation_timeout' : 'dispatch_failed'
    sayTo(call, to, { text: `${String(payload.command)} failed with the error "${why}"` })
    return
  }
  const said = saidIn(settlement.answer)
  const message = typeof said === 'string' ? { text: said } : said
  if (Object.keys(message).length === 0 || message.text === '') return
  try {
    sayTo(call, to, message)
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    sayTo(call, to, { text: `${String(payload.command)} failed with the error "${error.code}"` })
  }
}
