import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { dayOf } from '@diorama/twin-kit/wires/odata/values/moments'
import { rowAt, rowsWith, save, text, userOf } from '../access.ts'
import { refusal } from './messages.ts'

const headers = 'A_OutbDeliveryHeader'
const items = 'A_OutbDeliveryItem'

export const deliveryAt = (call: Call, number: string): EdmRow => {
  const row = rowAt(call, headers, number)
  if (!row) throw refusal('VL/302', [number], 'DeliveryDocument')
  return row
}

export const deliveryItems = (call: Call, number: string): EdmRow[] =>
  rowsWith(call, items, { DeliveryDocument: number })

export const deliveryItemAt = (call: Call, number: string, item: string): EdmRow => {
  const row = rowAt(call, items, `${number}/${item}`)
  if (!row) throw refusal('VL/303', [item, number], 'DeliveryDocumentItem')
  return row
}

/** Refuses a change of a delivery whose goods have left. */
export const checkNotIssued = (delivery: EdmRow): void => {
  if (text(headers, delivery, 'OverallGoodsMovementStatus') === 'C')
    throw refusal('VL/602', [text(headers, delivery, 'DeliveryDocument')])
}

/** A, B or C, from the statuses of the items. */
export const overallOf = (statuses: readonly string[]): string => {
  const relevant = statuses.filter((status) => status !== '')
  if (relevant.length === 0) return ''
  if (relevant.every((status) => status === 'C')) return 'C'
  return relevant.every((status) => status === 'A') ? 'A' : 'B'
}

/** Keeps a delivery with its statuses worked out from its items, and a new version. */
export const saveDelivery = (call: Call, header: EdmValues): EdmRow => {
  const number = text(headers, header, 'DeliveryDocument')
  const lines = deliveryItems(call, number)
  const overall = (name: string) => overallOf(lines.map((line) => text(items, line, name)))
  const version = String(Number(text(headers, header, 'DeliveryVersion') || '0') + 1).padStart(4, '0')
  for (const line of lines) save(call, items, { ...line, DeliveryVersion: version })
  return save(call, headers, {
    ...header,
    DeliveryVersion: version,
    OverallPickingStatus: overall('PickingStatus'),
    OverallPickingConfStatus: overall('PickingConfirmationStatus'),
    OverallGoodsMovementStatus: overall('GoodsMovementStatus'),
    OverallDelivReltdBillgStatus: overall('DeliveryRelatedBillingStatus'),
    OverallSDProcessStatus: overall('SDProcessStatus'),
    LastChangeDate: dayOf(call.now),
    LastChangedByUser: userOf(call),
  })
}

/** Where an item stands: done when its goods have left and it is billed. */
export const processStatus = (item: EdmValues): string => {
  const of = (name: string) => text(items, item, name)
  const done = [of('GoodsMovementStatus'), of('DeliveryRelatedBillingStatus')].filter((each) => each !== '')
  if (done.every((each) => each === 'C')) return 'C'
  return of('PickingStatus') === 'A' && done.every((each) => each === 'A') ? 'A' : 'B'
}

export const saveDeliveryItem = (call: Call, item: EdmValues): EdmRow =>
  save(call, items, { ...item, SDProcessStatus: processStatus(item) })

export interface Flow {
  readonly document: string
  readonly item: string
  readonly category: string
  readonly next: string
  readonly nextItem: string
  readonly nextCategory: string
  readonly quantity: string
}

/** Notes that a document follows another: R goods movement, M invoice, N cancelled invoice. */
export const noteFlow = (call: Call, flow: Flow): void => {
  save(call, 'A_OutbDeliveryDocFlow', {
    PrecedingDocument: flow.document,
    PrecedingDocumentItem: flow.item,
    PrecedingDocumentCategory: flow.category,
    Subsequentdocument: flow.next,
    SubsequentDocumentItem: flow.nextItem,
    SubsequentDocumentCategory: flow.nextCategory,
    QuantityInBaseUnit: flow.quantity,
  })
}
