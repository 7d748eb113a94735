import type { Emission, Settlement } from '@diorama/twin-kit/kernel/deliveries'
import { isRecord } from '@diorama/twin-kit/records'
import type { Chat } from '../tables.ts'
import {
  type Choice,
  elementsOf,
  initialOf,
  isStateful,
  type PlacedElement,
  usedElement,
} from './elements.ts'

type Json = Readonly<Record<string, unknown>>

/** Where a person uses elements: a message or a view. */
export type Container = Readonly<Record<string, unknown>> & { readonly type: string }

const keyOf = (user: string, { type, view_id, channel_id, message_ts }: Container): string =>
  type === 'view' ? `${user} ${view_id}` : `${user} ${channel_id} ${message_ts}`

const placeOf = ({ block_id, element }: PlacedElement): string => `${block_id} ${String(element.action_id)}`

/** What one person has chosen in one container so far, as the app is shown it. */
export interface ElementState {
  /** Fills in elements by the ids of their actions; what they report is remembered. */
  readonly fill: (filled: Readonly<Record<string, Choice>>, block_id?: string) => void
  /** Every element that has a state, by block and action. */
  readonly values: () => Readonly<Record<string, Json>>
  /** An element with the options that the app has loaded for it. */
  readonly loaded: (placed: PlacedElement) => Json
}

export const elementState = (
  call: Chat,
  { user, container, blocks }: { user: string; container: Container; blocks: readonly unknown[] },
): ElementState => {
  const id = keyOf(user, container)
  const row = () => call.tables.element_state.get(id)
  const loaded = (placed: PlacedElement): Json => {
    const options = row()?.options[placeOf(placed)]
    return options === undefined ? placed.element : { ...placed.element, options }
  }
  const stateful = elementsOf(blocks).filter(({ element }) => isStateful(element))
  return {
    loaded,
    fill: (filled, block_id) => {
      const chosen = stateful.filter(
        (one) =>
          Object.hasOwn(filled, String(one.element.action_id)) &&
          (block_id === undefined || one.block_id === block_id),
      )
      if (chosen.length === 0) return
      const before = row() ?? call.tables.element_state.insert({ id, values: {}, options: {} })
      const now = chosen.map((one) => [
        placeOf(one),
        usedElement(loaded(one), filled[String(one.element.action_id)]),
      ])
      call.tables.element_state.update(id, { values: { ...before.values, ...Object.fromEntries(now) } })
    },
    values: () => {
      const values: Record<string, Record<string, unknown>> = {}
      for (const one of stateful) {
        const kept = row()?.values[placeOf(one)]
        // An app may have put another element in its place.
        const state =
          kept?.type === one.element.type ? kept : usedElement(one.element, initialOf(one.element))
        values[one.block_id] = { ...values[one.block_id], [String(one.element.action_id)]: state }
      }
      return values
    },
  }
}

/** Forgets what was chosen in a view that is gone. */
export const forgetState = (call: Chat, user: string, view_id: string): void => {
  const id = keyOf(user, { type: 'view', view_id })
  if (call.tables.element_state.has(id)) call.tables.element_state.delete(id)
}

/** The options that an app answers with are what the person can choose from. */
export const optionsSettled = (call: Chat, { payload }: Emission, { outcome, answer }: Settlement): void => {
  if (outcome === 'failed' || !isRecord(payload.user) || !isRecord(payload.container)) return
  const options = optionsIn(answer?.body ?? '')
  if (!options) return
  const id = keyOf(String(payload.user.id), payload.container as Container)
  const before =
    call.tables.element_state.get(id) ?? call.tables.element_state.insert({ id, values: {}, options: {} })
  const place = `${String(payload.block_id)} ${String(payload.action_id)}`
  call.tables.element_state.update(id, { options: { ...before.options, [place]: options } })
}

const maxOptions = 100

const optionsIn = (body: string): Json[] | undefined => {
  try {
    const said: unknown = JSON.parse(body)
    if (!isRecord(said)) return undefined
    const groups = Array.isArray(said.option_groups) ? said.option_groups.filter(isRecord) : []
    const own = Array.isArray(said.options) ? said.options : []
    const grouped = groups.flatMap(({ options }) => (Array.isArray(options) ? options : []))
    return [...own, ...grouped].filter(isRecord).slice(0, maxOptions)
  } catch {
    return undefined
  }
}
