import type { Row } from '@diorama/twin-kit/kernel/table'
import { type Operation, operation } from '@diorama/twin-kit/kernel/twin'
import { type TrackerCall, tableOf } from '../context.ts'
import { operationName } from '../graphql/resolvers.ts'
import { need, seek } from '../lists/lookup.ts'
import { lowerFirst } from '../lists/relations.ts'
import type { EntityRow } from '../rows.ts'
import type { EntityType, TrackerTables } from '../tables.ts'
import { iso } from '../values/times.ts'
import { addRecord, changeRecord, type Input, payload, readInput, recordInput } from './records.ts'

export type Operations = Record<string, Operation>
type Args = Input & { readonly input?: unknown; readonly id?: unknown }

/** Writes a mutation under the API's own name. */
export const mutation = (name: string, run: (call: TrackerCall, args: Args) => unknown): Operations => ({
  [operationName('mutation', name)]: operation<TrackerTables, Args>({ effect: 'write', run }),
})
export const query = (name: string, run: (call: TrackerCall, args: Args) => unknown): Operations => ({
  [operationName('query', name)]: operation<TrackerTables, Args>({ effect: 'read', run }),
})

/** What is particular about one kind of record. */
export interface Kind {
  readonly type: EntityType
  /** The mutations that the API has for it. */
  readonly has: readonly ('Create' | 'Update' | 'Delete' | 'Archive' | 'Unarchive')[]
  /** What a new record holds besides what its caller set. */
  readonly start?: (call: TrackerCall, input: Input, columns: Row) => Row
  /** Further columns that an update sets. */
  readonly revise?: (call: TrackerCall, row: EntityRow, input: Input, columns: Row) => Row
  /** Whether deleting keeps the record in the trash. */
  readonly trash?: boolean
  /** Refuses a change that the caller may not make, or that the record does not allow. */
  readonly guard?: (
    call: TrackerCall,
    row: EntityRow,
    verb: 'Update' | 'Delete' | 'Archive' | 'Unarchive',
  ) => void
  /** Deleting what is not there succeeds. */
  readonly idempotent?: true
  /** What a record that was created or updated brings about. */
  readonly settled?: (call: TrackerCall, row: EntityRow) => void
  /** What goes with a record that is deleted for good. */
  readonly gone?: (call: TrackerCall, row: EntityRow) => void
}

/** The mutations of one kind of record, all made alike. */
export const crud = (kind: Kind): Operations => {
  const { type } = kind
  const name = lowerFirst(type)
  const made: Operations = {}
  for (const verb of kind.has)
    Object.assign(
      made,
      mutation(`${name}${verb}`, (call, args) => verbs[verb](call, kind, args)),
    )
  return made
}

type Verb = (call: TrackerCall, kind: Kind, args: Args) => unknown

const create: Verb = (call, kind, args) =>
  payload(call, kind.type, createOf(call, kind, recordInput(args.input)))

export const createOf = (call: TrackerCall, kind: Kind, input: Input): EntityRow => {
  const columns = readInput(call, kind.type, `${kind.type}CreateInput`, input)
  const row = addRecord(call, kind.type, { ...columns, ...kind.start?.(call, input, columns) }, input)
  kind.settled?.(call, row)
  return row
}

const update: Verb = (call, kind, args) => {
  const row = need(call, kind.type, args.id)
  kind.guard?.(call, row, 'Update')
  const input = recordInput(args.input)
  const columns = readInput(call, kind.type, `${kind.type}UpdateInput`, input)
  const revised = { ...columns, ...kind.revise?.(call, row, input, columns) }
  const after = changeRecord(call, kind.type, row, revised)
  kind.settled?.(call, after)
  return payload(call, kind.type, after)
}

const remove: Verb = (call, kind, args) => {
  const found = seek(call, kind.type, args.id)
  if (!found && kind.idempotent)
    return payload(call, kind.type, undefined, { entityId: args.id, entity: null })
  const row = found ?? need(call, kind.type, args.id)
  kind.guard?.(call, row, 'Delete')
  if (kind.trash) {
    const trashed = changeRecord(call, kind.type, row, { archivedAt: iso(call.now), trashed: true })
    return payload(call, kind.type, trashed)
  }
  kind.gone?.(call, row)
  tableOf(call.tables, kind.type).delete(row.id)
  return payload(call, kind.type, undefined, { entityId: row.id, entity: null })
}

const archive: Verb = (call, kind, args) => {
  const row = need(call, kind.type, args.id)
  kind.guard?.(call, row, 'Archive')
  return payload(call, kind.type, changeRecord(call, kind.type, row, { archivedAt: iso(call.now) }))
}

const unarchive: Verb = (call, kind, args) => {
  const row = need(call, kind.type, args.id)
  kind.guard?.(call, row, 'Unarchive')
  const back = 'trashed' in row ? { archivedAt: null, trashed: null } : { archivedAt: null }
  return payload(call, kind.type, changeRecord(call, kind.type, row, back))
}

const verbs: Readonly<Record<Kind['has'][number], Verb>> = {
  Create: create,
  Update: update,
  Delete: remove,
  Archive: archive,
  Unarchive: unarchive,
}
