import type { Instance } from '@diorama/twin-kit/kernel/instance'
import type { Row } from '@diorama/twin-kit/kernel/table'
import { integration, type TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { withholdControl } from '@diorama/twin-kit/variations/withhold'
import type { PersonAction } from './protocol.ts'

/** The control by which a person does something on the service's own screens, and its input; undefined for the wire. */
export const actControl = (
  instance: Instance,
  { as, operation, input }: PersonAction,
): { readonly name: string; readonly input: unknown } | undefined => {
  const name = operation === withholdControl ? withholdControl : instance.twin.acts?.control?.(operation)
  return name === undefined
    ? undefined
    : { name, input: { type: operation, as, ...(resolved(instance, input) as Row) } }
}

/** The request by which a person does something: what their own client would send. */
export const actRequest = (
  instance: Instance,
  { as, operation, input }: PersonAction,
  now: number,
): TwinRequest => {
  const { acts, kind } = instance.twin
  if (!acts) throw new Error(`the people of a world cannot act in ${kind}`)
  const token = instance.principals.find(({ subject }) => subject === as)?.token ?? ''
  const act = { operation, input: resolved(instance, input) as Row, token, now }
  const request = acts.request(act, instance.tables)
  return { ...request, baseUrl: '' }
}

/**
 * Puts native ids in the place of references: `{"$key": …}` names a record of the blueprint, `{"$person": …}` a person,
 * `{"$latest": {collection, where, field}}` the newest record whose fields are as `where` says.
 */
const resolved = (instance: Instance, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => resolved(instance, item))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const [first] = entries
  if (entries.length === 1 && first) {
    const [name, named] = first
    if (name === '$key') return idOfKey(instance, String(named))
    if (name === '$person') return nativeIdOf(instance, String(named))
    if (name === '$latest') return latest(instance, named as LatestRecord)
  }
  return Object.fromEntries(entries.map(([name, item]) => [name, resolved(instance, item)]))
}

const idOfKey = ({ seed }: Instance, key: string): string =>
  seed.seed.keys.find((known) => known.key === key)?.id ?? ''

/** The integration is called the agent, as in conditions. */
const nativeIdOf = ({ twin, tables }: Instance, handle: string): string => {
  const wanted = handle === 'agent' ? integration : handle
  return twin.identities(tables).find(({ subject }) => subject === wanted)?.nativeId ?? ''
}

interface LatestRecord {
  readonly collection: string
  readonly where?: Readonly<Record<string, unknown>>
  readonly field?: string
}

const latest = (instance: Instance, { collection, where = {}, field }: LatestRecord): unknown => {
  const spec = instance.seed.tables[collection]?.spec
  const table = instance.tables[collection]
  if (!spec || !table || spec.internal) return ''
  const wanted = Object.entries(resolved(instance, where) as Row)
  let found: Row | undefined
  for (const row of table.all()) if (wanted.every(([name, value]) => row[name] === value)) found = row
  return found?.[field ?? spec.key] ?? ''
}
