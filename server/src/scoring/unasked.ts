import type { DiffEntry, UnaskedChanges, UnaskedPolicy } from '@diorama/contract'
import { changeSides, changesBy, placeOf, type SidedStep } from '@diorama/contract/change-sides'
import type { Accounted } from '@diorama/sandbox/verifier/scorer'

/** What happened to a world: its difference from the seed, and which records each step changed. */
export interface WorldChanges {
  readonly changes: readonly DiffEntry[]
  readonly requests: readonly SidedStep[]
}

const maxItems = 50

/**
 * The changes of the agent that no scorer accounts for; what the world did on its own is not held against it. A scorer accounts for updates of the records it read by key, for changes it
 * named, and for one new record in a collection whose new records it looked at. An update of a record without a key of
 * its own, such as the lines of an order, follows from an accounted change when every request that touched it also made
 * an accounted change.
 */
export const unaskedChanges = (
  { changes: all, requests }: WorldChanges,
  accounted: readonly Accounted[],
): DiffEntry[] => {
  const changes = changesBy(all, changeSides(requests), 'agent')
  const records = new Set(accounted.flatMap((one) => one.records))
  const named = new Set(accounted.flatMap((one) => one.changes))
  const isAccounted = (change: DiffEntry): boolean =>
    named.has(placeOf(change)) || (change.operation === 'update' && records.has(placeOf(change)))
  const open = changes.filter((change) => !isAccounted(change))
  const asked = new Set(changes.filter(isAccounted).map(placeOf))
  for (const one of allowedCreates(open, accounted)) asked.add(placeOf(one))
  const follows = consequences(requests, asked)
  return open.filter(
    (change) =>
      !asked.has(placeOf(change)) &&
      !(change.operation === 'update' && change.key === null && follows.has(placeOf(change))),
  )
}

/** New records of a collection are accounted for when there are no more of them than scorers that looked for one. */
const allowedCreates = (open: readonly DiffEntry[], accounted: readonly Accounted[]): DiffEntry[] => {
  const created = open.filter(({ operation }) => operation === 'create')
  return [...Map.groupBy(created, ({ service, collection }) => `${service} ${collection}`)].flatMap(
    ([place, those]) =>
      those.length <= accounted.filter(({ creates }) => creates.includes(place)).length ? those : [],
  )
}

const consequences = (requests: WorldChanges['requests'], asked: ReadonlySet<string>): Set<string> => {
  const touched = new Map<string, boolean>()
  for (const { service = '', mutations = [] } of requests) {
    const keys = mutations.map(({ collection, id }) => placeOf({ service, collection, id }))
    const isAsked = keys.some((key) => asked.has(key))
    for (const key of keys) touched.set(key, isAsked && (touched.get(key) ?? true))
  }
  return new Set([...touched].flatMap(([key, always]) => (always ? [key] : [])))
}

/** The report on a trial. Where no scorer looks at the world nothing can be accounted for, so that is only reported. */
export const unaskedReport = (
  world: WorldChanges,
  accounted: readonly (Accounted | undefined)[],
  policy: UnaskedPolicy,
): UnaskedChanges => {
  const known = accounted.filter((one) => one !== undefined)
  const found = unaskedChanges(world, known)
  return {
    policy: known.length === 0 && policy === 'fail' ? 'warn' : policy,
    total: found.length,
    items: found.slice(0, maxItems).map(({ service, collection, operation, id, key, changed }) => ({
      service,
      collection,
      operation,
      id,
      key,
      fields: Object.keys(changed),
    })),
  }
}

/** Whether a trial fails for what it reports. */
export const failsByUnasked = (report: UnaskedChanges | null | undefined): boolean =>
  report?.policy === 'fail' && report.total > 0

/** The changes that a world's file holds. */
export const changesIn = (file: Uint8Array): WorldChanges => {
  const { services, activity } = JSON.parse(Buffer.from(file).toString('utf8')) as {
    services: Record<string, { diff?: DiffEntry[] }>
    activity: WorldChanges['requests']
  }
  return { changes: Object.values(services).flatMap(({ diff }) => diff ?? []), requests: activity }
}
