import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { shortId } from '../values/ids.ts'
import { elements } from './elements.ts'
import { blocks as blockTypes } from './layout.ts'
import { list, type RuleContext, type Surface, typed } from './schema.ts'
import { type BlockFault, type Checked, failed, maxFaults, validate } from './validate.ts'

export type Json = Record<string, unknown>

const maxBlocks: Readonly<Record<Surface, number>> = { message: 50, modal: 100, home: 100 }
/** The JSON of a message's blocks may not be longer than this. */
const maxLength = 64_000
const maxMarkdown = 12_000
const maxCharts = 2

const block = typed(blockTypes)

/** Every fault of a list of blocks. `pointer` is where the list is in the request. */
export const blockFaults = (value: unknown, context: RuleContext, pointer: string): BlockFault[] => {
  const at: Checked = { value, pointer, context, faults: [] }
  validate(list(block, 0, maxBlocks[context.surface]), at)
  if (Array.isArray(value) && at.faults.length === 0) checkTogether(value.filter(isRecord), at)
  return at.faults.slice(0, maxFaults)
}

/** Limits on all the blocks of a payload. */
const checkTogether = (blocks: readonly Json[], at: Checked): void => {
  const seen = new Set<unknown>()
  let [markdown, charts, plans] = [0, 0, 0]
  for (const [n, { type, block_id, text }] of blocks.entries()) {
    const fail = (below: string, rule: string, message: string) =>
      failed({ ...at, pointer: `${at.pointer}/${n}${below}` }, { type: rule, message })
    if (block_id !== undefined && seen.has(block_id))
      fail('/block_id', 'unique_items', `\`block_id\` "${String(block_id)}" already exists`)
    seen.add(block_id)
    if (type === 'markdown') markdown += String(text).length
    if (type === 'markdown' && markdown > maxMarkdown)
      fail('/text', 'max_length', `must be less than ${maxMarkdown + 1} characters`)
    if (type === 'data_visualization' && ++charts > maxCharts)
      fail('', 'max_items', 'too many data_visualization blocks')
    if (type === 'plan' && ++plans > 1) fail('', 'max_items', 'only one plan is allowed')
  }
  const focused = blocks.flatMap((one, n) => (focusedIn(one) > 0 ? [n] : []))
  const count = blocks.reduce((sum, one) => sum + focusedIn(one), 0)
  if (count > 1)
    failed(
      { ...at, pointer: `${at.pointer}/${focused.at(-1)}` },
      { type: 'max_items', message: 'only one element may have `focus_on_load`' },
    )
}

const focusedIn = ({ element, elements: items, accessory }: Json): number =>
  [element, accessory, ...(Array.isArray(items) ? items : [])].filter(
    (one) => isRecord(one) && one.focus_on_load === true,
  ).length

/** The refusal of a payload, with its faults both as they are and as the log lines that clients print. */
export const invalidPayload = (code: string, faults: readonly BlockFault[]): VendorError => {
  const lines = faults.map(({ message, pointer }) => `${message} [json-pointer:${pointer}]`)
  return new VendorError(code, lines.join('; '), {
    data: {
      errors: lines,
      response_metadata: { messages: lines.map((line) => `[ERROR] ${line}`) },
    },
  })
}

/** Blocks of a message, checked; undefined where there are none. */
export const readBlocks = (value: unknown, context: RuleContext): Json[] | undefined => {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw new VendorError('invalid_blocks_format')
  if (value.length === 0) return undefined
  const faults = blockFaults(value, context, '/blocks')
  if (faults.length > 0) throw invalidPayload('invalid_blocks', faults)
  if (JSON.stringify(value).length > maxLength) throw new VendorError('msg_blocks_too_long')
  return value
}

/** Gives blocks and interactive elements the ids they lack. `place` makes the ids the same in every copy. */
export const nameBlocks = (blocks: readonly Json[], place: string): Json[] =>
  blocks.map((one, n) => ({
    ...withActionIds(completed(one), `${place}:${n}`),
    block_id: typeof one.block_id === 'string' ? one.block_id : shortId(place, String(n)),
  }))

/** Blocks are no deeper than this, rich text included. */
const maxDepth = 12

/** Text objects are stored with the setting that their kind has. */
const completed = <V>(value: V, depth = 0): V => {
  if (depth > maxDepth || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => completed(item, depth + 1)) as V
  const own = Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, completed(item, depth + 1)]),
  )
  if (own.type === 'mrkdwn') return { ...own, verbatim: own.verbatim ?? false } as V
  if (own.type === 'plain_text') return { ...own, emoji: own.emoji ?? true } as V
  return own as V
}

const isInteractive = (type: unknown): boolean =>
  typeof type === 'string' && type !== 'image' && Object.hasOwn(elements, type)

const withActionIds = (one: Json, place: string): Json => {
  const named = (value: unknown, n: string): unknown =>
    isRecord(value) && isInteractive(value.type) && value.action_id === undefined
      ? { ...value, action_id: shortId(place, n, 'action') }
      : value
  const { accessory, element, elements: items, child_blocks } = one
  return {
    ...one,
    ...(accessory !== undefined && { accessory: named(accessory, 'accessory') }),
    ...(element !== undefined && { element: named(element, 'element') }),
    ...(Array.isArray(items) && { elements: items.map((item, n) => named(item, `${n}`)) }),
    ...(Array.isArray(child_blocks) && { child_blocks: nameBlocks(child_blocks.filter(isRecord), place) }),
  }
}

const isTable = ({ type }: Json): boolean => type === 'table' || type === 'data_table'

/** How many tables blocks hold, those of containers included. A message may have one. */
export const countTables = (blocks: readonly Json[]): number =>
  blocks.reduce(
    (sum, one) =>
      sum +
      (isTable(one) ? 1 : 0) +
      (Array.isArray(one.child_blocks) ? one.child_blocks.filter(isTable).length : 0),
    0,
  )

/** Every text inside blocks and attachments, for search. */
export const textsIn = (value: unknown, depth = 0): string[] => {
  if (depth > 12) return []
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, depth + 1))
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, item]) =>
    typeof item === 'string'
      ? ['text', 'fallback', 'title', 'pretext', 'alt_text', 'value', 'caption'].includes(name)
        ? [item]
        : []
      : textsIn(item, depth + 1),
  )
}
