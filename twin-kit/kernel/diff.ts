import type { Row } from './table.ts'

/** A change is a value: whole rows before and after. */
export interface Change {
  readonly collection: string
  readonly id: string
  readonly operation: 'create' | 'update' | 'delete'
  readonly before: Row | null
  readonly after: Row | null
}
export type Changes = readonly Change[]

export const change = (collection: string, id: string, before: Row | null, after: Row | null): Change => ({
  collection,
  id,
  operation: before === null ? 'create' : after === null ? 'delete' : 'update',
  before,
  after,
})

/** The changes that take back these, in the order in which they must be applied. */
export const invert = (changes: Changes): Changes =>
  changes.map(({ collection, id, before, after }) => change(collection, id, after, before)).reverse()

/** Field by field, what differs between two rows; absent fields are shown as null. */
export const changedFields = (before: Row, after: Row): Record<string, [unknown, unknown]> => {
  const changed: Record<string, [unknown, unknown]> = {}
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)]))
    if (!sameJson(before[field], after[field])) changed[field] = [before[field] ?? null, after[field] ?? null]
  return changed
}

/** Equality of JSON values, where an absent field and an undefined one are the same. */
export const sameJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]))
  return sameFields(a as Row, b as Row)
}

const sameFields = (a: Row, b: Row): boolean => {
  let more = 0
  for (const value of Object.values(b)) if (value !== undefined) more++
  for (const [field, value] of Object.entries(a)) {
    if (value === undefined) continue
    if (!Object.hasOwn(b, field) || !sameJson(value, b[field])) return false
    more--
  }
  return more === 0
}
