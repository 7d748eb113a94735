import type { WritableTable } from '../../../kernel/table.ts'
import {
  type Call,
  type Operation,
  operation,
  type Tables,
  type WritableTables,
} from '../../../kernel/twin.ts'
import { fault } from '../faults.ts'
import {
  type EdmRow,
  type EdmValue,
  type EdmValues,
  type EntitySet,
  type Property,
  rowId,
  type ServiceModel,
  setOf,
} from '../model.ts'
import { inherited } from '../query/data.ts'
import { type Reading, read } from '../query/read.ts'
import { storable, storableValue } from '../values/values.ts'
import type { Draft } from './body.ts'

/** A word to the caller beside a success. */
export interface Notice {
  readonly code: string
  readonly text: string
  readonly severity: 'info' | 'warning'
  readonly target?: string
}

/** What a business rule works with. */
export interface Writing {
  readonly call: Call
  readonly service: ServiceModel
  readonly notify: (notice: Notice) => void
}

/** A set's own rules. Each is left out where the set has none: values are then kept as they come. */
export interface Behaviour {
  /** Navigations whose entities `create` takes over; others are refused. Any, where it is left out. */
  readonly children?: readonly string[]
  /** Refuses values that the set cannot hold, before its own rule sees them; of an update only what differs. */
  readonly check?: (writing: Writing, values: EdmValues) => void
  /** Makes the entity and everything that comes with it. `above` holds what it takes from its parent. */
  readonly create?: (writing: Writing, draft: Draft, above: EdmValues) => EdmRow
  /** Lays the change over the entity. */
  readonly update?: (writing: Writing, row: EdmRow, change: EdmValues) => EdmRow
  readonly remove?: (writing: Writing, row: EdmRow) => void
}

export type Behaviours = Readonly<Record<string, Behaviour>>

export interface Written {
  readonly row: EdmRow
  readonly notices: readonly Notice[]
}

export interface CreateInput {
  readonly draft: Draft
  readonly above: EdmValues
}
export interface UpdateInput {
  readonly id: string
  readonly draft: Draft
  /** Properties that the body leaves out go back to their initial values. */
  readonly replace: boolean
}

export const tableOf = (tables: WritableTables, set: EntitySet): WritableTable<EdmRow> => {
  const table: unknown = tables[set.collection]
  if (!isTable(table)) throw new Error(`there is no table ${set.collection}`)
  return table
}
const isTable = (table: unknown): table is WritableTable<EdmRow> => table !== undefined

/** Keeps an entity's values, whole: fields at their initial value are left out of the row. */
export const keep = (call: Call, set: EntitySet, values: EdmValues): EdmRow => {
  const { type } = set
  const id = rowId(type, values)
  const table = tableOf(call.tables, set)
  const before = table.get(id)
  if (!before) return table.insert({ id, ...storable(type, values) })
  // Only what differs is written; what went back to its initial value is taken out. Decimals are looked at again even
  // where they are the same, since the currency or unit that they are shown in may not be.
  const fields: Record<string, EdmValue | undefined> = {}
  let differs = false
  const put = (name: string, kept: EdmValue | undefined) => {
    if (kept === before[name]) return
    fields[name] = kept
    differs = true
  }
  for (const name in values)
    if (
      !type.keys.includes(name) &&
      (values[name] !== before[name] || type.byName.get(name)?.type === 'Decimal')
    )
      put(name, storableValue(type, name, values))
  for (const name in before)
    if (!(name in values) && name !== 'id' && !type.keys.includes(name)) put(name, undefined)
  return differs ? table.update(id, fields as Partial<EdmRow>) : before
}

/** Makes an entity as it was given, and its children below it. */
const createAsGiven = (writing: Writing, draft: Draft, above: EdmValues, behaviours: Behaviours): EdmRow => {
  const { set } = draft
  const { type } = set
  const values = { ...draft.values, ...above }
  for (const key of type.keys) {
    const value = values[key]
    if (value === undefined || value === null)
      throw fault('missing_element', { property: key, type: type.name })
  }
  if (tableOf(writing.call.tables, set).has(rowId(type, values)))
    throw fault('duplicate', { type: type.name, key: rowId(type, values) })
  const row = keep(writing.call, set, values)
  createChildren(writing, draft, row, behaviours)
  return row
}

export const createChildren = (writing: Writing, draft: Draft, row: EdmRow, behaviours: Behaviours): void => {
  for (const [name, children] of draft.children) {
    const navigation = draft.set.type.navigations.get(name)
    if (!navigation) continue
    const target = setOf(writing.service, navigation.target)
    if (children.length > 0 && !target.creatableBelow) throw fault('not_creatable', { set: target.name })
    for (const child of children) create(writing, child, inherited(navigation, row), behaviours)
  }
}

/** Refuses related entities that no rule would take over, at any depth. */
const checkChildren = ({ set, children }: Draft, behaviours: Behaviours): void => {
  const taken = behaviours[set.name]?.children
  for (const [name, drafts] of children) {
    if (drafts.length > 0 && taken && !taken.includes(name))
      throw fault('not_implemented', { name: `POST ${set.name}/${name}` })
    for (const draft of drafts) checkChildren(draft, behaviours)
  }
}

/** Checks the values of an entity and of all that comes with it: a set's rule makes its children without asking theirs. */
const checkValues = (writing: Writing, { set, values, children }: Draft, behaviours: Behaviours): void => {
  behaviours[set.name]?.check?.(writing, values)
  for (const drafts of children.values()) for (const draft of drafts) checkValues(writing, draft, behaviours)
}

/** Makes an entity by its set's rule, or as it was given. */
export const create = (writing: Writing, draft: Draft, above: EdmValues, behaviours: Behaviours): EdmRow => {
  const rule = behaviours[draft.set.name]?.create
  checkValues(writing, draft, behaviours)
  return rule ? rule(writing, draft, above) : createAsGiven(writing, draft, above, behaviours)
}

/** Everything that can be done with a service's sets, by method and set: `GET Orders`, `PATCH Orders`. */
export const entityOperations = (service: ServiceModel, behaviours: Behaviours): Record<string, Operation> =>
  Object.fromEntries([...service.sets.values()].flatMap((set) => setOperations(service, set, behaviours)))

const setOperations = (
  service: ServiceModel,
  set: EntitySet,
  behaviours: Behaviours,
): readonly (readonly [string, Operation])[] => {
  const reading: Operation = operation<Tables, Reading>({
    effect: 'read',
    run: (call, input) => read(call.tables, input),
  })
  const creating = operation<Tables, CreateInput>({
    effect: 'write',
    run: (call, { draft, above }) =>
      noticed(call, service, (writing) => {
        noticeIgnored(writing, draft, undefined)
        checkChildren(draft, behaviours)
        return create(writing, draft, above, behaviours)
      }),
  })
  const updating = operation<Tables, UpdateInput>({
    effect: 'write',
    run: (call, input) => noticed(call, service, (writing) => update(writing, set, input, behaviours)),
  })
  const removing = operation<Tables, { id: string }>({
    effect: 'write',
    run: (call, { id }) => noticed(call, service, (writing) => remove(writing, set, id, behaviours)),
  })
  return [
    [`GET ${set.name}`, reading],
    ...(set.creatable || set.creatableBelow ? [[`POST ${set.name}`, creating] as const] : []),
    ...(set.updatable
      ? ([
          [`PATCH ${set.name}`, updating],
          [`PUT ${set.name}`, updating],
        ] as const)
      : []),
    ...(set.deletable ? [[`DELETE ${set.name}`, removing] as const] : []),
  ]
}

const noticed = (call: Call, service: ServiceModel, work: (writing: Writing) => EdmRow): Written => {
  const notices: Notice[] = []
  const row = work({ call, service, notify: (notice) => notices.push(notice) })
  return { row, notices }
}

/** Says which given values were not taken over, since the real service passes over them in silence or with a word. */
const noticeIgnored = (writing: Writing, draft: Draft, before: EdmRow | undefined): void => {
  for (const [name, value] of Object.entries(draft.ignored)) {
    const held = before?.[name] ?? draft.set.type.byName.get(name)?.initial ?? null
    if (before && held === value) continue
    notifyIgnored(writing, draft.set.type.name, name)
  }
}

const notifyIgnored = (writing: Writing, type: string, name: string): void => {
  const text = `Property ${name} of ${type} is read-only; the value was ignored`
  writing.notify({ code: 'read-only', text, severity: 'warning', target: name })
}

const update = (
  writing: Writing,
  set: EntitySet,
  { id, draft, replace }: UpdateInput,
  behaviours: Behaviours,
): EdmRow => {
  const row = tableOf(writing.call.tables, set).get(id)
  if (!row) throw fault('entity_missing', { type: set.type.name })
  const change: Record<string, EdmValue> = {}
  const isOpen = ({ name, readOnly, fixed }: Property) => !readOnly && !fixed && !set.type.keys.includes(name)
  if (replace)
    for (const property of set.type.properties) if (isOpen(property)) change[property.name] = property.initial
  for (const [name, given] of Object.entries(draft.values)) {
    const property = set.type.byName.get(name)
    if (property && isOpen(property)) change[name] = given
    else if (property?.fixed && !set.type.keys.includes(name) && (row[name] ?? property.initial) !== given)
      notifyIgnored(writing, set.type.name, name)
  }
  if (!replace) noticeIgnored(writing, draft, row)
  const { update: rule, check } = behaviours[set.name] ?? {}
  if (check) check(writing, differing(row, change))
  return rule ? rule(writing, row, change) : keep(writing.call, set, { ...row, ...change })
}

const differing = (row: EdmRow, change: EdmValues): EdmValues =>
  Object.fromEntries(Object.entries(change).filter(([name, value]) => row[name] !== value))

const remove = (writing: Writing, set: EntitySet, id: string, behaviours: Behaviours): EdmRow => {
  const table = tableOf(writing.call.tables, set)
  const row = table.get(id)
  if (!row) throw fault('entity_missing', { type: set.type.name })
  const rule = behaviours[set.name]?.remove
  if (rule) rule(writing, row)
  else table.delete(id)
  return row
}
