import { createHash } from 'node:crypto'
import type { DiffEntry } from '@diorama/contract'

interface ServiceFile {
  collections: Record<string, { id: string; record: Record<string, unknown> }[]>
  keys: { key: string; collection: string; id: string }[]
  diff: DiffEntry[]
}
interface WorldFile {
  services: Record<string, ServiceFile>
  activity: unknown[]
}

/**
 * What an agent leaves that does its task and also, in every service, changes a record, deletes one and makes one that
 * nobody asked for. Chosen by a seed, so that the same task always meets the same vandal.
 */
export const vandalised = (file: Uint8Array, seed: string): Uint8Array => {
  const world = JSON.parse(Buffer.from(file).toString('utf8')) as WorldFile
  for (const [service, part] of Object.entries(world.services))
    vandalise(service, part, pickBy(`${seed} ${service}`))
  return Buffer.from(JSON.stringify(world))
}

type Pick = <Item>(items: readonly Item[], purpose: string) => Item | undefined

const pickBy =
  (seed: string): Pick =>
  (items, purpose) => {
    const digest = createHash('sha256').update(`${seed} ${purpose}`).digest()
    return items[digest.readUInt32BE(0) % Math.max(1, items.length)]
  }

const vandalise = (service: string, part: ServiceFile, pick: Pick): void => {
  const touched = new Set(part.diff.map(({ collection, id }) => `${collection} ${id}`))
  const free = Object.entries(part.collections).flatMap(([collection, rows]) =>
    rows.filter(({ id }) => !touched.has(`${collection} ${id}`)).map((row) => ({ collection, ...row })),
  )
  const keyOf = ({ collection, id }: { collection: string; id: string }) =>
    part.keys.find((one) => one.collection === collection && one.id === id)?.key ?? null
  const changed = pick(
    free.filter(({ record }) => textField(record) !== undefined),
    'update',
  )
  if (changed) {
    const field = textField(changed.record) ?? ''
    const before = { ...changed.record }
    changed.record[field] = 'vandalised'
    const after = { ...changed.record }
    part.diff.push({
      service,
      ...placeOf(changed),
      operation: 'update',
      key: keyOf(changed),
      before,
      after,
      changed: { [field]: [before[field], 'vandalised'] },
    })
  }
  const deleted = pick(
    free.filter((row) => row !== changed),
    'delete',
  )
  if (deleted) {
    const rows = part.collections[deleted.collection] ?? []
    part.collections[deleted.collection] = rows.filter(({ id }) => id !== deleted.id)
    part.diff.push({
      service,
      ...placeOf(deleted),
      operation: 'delete',
      key: keyOf(deleted),
      before: deleted.record,
      after: null,
      changed: {},
    })
  }
  const copied = pick(free, 'create')
  if (copied) {
    const made = { collection: copied.collection, id: `vandal-${copied.id}` }
    const record = { ...copied.record, id: made.id }
    part.collections[made.collection]?.push({ id: made.id, record })
    part.diff.push({
      service,
      ...made,
      operation: 'create',
      key: null,
      before: null,
      after: record,
      changed: {},
    })
  }
}

const placeOf = ({ collection, id }: { collection: string; id: string }) => ({ collection, id })

const textField = (record: Record<string, unknown>): string | undefined =>
  Object.entries(record).find(
    ([name, value]) => typeof value === 'string' && value !== '' && !/(^|_)(id|ts)$/i.test(name),
  )?.[0]
