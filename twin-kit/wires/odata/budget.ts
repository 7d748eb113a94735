import { fault } from './faults.ts'

/**
 * What one request may cost. Operations are synchronous, so a request that costs too much would hold up every other
 * caller of the process. A batch spends from one budget.
 */
export interface Budget {
  /** Counts fields that an answer writes. */
  readonly write: (fields: number) => void
  /** Whether a page has grown large enough to end here. */
  readonly isPageFull: () => boolean
  /** Starts the count of a page anew, for the next request of a batch. */
  readonly startPage: () => void
  /** Counts comparisons of a filter or a sort, before they are made. */
  readonly compare: (comparisons: number) => void
  /** Counts entities that a body asks to create or change. */
  readonly change: (entities: number) => void
}

export const maxFields = 400_000
export const maxPageFields = 50_000
export const maxComparisons = 250_000
export const maxChanges = 200

export const createBudget = (): Budget => {
  let [fields, page, comparisons, changes] = [0, 0, 0, 0]
  return {
    write: (count) => {
      fields += count
      page += count
      if (fields > maxFields) throw fault('too_large', { limit: maxFields, what: 'fields in one answer' })
    },
    isPageFull: () => page > maxPageFields,
    startPage: () => {
      page = 0
    },
    compare: (count) => {
      comparisons += count
      if (comparisons > maxComparisons)
        throw fault('too_large', { limit: maxComparisons, what: 'comparisons in one request' })
    },
    change: (count) => {
      changes += count
      if (changes > maxChanges)
        throw fault('too_large', { limit: maxChanges, what: 'changed entities in one request' })
    },
  }
}
