import type { Context } from '../context.ts'
import type { EntityRow } from '../rows.ts'

/** How a field is worked out from its row, where the row does not hold it. */
export type Field = (row: EntityRow, args: Readonly<Record<string, unknown>>, context: Context) => unknown
export type Fields = Readonly<Record<string, Field>>

/** A field that has the same value in every world, and one that a row may set. */
export const always =
  (value: unknown): Field =>
  () =>
    value

/** Fields that rows may hold, with what they are where nobody has set them. */
export const unless = (values: Readonly<Record<string, unknown>>): Fields =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]): [string, Field] => [name, (row) => row[name] ?? value]),
  )

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')
