import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'

type Json = Readonly<Record<string, unknown>>

/** An interactive element with the block that it is in. */
export interface PlacedElement {
  readonly block_id: string
  readonly element: Json
}

/** Every interactive element of some blocks, in order. */
export const elementsOf = (blocks: readonly unknown[]): readonly PlacedElement[] =>
  blocks.filter(isRecord).flatMap((block) => {
    const block_id = String(block.block_id ?? '')
    const own = Array.isArray(block.elements) ? block.elements : []
    return [...own, block.accessory, block.element]
      .filter(isRecord)
      .filter(({ action_id }) => typeof action_id === 'string')
      .map((element) => ({ block_id, element }))
  })

export const elementAt = (
  blocks: readonly unknown[],
  { action_id, block_id }: { action_id: string; block_id?: string | undefined },
): PlacedElement => {
  const found = elementsOf(blocks).find(
    (one) => one.element.action_id === action_id && (block_id === undefined || one.block_id === block_id),
  )
  if (found) return found
  throw new VendorError('no_element', `there is no element ${action_id} here`, {
    data: { pointer: '/action_id' },
  })
}

export type Choice = string | readonly string[] | null | undefined

/** What an element reports when somebody uses it: the field is that of its type. */
export const usedElement = (element: Json, value: Choice): Json => {
  const type = String(element.type)
  const one = Array.isArray(value) ? value[0] : value
  const many = value === null || value === undefined ? [] : Array.isArray(value) ? value : [value]
  const option = (wanted: unknown) => optionOf(element, String(wanted))
  switch (type) {
    case 'button':
    case 'workflow_button':
      return { type, text: element.text, ...(element.value !== undefined && { value: element.value }) }
    case 'static_select':
    case 'radio_buttons':
    case 'overflow':
      return { type, selected_option: one === null || one === undefined ? null : option(one) }
    case 'external_select':
      return { type, selected_option: one ? externalOption(element, String(one)) : null }
    case 'checkboxes':
    case 'multi_static_select':
      return { type, selected_options: many.map(option) }
    case 'multi_external_select':
      return { type, selected_options: many.map((each) => externalOption(element, String(each))) }
    default: {
      const field = fields[type]
      if (field === undefined)
        throw new VendorError('no_element', `an element of type ${type} cannot be used`, {
          data: { pointer: '/action_id' },
        })
      return { type, [field]: type.startsWith('multi_') ? many : (one ?? null) }
    }
  }
}

const fields: Readonly<Record<string, string>> = {
  users_select: 'selected_user',
  conversations_select: 'selected_conversation',
  channels_select: 'selected_channel',
  datepicker: 'selected_date',
  timepicker: 'selected_time',
  datetimepicker: 'selected_date_time',
  multi_users_select: 'selected_users',
  multi_conversations_select: 'selected_conversations',
  multi_channels_select: 'selected_channels',
  plain_text_input: 'value',
  number_input: 'value',
  email_text_input: 'value',
  url_text_input: 'value',
}

const plain = (text: string) => ({ type: 'plain_text', text, emoji: true })

/** Of the options that the app has loaded; a choice without a load before it is its own label. */
const externalOption = (element: Json, value: string): Json => {
  if (Array.isArray(element.options)) return optionOf(element, value)
  const initial = [element.initial_option, element.initial_options].flat().filter(isRecord)
  return initial.find((option) => option.value === value) ?? { text: plain(value), value }
}

const optionOf = (element: Json, value: string): Json => {
  const groups = Array.isArray(element.option_groups) ? element.option_groups : []
  const own = Array.isArray(element.options) ? element.options : []
  const options = [
    ...own,
    ...groups.flatMap((group) => (isRecord(group) ? (group.options as unknown[]) : [])),
  ]
  const found = options.filter(isRecord).find((option) => option.value === value)
  if (found) return found
  throw new VendorError('no_option', `${value} is not one of the options`, { data: { pointer: '/value' } })
}

/** Whether an element has a state that apps are shown. Buttons and menus of actions have none. */
export const isStateful = ({ type }: Json): boolean =>
  type !== 'button' && type !== 'workflow_button' && type !== 'overflow'

/** Whether an element is one whose options the app loads. */
export const isExternal = ({ type }: Json): boolean =>
  type === 'external_select' || type === 'multi_external_select'

/** What an element shows before anybody has used it. */
export const initialOf = (element: Json): Choice => {
  const value = (option: unknown) => (isRecord(option) ? String(option.value) : undefined)
  if (Array.isArray(element.initial_options))
    return element.initial_options.flatMap((one) => value(one) ?? [])
  if (element.initial_option !== undefined) return value(element.initial_option)
  for (const [name, given] of Object.entries(element))
    if (name.startsWith('initial_')) return Array.isArray(given) ? given.map(String) : String(given)
  return undefined
}
