/**
 * What an agent left behind, for scorers.
 *
 *     import { world } from 'world-state'
 *
 *     export function handler(input: string, output: string) {
 *       return world.record('crm', 'broken-invoice')?.Status === 'Closed' && world.onlyChanged('broken-invoice')
 *     }
 *
 * Every function reads the world as it was when the agent ended. A service is named by its kind, such as 'crm'.
 * A key is the blueprint's own key of a seeded record; wherever a key is taken, a native id is taken too.
 */
import { readFileSync } from 'node:fs'
import { Timeline, type TimelineSource } from './timeline.ts'

export type Row = Record<string, unknown>

export interface Change {
  readonly service: string
  readonly collection: string
  readonly operation: 'create' | 'update' | 'delete'
  /** The blueprint key where the record was seeded. */
  readonly key: string | null
  readonly id: string
  readonly before: Row | null
  readonly after: Row | null
  readonly changed: Record<string, [before: unknown, after: unknown]>
}

export interface RecordedRequest {
  readonly service?: string
  readonly mutations?: readonly unknown[]
  readonly [field: string]: unknown
}

export interface ServiceState {
  readonly collections?: Record<string, readonly { readonly id: string; readonly record: Row }[]>
  readonly keys?: readonly { readonly key: string; readonly collection: string; readonly id: string }[]
  readonly id_field?: Record<string, string>
  readonly diff?: readonly Change[]
}

/** The file that the helpers read: one for each run of a scorer, and read-only. */
export interface WorldStateFile extends TimelineSource {
  readonly services: Record<string, ServiceState>
  readonly activity: readonly RecordedRequest[]
  /** Who did what, of the records that the world has touched on its own. */
  readonly sides?: readonly ChangeSides[]
}

/** What the agent and the world each did to one record; null for one that did not touch it. */
export interface ChangeSides {
  readonly service: string
  readonly collection: string
  readonly id: string
  readonly agent: Side | null
  readonly world: Side | null
}
export interface Side {
  readonly operation: Change['operation']
  readonly fields: readonly string[]
}

/** Whose changes: what the world did on its own, such as a scheduled event, is apart from what the agent did. */
export type ChangedBy = 'agent' | 'world' | 'any'

export interface ChangeFilter {
  readonly service?: string
  readonly collection?: string
  readonly operation?: Change['operation']
  readonly key?: string
  readonly by?: ChangedBy
}

/** The runner names the folder when it loads this module. */
const worldFile = `${new URL(import.meta.url).searchParams.get('inputs') ?? '/inputs'}/world.json`

/** A service's records by collection and id, and by key; each table is made when it is first needed. */
class ServiceIndex {
  readonly #part: ServiceState
  readonly #final = new Map<string, Map<string, Row>>()
  #changed: Map<string, Map<string, Change>> | undefined
  #keys: Map<string, { readonly collection: string; readonly id: string }> | undefined

  constructor(part: ServiceState) {
    this.#part = part
  }

  /** Final records of a collection by id. */
  final(collection: string): Map<string, Row> {
    const known = this.#final.get(collection)
    if (known) return known
    const made = new Map((this.#part.collections?.[collection] ?? []).map(({ id, record }) => [id, record]))
    this.#final.set(collection, made)
    return made
  }

  /** Changes in a collection by id. */
  changed(collection: string): Map<string, Change> | undefined {
    if (!this.#changed) {
      this.#changed = new Map()
      for (const change of this.#part.diff ?? []) {
        const known = this.#changed.get(change.collection)
        if (known) known.set(change.id, change)
        else this.#changed.set(change.collection, new Map([[change.id, change]]))
      }
    }
    return this.#changed.get(collection)
  }

  /** Where a key points, or every collection in which an id may be. */
  places(keyOrId: string): readonly { readonly collection: string; readonly id: string }[] {
    if (!this.#keys) {
      this.#keys = new Map()
      for (const change of this.#part.diff ?? []) if (change.key !== null) this.#keys.set(change.key, change)
      for (const entry of this.#part.keys ?? []) this.#keys.set(entry.key, entry)
    }
    const place = this.#keys.get(keyOrId)
    if (place) return [place]
    const collections = new Set(Object.keys(this.#part.collections ?? {}))
    for (const change of this.#part.diff ?? []) collections.add(change.collection)
    return [...collections].map((collection) => ({ collection, id: keyOrId }))
  }
}

/** Fields by which people know a record, the best first. */
const nameFields = [
  'identifier',
  'CaseNumber',
  'SalesOrder',
  'Name',
  'real_name',
  'BusinessPartnerFullName',
  'Subject',
  'name',
  'title',
  'text',
  'body',
]
const verbs = { create: 'created', update: 'updated', delete: 'deleted' } as const

/** The best name in a record, as one short line; empty when it has none. */
const nameOf = (record: Row): string => {
  const field = nameFields.find(
    (name) => typeof record[name] === 'number' || (typeof record[name] === 'string' && record[name] !== ''),
  )
  const line = field ? String(record[field]).trim().replaceAll(/\s+/g, ' ') : ''
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`
}

export class World {
  readonly #path: string
  readonly #indexes = new Map<string, ServiceIndex>()
  #loaded: WorldStateFile | undefined
  readonly #records = new Set<string>()
  readonly #creates = new Set<string>()
  readonly #changes = new Set<string>()
  #sides: Map<string, ChangeSides> | undefined

  constructor(path: string = worldFile) {
    this.#path = path
  }

  /** Every change of the agent against the seed, or one service's; those of the world on its own with `by`. */
  diff(service?: string | null, by: ChangedBy = 'agent'): Change[] {
    const parts =
      service !== undefined && service !== null
        ? [this.#service(service)]
        : Object.values(this.#world().services)
    const changes = parts.flatMap((part) => part.diff ?? [])
    return by === 'any' ? changes : changes.flatMap((change) => this.#side(change, by) ?? [])
  }

  /** What one side did of a change: the change itself where no one else touched the record. */
  #side(change: Change, by: 'agent' | 'world'): Change | undefined {
    this.#sides ??= new Map((this.#world().sides ?? []).map((one) => [placeOf(one), one]))
    const sides = this.#sides.get(placeOf(change))
    if (!sides) return by === 'agent' ? change : undefined
    const side = sides[by]
    if (!side) return undefined
    const changed = Object.entries(change.changed).filter(([field]) => side.fields.includes(field))
    return { ...change, operation: side.operation, changed: Object.fromEntries(changed) }
  }

  /**
   * The diff, filtered by any of these. A scorer that looks at what was created in one collection accounts for one of
   * those records; for more, see account.
   */
  changes(filter: ChangeFilter = {}): Change[] {
    const { service, collection, operation, key, by } = filter
    if (service !== undefined && collection !== undefined && operation === 'create')
      this.#creates.add(JSON.stringify([service, collection]))
    return this.diff(service, by).filter(
      (change) =>
        (collection === undefined || change.collection === collection) &&
        (operation === undefined || change.operation === operation) &&
        (key === undefined || change.key === key || change.id === key),
    )
  }

  /** The final record, or null when there is none. A scorer that looks at a record by its key accounts for updates of it. */
  record(service: string, keyOrId: string): Row | null {
    const index = this.#index(service)
    for (const { collection, id } of index.places(keyOrId)) {
      const found = index.final(collection).get(id)
      if (!found) continue
      this.#records.add(JSON.stringify([service, collection, id]))
      return found
    }
    return null
  }

  /** The final records of a collection whose fields have these values. */
  records(service: string, collection: string, equals: Row = {}): Row[] {
    const wanted = Object.entries(equals)
    return (this.#service(service).collections?.[collection] ?? [])
      .filter(({ record }) => wanted.every(([field, value]) => sameValue(record[field], value)))
      .map(({ record }) => record)
  }

  /** The record as it was seeded, or null when it was not. */
  before(service: string, keyOrId: string): Row | null {
    const index = this.#index(service)
    for (const { collection, id } of index.places(keyOrId)) {
      const change = index.changed(collection)?.get(id)
      if (change) return change.before
      const found = index.final(collection).get(id)
      if (found) return found
    }
    return null
  }

  /** The recorded requests, in order; with mutationsOnly those that changed something. */
  activity(service?: string | null, mutationsOnly = false, by: ChangedBy = 'agent'): RecordedRequest[] {
    return this.#world().activity.filter(
      (request) =>
        (by === 'any' || by === ((request.cause ?? null) === null ? 'agent' : 'world')) &&
        (service === undefined || service === null || request.service === service) &&
        (!mutationsOnly || (request.mutations?.length ?? 0) > 0),
    )
  }

  /** True when nothing changed but the records with these keys or ids. */
  onlyChanged(...keys: string[]): boolean {
    const allowed = new Set(keys)
    return this.onlyChangedWhere(
      (change) => allowed.has(change.id) || (change.key !== null && allowed.has(change.key)),
    )
  }

  /** True when every change fits, such as one of some service or of some fields. Accounts for the changes that fit. */
  onlyChangedWhere(fits: (change: Change) => boolean): boolean {
    const changes = this.diff()
    this.account(changes.filter(fits))
    return changes.every(fits)
  }

  /**
   * What people call a record, such as "00001002" or "Ana Silva", for the reason of a score; the key or id where it has
   * no name. Looking a name up accounts for nothing.
   */
  name(service: string, keyOrId: string): string {
    const index = this.#index(service)
    for (const { collection, id } of index.places(keyOrId)) {
      const found = index.final(collection).get(id) ?? index.changed(collection)?.get(id)?.before
      if (found) return nameOf(found) || keyOrId
    }
    return keyOrId
  }

  /** A change in words, such as "updated Case 00001002", for the reason of a score. */
  describe({ operation, collection, key, id, before, after }: Change): string {
    const name = nameOf(after ?? before ?? {}) || (key ?? id)
    return `${verbs[operation]} ${collection.replaceAll('_', ' ')} ${name}`
  }

  /** Says that these changes, or this one, were asked for. What no scorer accounts for is reported as unasked. */
  account(changes: Change | readonly Change[]): void {
    for (const { service, collection, id } of [changes].flat())
      this.#changes.add(JSON.stringify([service, collection, id]))
  }

  /** For the runner: what this scorer accounts for. */
  accounting(): Record<string, unknown[]> {
    const read = (seen: Set<string>): unknown[] => [...seen].map((one) => JSON.parse(one))
    return { records: read(this.#records), creates: read(this.#creates), changes: read(this.#changes) }
  }

  /** The same as onlyChanged, by its name in Python. */
  only_changed(...keys: string[]): boolean {
    return this.onlyChanged(...keys)
  }

  /** For the timeline. */
  source(): TimelineSource {
    return this.#world()
  }

  #world(): WorldStateFile {
    this.#loaded ??= readWorld(this.#path)
    return this.#loaded
  }

  #service(service: string): ServiceState {
    const { services } = this.#world()
    const part = services[service]
    if (part) return part
    const known = Object.keys(services).sort().join(', ') || 'none'
    throw new Error(`This world has no service '${service}'; it has: ${known}.`)
  }

  #index(service: string): ServiceIndex {
    const known = this.#indexes.get(service)
    if (known) return known
    const made = new ServiceIndex(this.#service(service))
    this.#indexes.set(service, made)
    return made
  }
}

const placeOf = ({ service, collection, id }: { service: string; collection: string; id: string }): string =>
  JSON.stringify([service, collection, id])

const sameValue = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  return typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b)
}

const readWorld = (path: string): WorldStateFile => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new Error('This run has no world: the task names no environment.', { cause })
  }
  return JSON.parse(text)
}

export const world = new World()
export const timeline = new Timeline(() => world.source())

/** The runner sends what was accounted for with the verdict. */
Reflect.set(globalThis, Symbol.for('diorama.accounting'), () => world.accounting())
