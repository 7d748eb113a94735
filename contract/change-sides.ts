import type { DiffEntry } from './twins.ts'

/** What the agent and the world each did to one record; null for one that did not touch it. */
export interface ChangeSides extends Place {
  readonly agent: Side | null
  readonly world: Side | null
}
interface Side {
  readonly operation: DiffEntry['operation']
  readonly fields: readonly string[]
}

/** The part of a step that shows who changed what. */
export interface SidedStep {
  readonly service?: string | undefined
  /** What made the world do it on its own; null for a request that somebody made. */
  readonly cause?: string | null | undefined
  readonly mutations?: readonly SidedMutation[] | undefined
}

interface SidedMutation {
  readonly collection: string
  readonly id: string
  readonly operation?: 'create' | 'update' | 'delete'
  readonly before?: Readonly<Record<string, unknown>> | null
  readonly after?: Readonly<Record<string, unknown>> | null
}

type Place = Pick<DiffEntry, 'service' | 'collection' | 'id'>

export const placeOf = ({ service, collection, id }: Place): string => `${service} ${collection} ${id}`

/** Who did what to each record that the world has touched on its own; records that only the agent touched are left out. */
export const changeSides = (steps: readonly SidedStep[]): ChangeSides[] => {
  const worldTouched = new Set(
    steps.flatMap(({ service = '', cause = null, mutations = [] }) =>
      cause === null ? [] : mutations.map(({ collection, id }) => placeOf({ service, collection, id })),
    ),
  )
  if (worldTouched.size === 0) return []
  const touched = new Map<string, { place: Place; agent: SidedMutation[]; world: SidedMutation[] }>()
  for (const { service = '', cause = null, mutations = [] } of steps)
    for (const mutation of mutations) {
      const place = { service, collection: mutation.collection, id: mutation.id }
      const key = placeOf(place)
      if (!worldTouched.has(key)) continue
      const known = touched.get(key) ?? { place, agent: [], world: [] }
      touched.set(key, known)
      known[cause === null ? 'agent' : 'world'].push(mutation)
    }
  return [...touched.values()].map(({ place, agent, world }) => ({
    ...place,
    agent: sideOf(agent),
    world: sideOf(world),
  }))
}

/** Several changes of one side as one: what it did last to the record's being there, and every field it set. */
const sideOf = (mutations: readonly SidedMutation[]): Side | null => {
  if (mutations.length === 0) return null
  const lasting = mutations.findLast(({ operation = 'update' }) => operation !== 'update')
  const fields = new Set(mutations.flatMap(changedFields))
  return { operation: lasting?.operation ?? 'update', fields: [...fields] }
}

const changedFields = ({ before, after }: SidedMutation): string[] =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (field) => JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field]),
  )

/** The changes that one side made, of a difference from the seed. */
export const changesBy = (
  changes: readonly DiffEntry[],
  sides: readonly ChangeSides[],
  by: 'agent' | 'world',
): DiffEntry[] => {
  const known = new Map(sides.map((one) => [placeOf(one), one]))
  return changes.flatMap((change) => {
    const found = known.get(placeOf(change))
    if (!found) return by === 'agent' ? [change] : []
    const side = found[by]
    if (!side) return []
    const changed = Object.entries(change.changed).filter(([field]) => side.fields.includes(field))
    return [{ ...change, operation: side.operation, changed: Object.fromEntries(changed) }]
  })
}
