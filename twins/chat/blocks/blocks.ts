import { Refusal } from '../../kernel/twin.ts'
import { shortId } from '../ids.ts'
import { isRecord, lookup } from '../records.ts'

type Json = Record<string, unknown>

const maxBlocks = 50
const maxAttachments = 100
/** Blocks as JSON may not be larger than this. */
const maxBytes = 64_000

const invalid = (code: string, messages: readonly string[]): Refusal =>
  new Refusal(code, messages.join('; '), { data: { response_metadata: { messages } } })

/** What each kind of block must have; a text object is named by the longest text it may hold. */
const required: Readonly<Record<string, readonly string[]>> = {
  actions: ['elements'],
  alert: ['text'],
  call: ['call_id'],
  card: [],
  carousel: ['elements'],
  context: ['elements'],
  context_actions: ['elements'],
  data_table: [],
  divider: [],
  file: ['external_id', 'source'],
  header: ['text'],
  image: ['alt_text'],
  input: ['label', 'element'],
  markdown: ['text'],
  plan: ['title'],
  rich_text: ['elements'],
  section: [],
  table: ['rows'],
  task_card: ['task_id', 'title'],
  video: ['alt_text', 'title', 'thumbnail_url', 'video_url'],
}
const textLimits: Readonly<Record<string, number>> = { section: 3_000, header: 150 }
const elementLimits: Readonly<Record<string, number>> = { actions: 25, context: 10 }
const interactive = new Set([
  'button',
  'checkboxes',
  'channels_select',
  'conversations_select',
  'datepicker',
  'datetimepicker',
  'external_select',
  'feedback_buttons',
  'icon_button',
  'multi_channels_select',
  'multi_conversations_select',
  'multi_external_select',
  'multi_static_select',
  'multi_users_select',
  'overflow',
  'plain_text_input',
  'radio_buttons',
  'static_select',
  'timepicker',
  'users_select',
  'workflow_button',
])

/** Checks blocks as the service does, and gives each its id. `place` makes the ids the same in every copy. */
export const readBlocks = (value: unknown, place: string): Json[] | undefined => {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw new Refusal('invalid_blocks_format')
  if (value.length === 0) return undefined
  if (value.length > maxBlocks)
    throw invalid('invalid_blocks', [
      `[ERROR] no more than ${maxBlocks} items allowed [json-pointer:/blocks]`,
    ])
  if (JSON.stringify(value).length > maxBytes) throw new Refusal('msg_blocks_too_long')
  const faults = value.flatMap((block, n) => blockFaults(block, `/blocks/${n}`))
  const ids = value.flatMap((block) => (isRecord(block) && block.block_id ? [block.block_id] : []))
  if (new Set(ids).size !== ids.length)
    faults.push('[ERROR] `block_id` must be unique [json-pointer:/blocks]')
  if (faults.length > 0) throw invalid('invalid_blocks', faults)
  return value.map((block: Json, n) => ({
    ...withActionIds(block, `${place}:${n}`),
    block_id: typeof block.block_id === 'string' ? block.block_id : shortId(place, String(n)),
  }))
}

const blockFaults = (block: unknown, pointer: string): string[] => {
  if (!isRecord(block)) return [`[ERROR] must be an object [json-pointer:${pointer}]`]
  const { type } = block
  if (typeof type !== 'string') return [`[ERROR] missing required field: type [json-pointer:${pointer}]`]
  const needs = lookup(required, type)
  if (!needs) return [`[ERROR] unsupported type: ${type} [json-pointer:${pointer}/type]`]
  const faults = needs
    .filter((field) => block[field] === undefined)
    .map((field) => `[ERROR] missing required field: ${field} [json-pointer:${pointer}]`)
  if (type === 'section' && block.text === undefined && block.fields === undefined)
    faults.push(`[ERROR] missing required field: text [json-pointer:${pointer}]`)
  if (type === 'image' && block.image_url === undefined && block.slack_file === undefined)
    faults.push(`[ERROR] missing required field: image_url [json-pointer:${pointer}]`)
  const limit = lookup(textLimits, type)
  if (limit !== undefined && block.text !== undefined)
    faults.push(...textFaults(block.text, `${pointer}/text`, limit, type === 'header'))
  const most = lookup(elementLimits, type)
  if (most !== undefined && Array.isArray(block.elements) && block.elements.length > most)
    faults.push(`[ERROR] no more than ${most} items allowed [json-pointer:${pointer}/elements]`)
  if (block.elements !== undefined && !Array.isArray(block.elements))
    faults.push(`[ERROR] must provide an array [json-pointer:${pointer}/elements]`)
  return faults
}

const textFaults = (text: unknown, pointer: string, limit: number, plainOnly: boolean): string[] => {
  if (!isRecord(text)) return [`[ERROR] must provide an object [json-pointer:${pointer}]`]
  const kinds = plainOnly ? ['plain_text'] : ['plain_text', 'mrkdwn']
  if (!kinds.includes(String(text.type)))
    return [`[ERROR] must be one of: ${kinds.join(', ')} [json-pointer:${pointer}/type]`]
  if (typeof text.text !== 'string') return [`[ERROR] missing required field: text [json-pointer:${pointer}]`]
  if (text.text === '') return [`[ERROR] must be more than 0 characters [json-pointer:${pointer}/text]`]
  if (text.text.length > limit)
    return [`[ERROR] must be less than ${limit + 1} characters [json-pointer:${pointer}/text]`]
  return []
}

/** Interactive elements without an action id get one. */
const withActionIds = (block: Json, place: string): Json => {
  const named = (value: unknown, n: string): unknown =>
    isRecord(value) && interactive.has(String(value.type)) && value.action_id === undefined
      ? { ...value, action_id: shortId(place, n, 'action') }
      : value
  return {
    ...block,
    ...(block.accessory !== undefined && { accessory: named(block.accessory, 'accessory') }),
    ...(block.element !== undefined && { element: named(block.element, 'element') }),
    ...(Array.isArray(block.elements) && { elements: block.elements.map((item, n) => named(item, `${n}`)) }),
  }
}

/** Legacy attachments, numbered as the service numbers them. */
export const readAttachments = (value: unknown, place: string): Json[] | undefined => {
  if (value === undefined || value === false) return undefined
  if (!Array.isArray(value)) throw new Refusal('invalid_attachments')
  if (value.length === 0) return undefined
  if (value.length > maxAttachments) throw new Refusal('too_many_attachments')
  return value.map((attachment, n) => {
    if (!isRecord(attachment)) throw invalid('invalid_attachments', ['[ERROR] invalid_keys'])
    const { blocks } = attachment
    const own = blocks === undefined ? undefined : readBlocks(blocks, `${place}:attachment:${n}`)
    return {
      ...attachment,
      ...(own && { blocks: own }),
      id: n + 1,
      ...(typeof attachment.color === 'string' && { color: colour(attachment.color) }),
      fallback: String(
        attachment.fallback ?? attachment.text ?? attachment.title ?? '[no preview available]',
      ),
    }
  })
}

const colour = (value: string): string =>
  lookup({ good: '2eb886', warning: 'daa038', danger: 'a30200' }, value) ??
  value.replace(/^#/, '').toLowerCase()

const maxMetadataBytes = 8_000

export const readMetadata = (value: unknown): Json | undefined => {
  if (value === undefined) return undefined
  if (!isRecord(value)) throw new Refusal('invalid_metadata_format')
  if (typeof value.event_type !== 'string' || !isRecord(value.event_payload))
    throw new Refusal('invalid_metadata_schema')
  if (JSON.stringify(value).length > maxMetadataBytes) throw new Refusal('metadata_too_large')
  return { event_type: value.event_type, event_payload: value.event_payload }
}

/** Every text inside blocks and attachments, for search. */
export const textsIn = (value: unknown, depth = 0): string[] => {
  if (depth > 12) return []
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, depth + 1))
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, item]) =>
    typeof item === 'string'
      ? ['text', 'fallback', 'title', 'pretext', 'alt_text', 'value'].includes(name)
        ? [item]
        : []
      : textsIn(item, depth + 1),
  )
}
