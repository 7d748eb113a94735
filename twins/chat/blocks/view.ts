import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { invalidArguments } from '../methods/method.ts'
import { blockFaults, type Json, nameBlocks } from './blocks.ts'
import {
  anything,
  bool,
  type ObjectSchema,
  object,
  plain,
  type RuleContext,
  required,
  str,
} from './schema.ts'
import { type BlockFault, type Checked, child, failed, missing, validate } from './validate.ts'

const maxLength = 250_000

const base = {
  type: anything,
  blocks: required(anything),
  private_metadata: str({ max: 3_000 }),
  callback_id: str({ max: 255 }),
  external_id: str({ max: 255 }),
}
const views: Readonly<Record<'modal' | 'home', ObjectSchema>> = {
  modal: object({
    ...base,
    title: required(plain(24)),
    submit: plain(24),
    close: plain(24),
    clear_on_close: bool,
    notify_on_close: bool,
  }),
  home: object(base),
}

/** Every fault of a view. */
export const viewFaults = (value: unknown, context: RuleContext, pointer: string): BlockFault[] => {
  const at: Checked = { value, pointer, context, faults: [] }
  const type = isRecord(value) ? value.type : undefined
  if (!isRecord(value)) validate(object({}), at)
  else if (type === undefined) missing(at, 'type')
  else if (type !== 'modal' && type !== 'home')
    failed(child(at, 'type'), {
      type: 'enum',
      message: `unsupported type: ${String(type).slice(0, 100)}`,
      expected: ['modal', 'home'],
    })
  else checkView(type, { ...at, value })
  return at.faults
}

const checkView = (type: 'modal' | 'home', at: Checked & { readonly value: Json }): void => {
  const { value, faults, pointer } = at
  validate(views[type], at)
  // The service reports the view as a whole before its own fields that did not match.
  if (faults.some((fault) => fault.pointer === pointer)) {
    const own = faults.splice(0)
    failed(at, { type: 'all_of', message: 'failed to match all allowed schemas' })
    faults.push(...own)
  }
  const { blocks, submit } = value
  if (blocks === undefined) return
  faults.push(...blockFaults(blocks, { ...at.context, surface: type }, `${pointer}/blocks`))
  if (type !== 'modal' || submit !== undefined || !Array.isArray(blocks)) return
  for (const [n, one] of blocks.entries())
    if (isRecord(one) && one.type === 'input')
      failed(
        { ...at, pointer: `${pointer}/blocks/${n}/input` },
        { type: 'all_of', message: 'must define `submit` to use an `input` block in modals' },
      )
}

export interface ViewOptions {
  readonly context: RuleContext
  readonly kinds: readonly ('modal' | 'home')[]
}

/** A view of one of these kinds, checked. */
export const readView = (value: unknown, { context, kinds }: ViewOptions): Json => {
  if (!isRecord(value)) throw invalidArguments('must provide an object [json-pointer:/view]')
  const faults = viewFaults(value, context, '/view')
  if (faults.length > 0)
    throw invalidArguments(...faults.map(({ message, pointer }) => `${message} [json-pointer:${pointer}]`))
  if (!kinds.some((kind) => kind === value.type))
    throw invalidArguments(`unsupported type: ${String(value.type)} [json-pointer:/view/type]`)
  if (JSON.stringify(value).length > maxLength) throw new VendorError('view_too_large')
  return value
}

/** The blocks of a stored view, with their ids. */
export const viewBlocks = (view: Json, place: string): Json[] =>
  nameBlocks(Array.isArray(view.blocks) ? view.blocks.filter(isRecord) : [], place)
