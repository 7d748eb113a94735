import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Scope } from './bind.ts'
import { type Operand, operandOf } from './operands.ts'
import { refuseAt } from './syntax/refuse.ts'
import type { OrderItem } from './syntax/tree.ts'

export interface Order {
  readonly descending: boolean
  readonly nullsLast: boolean
}

/** Compares two sort keys: nothing comes first unless asked otherwise. */
export const compareKeys = (a: unknown, b: unknown, order: Order): number => {
  const [aNull, bNull] = [a === null || a === undefined, b === null || b === undefined]
  if (aNull || bNull) return aNull === bNull ? 0 : aNull === order.nullsLast ? 1 : -1
  const compared = compareHeld(a, b)
  return order.descending ? -compared : compared
}

const compareHeld = (a: unknown, b: unknown): number => {
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  if (typeof a === 'string' || typeof b === 'string') return typeof a === 'string' ? 1 : -1
  return Number(a) - Number(b)
}

/** A value as it sorts: text by its capitals, so without regard to case. */
export const plainKey = (value: unknown): unknown =>
  typeof value === 'string' ? value.toUpperCase() : (value ?? null)

/** How the values of an operand sort: choices by their place in the list, others after them; ids letter by letter. */
export const sortKeyOf = ({
  kind,
  bound,
}: Pick<Operand, 'kind' | 'bound'>): ((value: unknown) => unknown) => {
  if (kind === 'id') return (value) => value ?? null
  const field = bound?.field
  if (field?.type !== 'picklist' || field.picklist.length === 0) return plainKey
  const places = new Map(field.picklist.map((choice, at) => [choice, at]))
  return (value) => (typeof value === 'string' ? places.get(value) : undefined) ?? plainKey(value)
}

/** Sorts rows as ORDER BY says; rows that are equal there keep their places. */
export const sortRows = (scope: Scope, items: readonly OrderItem[], rows: readonly Row[]): Row[] => {
  const orders = ordersOf(scope, items)
  const decorated = rows.map((row) => ({
    row,
    values: orders.map(({ read, key }) => key(read(row))),
  }))
  decorated.sort((a, b) => {
    for (const [at, { order }] of orders.entries()) {
      const compared = compareKeys(a.values[at], b.values[at], order)
      if (compared !== 0) return compared
    }
    return 0
  })
  return decorated.map(({ row }) => row)
}

/** Binds ORDER BY, so that what is wrong with it is refused even where there is nothing to sort. */
export const ordersOf = (scope: Scope, items: readonly OrderItem[]) =>
  items.map((item) => {
    const operand = operandOf(scope, item.by)
    const field = operand.bound?.field
    if (field && !field.sortable)
      throw refuseAt(
        scope.text,
        operand.at,
        'INVALID_FIELD',
        `field '${field.name}' can not be sorted in a query call`,
      )
    return { read: operand.read, key: sortKeyOf(operand), order: item satisfies Order }
  })
