import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { lookup } from '../values/records.ts'
import { blockFaults, countTables, invalidPayload, type Json, nameBlocks } from './blocks.ts'
import {
  anything,
  filled,
  list,
  object,
  oneOf,
  type RuleContext,
  required,
  type Schema,
  str,
} from './schema.ts'
import { type BlockFault, validate } from './validate.ts'

const maxAttachments = 100
const maxActions = 5

const number: Schema = { is: 'number' }
const confirm = object({ title: str(), text: required(str()), ok_text: str(), dismiss_text: str() })
const option = object({ text: required(filled()), value: required(filled()), description: str() })
const action = object({
  id: anything,
  name: required(filled()),
  text: required(str()),
  type: required(oneOf('button', 'select')),
  value: str({ max: 2_000 }),
  style: oneOf('default', 'primary', 'danger', ''),
  url: str(),
  confirm,
  options: list(option, 0, 100),
  option_groups: list(object({ text: required(filled()), options: required(list(option)) }), 0, 100),
  data_source: oneOf('static', 'users', 'channels', 'conversations', 'external'),
  selected_options: list(option, 0, 1),
  min_query_length: number,
})

/** The fields of a legacy attachment whose types matter; others are stored as they come. */
const fields: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(
    [
      'fallback',
      'color',
      'pretext',
      'author_name',
      'author_link',
      'author_icon',
      'title',
      'title_link',
      'image_url',
      'thumb_url',
      'footer',
      'footer_icon',
      'callback_id',
      'from_url',
    ].map((name) => [name, str()]),
  ),
  fields: list(object({ title: anything, value: anything, short: anything })),
  mrkdwn_in: list(str()),
  actions: list(action, 0, maxActions),
}

/** Seen to be refused beside `blocks`, even when empty. */
const keysWithoutBlocks = ['fields', 'mrkdwn_in', 'actions', 'indent']
const unfurlFlags = /^is_\w+_unfurl$/

/** What makes an attachment show something. */
const content = [
  'text',
  'title',
  'pretext',
  'fallback',
  'image_url',
  'thumb_url',
  'author_name',
  'footer',
  'blocks',
  'fields',
  'actions',
]
const hasContent = (attachment: Json): boolean =>
  content.some((name) => {
    const value = attachment[name]
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== ''
  })

export interface AttachmentOptions {
  readonly context: RuleContext
  readonly place: string
  /** Attachments that the service itself made carry fields that callers may not send. */
  readonly isOwn?: boolean
}

/** Attachments, checked and numbered as the service numbers them. Those that show nothing are dropped. */
export const readAttachments = (
  value: unknown,
  { context, place, isOwn = false }: AttachmentOptions,
): Json[] | undefined => {
  if (value === undefined || value === null || value === false) return undefined
  if (!Array.isArray(value)) throw new VendorError('invalid_attachments')
  if (value.length > maxAttachments) throw new VendorError('too_many_attachments')
  const given = value.map((attachment: unknown, n) => {
    if (!isRecord(attachment)) throw invalidKeys()
    if (!isOwn && Array.isArray(attachment.blocks) && Object.keys(attachment).some(clashesWithBlocks))
      throw invalidKeys()
    checkAttachment(attachment, context, `/attachments/${n}`)
    return attachment
  })
  const shown = given.filter(hasContent)
  if (shown.length === 0) return undefined
  return shown.map((attachment, n) => stored(attachment, n, place))
}

const clashesWithBlocks = (name: string): boolean =>
  keysWithoutBlocks.includes(name) || unfurlFlags.test(name)

const invalidKeys = (): VendorError =>
  new VendorError('invalid_attachments', 'invalid_keys', {
    data: { response_metadata: { messages: ['[ERROR] invalid_keys'] } },
  })

const checkAttachment = (attachment: Json, context: RuleContext, pointer: string): void => {
  const faults: BlockFault[] = []
  for (const [name, schema] of Object.entries(fields))
    if (attachment[name] !== undefined && attachment[name] !== null)
      validate(schema, { value: attachment[name], pointer: `${pointer}/${name}`, context, faults })
  if (attachment.blocks !== undefined)
    faults.push(...blockFaults(attachment.blocks, context, `${pointer}/blocks`))
  if (faults.length > 0) throw invalidPayload('invalid_attachments', faults)
}

const stored = (attachment: Json, n: number, place: string): Json => ({
  ...attachment,
  ...(Array.isArray(attachment.blocks) && {
    blocks: nameBlocks(attachment.blocks.filter(isRecord), `${place}:attachment:${n}`),
  }),
  ...(Array.isArray(attachment.actions) && {
    actions: attachment.actions.map((one: unknown, at) =>
      isRecord(one) ? { id: String(at + 1), ...one } : one,
    ),
  }),
  ...(Array.isArray(attachment.fields) && { fields: attachment.fields.map(storedField) }),
  id: n + 1,
  ...(typeof attachment.color === 'string' && { color: colour(attachment.color) }),
  fallback: String(attachment.fallback ?? attachment.text ?? attachment.title ?? '[no preview available]'),
})

const storedField = (field: unknown): unknown =>
  isRecord(field)
    ? { title: String(field.title ?? ''), value: String(field.value ?? ''), short: isTrue(field.short) }
    : field
const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === 1

const colour = (value: string): string =>
  lookup({ good: '2eb886', warning: 'daa038', danger: 'a30200' }, value) ??
  value.replace(/^#/, '').toLowerCase()

export interface Tabled {
  readonly blocks: Json[] | undefined
  readonly attachments: Json[] | undefined
}

/** A message has one table at most, and shows it at its end: it is stored as an attachment. */
export const moveTables = ({ blocks, attachments }: Tabled): Tabled => {
  const inAttachments = (attachments ?? []).flatMap((one) =>
    Array.isArray(one.blocks) ? one.blocks.filter(isRecord) : [],
  )
  if (countTables([...(blocks ?? []), ...inAttachments]) > 1)
    throw new VendorError('invalid_attachments', 'only_one_table_allowed', {
      data: {
        detail: 'only_one_table_allowed',
        response_metadata: { messages: ['[ERROR] only_one_table_allowed'] },
      },
    })
  const tables = blocks?.filter(({ type }) => type === 'table') ?? []
  if (tables.length === 0) return { blocks, attachments }
  const rest = blocks?.filter(({ type }) => type !== 'table') ?? []
  const last = { id: (attachments?.length ?? 0) + 1, blocks: tables, fallback: '[no preview available]' }
  return { blocks: rest.length > 0 ? rest : undefined, attachments: [...(attachments ?? []), last] }
}
