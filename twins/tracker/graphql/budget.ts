import { tooComplex } from '../shapes/refusals.ts'

/** The key under which a root field hands the budget of its request to the operation that it calls. */
export const budgetKey = Symbol('budget')

const baseRows = 100_000
const maxCharacters = 8_000_000
/** Texts shorter than this are paid for by the complexity of the query. */
const longText = 256

/**
 * What one request may cost beyond the complexity of its document: rows that filters and lists look at, and the
 * characters of its answer. The complexity counts what is asked for, which says nothing about a filter that follows
 * relations, or about texts of a megabyte. One scan of the whole workspace always fits.
 */
export class Budget {
  #rows: number
  #characters = maxCharacters
  #exhausted = false

  constructor(workspaceRows: number) {
    this.#rows = baseRows + 2 * workspaceRows
  }

  /** Once true, the answer is refused as a whole and what is left of it need not be computed. */
  get exhausted(): boolean {
    return this.#exhausted
  }

  /** Charges for rows looked at; throws the vendor's refusal once nothing is left. */
  spendRows(count: number): void {
    this.#rows -= count
    if (this.#rows < 0) this.#exhaust()
  }

  /** Charges for a long text in the answer, or one that a filter searches. */
  spendText(value: unknown): void {
    if (typeof value !== 'string' || value.length < longText) return
    this.#characters -= value.length
    if (this.#characters < 0) this.#exhaust()
  }

  #exhaust(): void {
    this.#exhausted = true
    throw tooComplex('It looks at more records, or answers with more text, than one query may.')
  }
}

/** The budget that a root field handed over with its arguments. */
export const budgetOf = (args: object): Budget | undefined => {
  const held: unknown = Reflect.get(args, budgetKey)
  return held instanceof Budget ? held : undefined
}
