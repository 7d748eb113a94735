import { type Call, operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import type { Json } from '../shapes/json.ts'
import type { Route, Stored, StubTables } from '../tables.ts'
import { replayOperations } from './replay.ts'

/** A collection, or one record of it, by its path. */
export interface Target {
  readonly route: Route
  /** The path of the collection, its parameters filled in. */
  readonly collection: string
  readonly record: string
}
type Listed = Target & { readonly query: ReadonlyMap<string, string> }
type Written = Target & { readonly value: Json }

const idOf = ({ route, collection, record }: Target): string => `${route.service}:${collection}/${record}`

const stored = ({ tables }: Call<StubTables>, target: Target): Stored => {
  const found = tables.record.get(idOf(target))
  if (found) return found
  throw new VendorError('not_found', 'there is no such record', {
    status: 404,
    data: { body: target.route.notFound },
  })
}

/** Everything that can be done with a service of which a document is known, and with one that was recorded. */
export const operations = {
  list: operation<StubTables, Listed>({
    effect: 'read',
    run: ({ tables }, { route, collection, query }) => {
      const { limit, offset, ...filters } = Object.fromEntries(query)
      const all = [...tables.record.find('collection', `${route.service} ${collection}`)].map(
        ({ value }) => value,
      )
      const kept = all.filter((value) =>
        Object.entries(filters).every(([name, wanted]) => String(value[name]) === wanted),
      )
      const from = Number(offset ?? 0)
      return kept.slice(from, limit === undefined ? undefined : from + Number(limit))
    },
  }),
  read: operation<StubTables, Target>({ effect: 'read', run: (call, target) => stored(call, target).value }),
  example: operation<StubTables, { route: Route }>({ effect: 'read', run: (_, { route }) => route.example }),
  create: operation<StubTables, Omit<Written, 'record'>>({
    effect: 'write',
    run: (call, { route, collection, value }) => {
      const id = value[route.idField] ?? freshId(call, { route, collection })
      const whole = { [route.idField]: id, ...value }
      const record = String(id)
      const row = idOf({ route, collection, record })
      if (call.tables.record.has(row))
        throw new VendorError('conflict', `there is a record ${record} already`, { status: 409 })
      call.tables.record.insert({ id: row, service: route.service, collection, record, value: whole })
      return whole
    },
  }),
  replace: operation<StubTables, Written>({
    effect: 'write',
    run: (call, target) => {
      const { id, value } = stored(call, target)
      const { idField } = target.route
      return call.tables.record.update(id, { value: { ...target.value, [idField]: value[idField] } }).value
    },
  }),
  patch: operation<StubTables, Written>({
    effect: 'write',
    run: (call, target) => {
      const { id, value } = stored(call, target)
      const { idField } = target.route
      const merged = { ...mergePatch(value, target.value), [idField]: value[idField] }
      return call.tables.record.update(id, { value: merged }).value
    },
  }),
  delete: operation<StubTables, Target>({
    effect: 'write',
    run: (call, target) => {
      const { id, value } = stored(call, target)
      call.tables.record.delete(id)
      return value
    },
  }),
  ...replayOperations,
}

/** Numbers count on from the greatest that was there; texts are drawn. */
const freshId = (call: Call<StubTables>, { route, collection }: Omit<Target, 'record'>): string | number => {
  const place = `${route.service} ${collection}`
  if (!route.isNumberId) return call.draw(place).slice(0, 16)
  const seeded = [...call.tables.record.find('collection', place)].map(({ value }) =>
    Number(value[route.idField]),
  )
  const greatest = Math.max(0, ...seeded.filter(Number.isSafeInteger))
  for (;;) {
    const next = call.sequence(place)
    if (next > greatest) return next
  }
}

/** JSON merge patch (RFC 7396): objects are merged, and null removes a field. */
const mergePatch = (target: unknown, patch: Json): Json => {
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else if (isRecord(value)) merged[name] = mergePatch(merged[name], value)
    else merged[name] = value
  }
  return merged
}
