import type { DiffEntry } from '@diorama/contract/twins'
import { type Change, changedFields } from '@diorama/twin-kit/kernel/diff'
import type { Instance } from '@diorama/twin-kit/kernel/instance'
import type { Row } from '@diorama/twin-kit/kernel/table'
import type { TwinRow } from './store.ts'

/** A row as graders and people see it. */
export const presented = (instance: Instance, collection: string, row: Row | null): Row | null =>
  row && (instance.twin.present?.(collection, row, instance.tables) ?? row)

/** The blueprint keys of a twin's seeded records, by `collection id`. */
export const keysOf = (instance: Instance): ReadonlyMap<string, string> => {
  const known = keyMaps.get(instance.seed)
  if (known) return known
  const made = new Map(instance.seed.seed.keys.map(({ key, collection, id }) => [`${collection} ${id}`, key]))
  keyMaps.set(instance.seed, made)
  return made
}
/** Derived from a frozen seed and forgotten with it. */
const keyMaps = new WeakMap<object, ReadonlyMap<string, string>>()

export const keyFor = (instance: Instance, collection: string, id: string): string | null =>
  keysOf(instance).get(`${collection} ${id}`) ?? null

/** One difference from the seed, in the one shape that people, clients and scorers get. */
export const diffEntry = (instance: Instance, change: Change): DiffEntry => {
  const { collection, id, operation } = change
  const before = presented(instance, collection, change.before)
  const after = presented(instance, collection, change.after)
  const changed = before && after ? changedFields(before, after) : {}
  const key = keyFor(instance, collection, id)
  return { service: instance.twin.kind, collection, operation, key, id, before, after, changed }
}

/** The public collections of a twin, in the order in which its tables are written. */
export const collectionsOf = (instance: Instance): { name: string; count: number }[] =>
  Object.entries(instance.seed.tables)
    .filter(([, table]) => !table.spec.internal)
    .map(([name]) => ({ name, count: instance.tables[name]?.size() ?? 0 }))

export interface TwinPlace {
  readonly baseUrl: string
  readonly version: string
  /** Where a service's face in the Model Context Protocol is, below its base; undefined where it has none. */
  readonly mcpPathOf: (service: string) => string | undefined
}

/** The record of a twin on the wire. */
export const twinRecord = (row: TwinRow, { baseUrl, version, mcpPathOf }: TwinPlace) => ({
  id: row.id,
  service: row.service,
  status: row.status as 'running',
  image: `diorama/twin-${row.service}:${version}`,
  tenantId: row.organization_id,
  createdBy: row.created_by,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  token: row.principals[0]?.token ?? '',
  baseUrl: `${baseUrl}/t/${row.id}`,
  mcpUrl: mcpUrlOf(`${baseUrl}/t/${row.id}`, mcpPathOf(row.service)),
  error: row.error,
  environmentVersionId: row.environment_version_id,
  datasetVersionId: row.dataset_version_id ?? row.seed_sha256,
  scenarioId: row.world_id,
  hostAppName: 'diorama',
  hostMachineId: row.owner,
  region: null,
})

const mcpUrlOf = (baseUrl: string, path: string | undefined): string | null =>
  path === undefined ? null : `${baseUrl}${path}`

/** Everything that is left of a twin when its story ends: final records, blueprint keys, and the difference from the seed. */
export const stateOf = (service: string, instance: Instance) => {
  const names = collectionsOf(instance).map(({ name }) => name)
  return {
    service,
    collections: Object.fromEntries(names.map((name) => [name, presentedRecords(instance, name)])),
    keys: instance.seed.seed.keys,
    idFields: Object.fromEntries(names.map((name) => [name, instance.seed.tables[name]?.spec.key ?? 'id'])),
    diff: instance.diff().map((change) => diffEntry(instance, change)),
  }
}

const presentedRecords = (instance: Instance, collection: string): { id: string; record: Row }[] => {
  const key = instance.seed.tables[collection]?.spec.key ?? 'id'
  return [...(instance.tables[collection]?.all() ?? [])].map((row) => ({
    id: String(row[key]),
    record: presented(instance, collection, row) ?? {},
  }))
}
