import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { add, compareDecimals, negate } from '@diorama/twin-kit/wires/odata/values/decimals'
import { erase, rowAt, save, text } from '../access.ts'
import { internalUnit, isoUnit } from '../codes.ts'
import {
  adjustPromised,
  type Confirmation,
  confirm,
  isChecked,
  orderItemKey,
  promisedTo,
  promisedTotal,
} from './availability.ts'
import { linesOf } from './order-changes.ts'

const set = 'A_SalesOrderScheduleLine'
const read = (line: EdmValues, name: string): string => text(set, line, name)
const delivered = (line: EdmValues): string => read(line, 'DeliveredQtyInOrderQtyUnit')
const isZero = (quantity: string): boolean => compareDecimals(quantity, '0') === 0
const sumOf = (lines: readonly EdmValues[], name: string): string =>
  lines.reduce((sum, line) => add(sum, read(line, name)), '0')

/**
 * Schedules an item again: what has been delivered keeps its line and its dates, and the rest is confirmed against
 * stock and receipts for the requested day.
 */
export const reschedule = (call: Call, item: EdmRow, requested: string | null): void => {
  const of = (name: string) => text('A_SalesOrderItem', item, name)
  // The sum of all promises is taken while this item's own are still part of it.
  promisedTotal(call, of('Material'), of('ProductionPlant'))
  const own = promisedTo(call, item)
  scheduleAgain(call, item, requested, own)
  adjustPromised(call, item, add(promisedTo(call, item), negate(own)))
}

const scheduleAgain = (call: Call, item: EdmRow, requested: string | null, own: string): void => {
  const lines = linesOf(call, item)
  const kept = lines.filter((line) => !isZero(delivered(line)))
  const total = text('A_SalesOrderItem', item, 'RequestedQuantity')
  const open = add(total, negate(sumOf(kept, 'DeliveredQtyInOrderQtyUnit')))
  for (const line of lines) if (isZero(delivered(line))) erase(call, set, line)
  // The date has not moved: the rest stays on the line that has been delivered in part.
  const same = kept.find((line) => read(line, 'RequestedDeliveryDate') === (requested ?? ''))
  for (const line of kept) freeze(call, line)
  if (isZero(open) && kept.length > 0) return
  const [first = { date: requested ?? '', quantity: open }, ...later] = confirmations(call, item, {
    quantity: open,
    requested,
    own,
  })
  if (same) {
    const row = rowAt(call, set, same.id) ?? same
    save(call, set, {
      ...row,
      ScheduleLineOrderQuantity: add(delivered(row), open),
      CorrectedQtyInOrderQtyUnit: add(delivered(row), open),
      ConfdOrderQtyByMatlAvailCheck: add(delivered(row), first.quantity),
      OpenConfdDelivQtyInOrdQtyUnit: first.quantity,
    })
  } else addLine(call, item, { requested, ordered: open, confirmation: first })
  for (const confirmation of later) addLine(call, item, { requested, ordered: '0', confirmation })
}

/** A line holds no more than what was delivered of it. */
const freeze = (call: Call, line: EdmRow): void => {
  save(call, set, {
    ...line,
    ScheduleLineOrderQuantity: delivered(line),
    CorrectedQtyInOrderQtyUnit: delivered(line),
    ConfdOrderQtyByMatlAvailCheck: delivered(line),
    OpenConfdDelivQtyInOrdQtyUnit: '0',
  })
}

const confirmations = (
  call: Call,
  item: EdmRow,
  { quantity, requested, own }: { quantity: string; requested: string | null; own: string },
): readonly Confirmation[] => {
  const of = (name: string) => text('A_SalesOrderItem', item, name)
  const [material, plant] = [of('Material'), of('ProductionPlant')]
  if (of('SalesDocumentRjcnReason') !== '') return [{ date: requested ?? '', quantity: '0' }]
  if (!isChecked(call, material, plant)) return [{ date: requested ?? '', quantity }]
  return confirm(call, {
    material,
    plant,
    own,
    unit: of('RequestedQuantityUnit'),
    quantity,
    requested: requested ?? '',
  })
}

interface NewLine {
  readonly requested: string | null
  readonly ordered: string
  readonly confirmation: Confirmation
}

const addLine = (call: Call, item: EdmRow, { requested, ordered, confirmation }: NewLine): void => {
  const unit = text('A_SalesOrderItem', item, 'RequestedQuantityUnit')
  const numbers = linesOf(call, item).map((line) => Number(read(line, 'ScheduleLine')))
  const { date, quantity } = confirmation
  save(call, set, {
    ...orderItemKey(item),
    ScheduleLine: String(Math.max(0, ...numbers) + 1),
    RequestedDeliveryDate: requested,
    ConfirmedDeliveryDate: isZero(quantity) || date === '' ? null : date,
    OrderQuantityUnit: unit,
    OrderQuantitySAPUnit: internalUnit(unit),
    OrderQuantityISOUnit: isoUnit(unit),
    ScheduleLineOrderQuantity: ordered,
    CorrectedQtyInOrderQtyUnit: ordered,
    ConfdOrderQtyByMatlAvailCheck: quantity,
    OpenConfdDelivQtyInOrdQtyUnit: quantity,
  })
}

/** Whether everything that was ordered of an item is in deliveries. */
export const isDeliveredWhole = (call: Call, item: EdmRow): boolean =>
  compareDecimals(
    sumOf(linesOf(call, item), 'DeliveredQtyInOrderQtyUnit'),
    text('A_SalesOrderItem', item, 'RequestedQuantity'),
  ) >= 0

/** Confirmed quantity of an item over all its lines. */
export const confirmedOf = (call: Call, item: EdmRow): string =>
  sumOf(linesOf(call, item), 'ConfdOrderQtyByMatlAvailCheck')

/** Takes a quantity that went into a delivery from the open lines, the earliest first; a negative one is given back. */
export const countDelivered = (call: Call, item: EdmRow, quantity: string): void => {
  let left = quantity
  const back = compareDecimals(quantity, '0') < 0
  const lines = linesOf(call, item)
  for (const line of back ? lines.reverse() : lines) {
    if (isZero(left)) break
    const room = back ? negate(delivered(line)) : read(line, 'OpenConfdDelivQtyInOrdQtyUnit')
    const part = Math.abs(Number(room)) < Math.abs(Number(left)) ? room : left
    if (isZero(part)) continue
    save(call, set, {
      ...line,
      DeliveredQtyInOrderQtyUnit: add(delivered(line), part),
      OpenConfdDelivQtyInOrdQtyUnit: add(read(line, 'OpenConfdDelivQtyInOrdQtyUnit'), negate(part)),
    })
    left = add(left, negate(part))
  }
}
