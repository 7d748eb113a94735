import type { DiffEntry } from '@diorama/contract/twins'
import type { Change, Changes } from '@diorama/twin-kit/kernel/diff'
import type { Instance } from '@diorama/twin-kit/kernel/instance'
import type { Row } from '@diorama/twin-kit/kernel/table'
import type { TwinIdentity } from '@diorama/twin-kit/kernel/twin'
import type { SceneOrder } from '@diorama/twin-kit/variations/scene'
import { shortKind } from '../ledger/ledger-entry.ts'
import { collectionsOf, diffEntry, keyFor, presented, stateOf } from '../records.ts'
import { type VariationAsk, type Varied, varied } from './varied.ts'

/** What can be read of a twin's state where it runs. */
export type Inspection =
  /** Differences from the seed, by collection and id; a page begins behind `after`. */
  | { readonly what: 'diff'; readonly after?: DiffCursor | undefined; readonly limit: number }
  | { readonly what: 'collections' }
  | {
      readonly what: 'records'
      readonly collection: string
      readonly after: string
      readonly limit: number
    }
  | { readonly what: 'identities' }
  /** Recorded changes (JSON of the ledger, a text for each step) as people see them. */
  | { readonly what: 'changes'; readonly texts: readonly (string | null)[] }
  /** The final state as the file for scorers holds it. */
  | { readonly what: 'state' }
  /** What a variant of a suite would do in the world as it is now. */
  | { readonly what: 'variation'; readonly scene: SceneOrder; readonly ask: VariationAsk }
  /** Where the twin's clock is, and whether anything differs from the seed. */
  | { readonly what: 'clock'; readonly now: number; readonly worldTime?: number | undefined }
  /** Stores the state as a seed at a moment of the world's clock; the seed itself, where it is the same. */
  | { readonly what: 'publish'; readonly clock: number }

export interface DiffCursor {
  readonly collection: string
  readonly id: string
}

/** A recorded change, its records as people see them. */
export interface ShownChange {
  readonly collection: string
  /** The names of the collection, as an event might say them. */
  readonly kinds: readonly string[]
  readonly operation: Change['operation']
  readonly id: string
  readonly key: string | null
  /** What people call the record besides its id. */
  readonly names: readonly string[]
  readonly before: Row | null
  readonly after: Row | null
}

export interface DiffPage {
  readonly summary: { readonly created: number; readonly updated: number; readonly deleted: number }
  readonly items: readonly DiffEntry[]
  readonly hasMore: boolean
}

export interface Inspected {
  readonly diff: DiffPage
  readonly collections: readonly { readonly name: string; readonly count: number }[]
  readonly records: {
    readonly items: readonly { readonly id: string; readonly key: string | null; readonly record: Row }[]
    readonly more: boolean
  }
  readonly identities: readonly TwinIdentity[]
  readonly changes: readonly (readonly ShownChange[])[]
  readonly state: Uint8Array
  readonly variation: Varied
  readonly clock: { readonly isUntouched: boolean; readonly seedClock: number; readonly worldTime: number }
  readonly publish: PublishedState
}

/** A twin's state as a stored seed. */
export interface PublishedState {
  readonly sha256: string
  readonly entityCount: number
  readonly collections: readonly { readonly name: string; readonly count: number }[]
}
export interface InspectionResults {
  readonly inspect: Inspected[keyof Inspected]
}

/** What needs the clock or the database is answered by the runner. */
type PlainInspection = Exclude<Inspection, { what: 'clock' | 'publish' }>

export const inspect = (instance: Instance, inspection: PlainInspection): Inspected[keyof Inspected] => {
  switch (inspection.what) {
    case 'diff':
      return diffPage(instance, inspection)
    case 'collections':
      return collectionsOf(instance)
    case 'records':
      return recordsPage(instance, inspection)
    case 'identities':
      return instance.twin.identities(instance.tables)
    case 'changes':
      return inspection.texts.map((text) => shownChanges(instance, text))
    case 'state':
      return stateText(instance)
    case 'variation':
      return varied(instance, inspection.scene, inspection.ask)
  }
}

const diffPage = (
  instance: Instance,
  { after, limit }: { after?: DiffCursor | undefined; limit: number },
): DiffPage => {
  const summary = { created: 0, updated: 0, deleted: 0 }
  const items: DiffEntry[] = []
  let hasMore = false
  const names = Object.keys(instance.seed.tables)
  const reached = after ? names.indexOf(after.collection) : -1
  for (const [place, name] of names.entries()) {
    const isShown = place >= reached
    const behind = place === reached ? (after?.id ?? '') : ''
    const ids = isShown ? instance.changedIds(name).toSorted() : instance.changedIds(name)
    for (const id of ids) {
      const operation = instance.operationOn(name, id)
      if (operation === undefined) continue
      summary[counted[operation]]++
      if (!isShown || (behind !== '' && id <= behind)) continue
      if (items.length < limit) items.push(diffEntry(instance, instance.changeOf(name, id)))
      else hasMore = true
    }
  }
  return { summary, items, hasMore }
}
const counted = { create: 'created', update: 'updated', delete: 'deleted' } as const

const recordsPage = (
  instance: Instance,
  { collection, after, limit }: { collection: string; after: string; limit: number },
): Inspected['records'] => {
  const spec = instance.seed.tables[collection]?.spec
  const table = instance.tables[collection]
  if (!spec || !table || spec.internal) return { items: [], more: false }
  const ids: string[] = []
  for (const row of table.all()) {
    const id = String(row[spec.key])
    if (id > after) ids.push(id)
  }
  ids.sort()
  const items = ids.slice(0, limit).map((id) => ({
    id,
    key: keyFor(instance, collection, id),
    record: presented(instance, collection, table.get(id) ?? null) ?? {},
  }))
  return { items, more: ids.length > limit }
}

const shownChanges = (instance: Instance, text: string | null): ShownChange[] =>
  shownOf(instance, JSON.parse(text ?? '[]') as Changes)

/** Changes of public collections as people see them. */
export const shownOf = (instance: Instance, changes: Changes): ShownChange[] =>
  changes
    .filter(({ collection }) => instance.seed.tables[collection]?.spec.internal !== true)
    .map(({ collection, operation, id, before, after }) => ({
      collection,
      kinds: [collection, shortKind(collection)],
      operation,
      id,
      key: keyFor(instance, collection, id),
      names: [
        ...new Set(
          [before, after].flatMap((row) => (row ? (instance.twin.names?.(collection, row) ?? []) : [])),
        ),
      ],
      before: presented(instance, collection, before),
      after: presented(instance, collection, after),
    }))

/** The part of a world's file that describes one twin, as JSON. */
export const stateText = (instance: Instance): Uint8Array => {
  const { collections, keys, idFields, diff } = stateOf(instance.twin.kind, instance)
  return Buffer.from(JSON.stringify({ collections, keys, id_field: idFields, diff }))
}
