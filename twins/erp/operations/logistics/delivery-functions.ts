import { type Call, type Operation, operation, type Tables } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { compareDecimals, divide } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf } from '@diorama/twin-kit/wires/odata/values/moments'
import { text } from '../../access.ts'
import { storageLocationOf } from '../../codes.ts'
import { checkPeriod } from '../../rules/accounting.ts'
import { toBaseUnit } from '../../rules/availability.ts'
import {
  checkNotIssued,
  deliveryAt,
  deliveryItemAt,
  deliveryItems,
  noteFlow,
  saveDelivery,
  saveDeliveryItem,
} from '../../rules/deliveries.ts'
import { type Movement, postMaterialDocument } from '../../rules/inventory.ts'
import { refusal } from '../../rules/messages.ts'
import { setQuantity } from './deliveries.ts'

const headers = 'A_OutbDeliveryHeader'
const items = 'A_OutbDeliveryItem'

interface Arguments {
  readonly DeliveryDocument: string
  readonly DeliveryDocumentItem: string
  readonly ActualDeliveryQuantity: string
  readonly ActualDeliveredQtyInBaseUnit: string
  readonly ActualGoodsMovementDate: string
}

const written = (run: (call: Call, input: Arguments) => EdmValues[]): Operation =>
  operation<Tables, Arguments, EdmValues[]>({ effect: 'write', run })

/** What a function says of each item that it worked on. */
const report = (rows: readonly EdmRow[]): EdmValues[] =>
  rows.map((row) => ({
    SystemMessageIdentification: 'VLA',
    SystemMessageNumber: '000',
    SystemMessageType: 'S',
    DeliveryDocument: text(items, row, 'DeliveryDocument'),
    DeliveryDocumentItem: text(items, row, 'DeliveryDocumentItem'),
    DeliveryDocumentItemText: text(items, row, 'DeliveryDocumentItemText'),
    Material: text(items, row, 'Material'),
    DeliveryQuantityUnit: text(items, row, 'DeliveryQuantityUnit'),
    ActualDeliveryQuantity: text(items, row, 'ActualDeliveryQuantity'),
  }))

/** Changes items of a delivery whose goods have not left, and works the delivery out again. */
const changeItems = (
  call: Call,
  number: string,
  change: (row: EdmRow) => EdmRow,
  only?: string,
): EdmValues[] => {
  const delivery = deliveryAt(call, number)
  checkNotIssued(delivery)
  const lines = only === undefined ? deliveryItems(call, number) : [deliveryItemAt(call, number, only)]
  const changed = lines.map(change)
  saveDelivery(call, deliveryAt(call, number))
  return report(changed)
}

const pick =
  (call: Call) =>
  (row: EdmRow): EdmRow =>
    saveDeliveryItem(call, { ...row, PickingStatus: 'C' })

const confirmPicking =
  (call: Call) =>
  (row: EdmRow): EdmRow => {
    if (text(items, row, 'PickingStatus') !== 'C')
      throw refusal('VL/611', [
        text(items, row, 'DeliveryDocumentItem'),
        text(items, row, 'DeliveryDocument'),
      ])
    return saveDeliveryItem(call, { ...row, PickingConfirmationStatus: 'C' })
  }

/** Picks less than a line holds: the line then holds no more. */
const pickQuantity = (call: Call, row: EdmRow, quantity: string): EdmRow => {
  const held = text(items, row, 'ActualDeliveryQuantity')
  if (compareDecimals(quantity, '0') <= 0 || compareDecimals(quantity, held) > 0)
    throw refusal('VL/612', [quantity, held], 'ActualDeliveryQuantity')
  return pick(call)(setQuantity(call, row, quantity))
}

const fromBase = (call: Call, row: EdmRow, quantity: string): string => {
  const one = toBaseUnit(call, text(items, row, 'Material'), text(items, row, 'DeliveryQuantityUnit'), '1')
  return one === '1' ? quantity : divide(quantity, one, 3)
}

const postGoodsIssue = (call: Call, number: string): EdmValues[] => {
  const delivery = deliveryAt(call, number)
  checkNotIssued(delivery)
  const block = text(headers, delivery, 'DeliveryBlockReason')
  if (block !== '') throw refusal('VL/604', [number, block])
  const lines = deliveryItems(call, number)
  if (lines.length === 0 || lines.some((line) => text(items, line, 'PickingStatus') !== 'C'))
    throw refusal('VL/609', [number])
  const today = dayOf(call.now)
  const document = postMaterialDocument(call, {
    code: '03',
    postingDate: today,
    header: { ReferenceDocument: number },
    movements: lines.map((line) => movementOf(line, '601')),
  })
  const issued = lines.map((line) => saveDeliveryItem(call, { ...line, GoodsMovementStatus: 'C' }))
  for (const [n, line] of issued.entries())
    noteFlow(call, {
      document: number,
      item: text(items, line, 'DeliveryDocumentItem'),
      category: 'J',
      next: String(document.MaterialDocument),
      nextItem: String(n + 1),
      nextCategory: 'R',
      quantity: text(items, line, 'ActualDeliveredQtyInBaseUnit'),
    })
  saveDelivery(call, { ...delivery, ActualGoodsMovementDate: today })
  return report(issued)
}

const movementOf = (line: EdmRow, type: string): Movement => {
  const of = (name: string) => text(items, line, name)
  return {
    type,
    material: of('Material'),
    plant: of('Plant'),
    storageLocation: of('StorageLocation') || storageLocationOf(of('Plant')),
    quantity: of('ActualDeliveryQuantity'),
    unit: of('DeliveryQuantityUnit'),
    details: {
      Delivery: of('DeliveryDocument'),
      DeliveryItem: of('DeliveryDocumentItem'),
      SalesOrder: of('ReferenceSDDocument'),
      SalesOrderItem: of('ReferenceSDDocumentItem'),
    },
  }
}

const reverseGoodsIssue = (
  call: Call,
  { DeliveryDocument, ActualGoodsMovementDate }: Arguments,
): EdmValues[] => {
  const delivery = deliveryAt(call, DeliveryDocument)
  if (text(headers, delivery, 'OverallGoodsMovementStatus') !== 'C')
    throw refusal('VL/603', [DeliveryDocument])
  if (!['', 'A'].includes(text(headers, delivery, 'OverallDelivReltdBillgStatus')))
    throw refusal('VL/610', [DeliveryDocument])
  const day = ActualGoodsMovementDate.slice(0, 10)
  checkPeriod(call, day, text(headers, delivery, 'SalesOrganization'))
  const lines = deliveryItems(call, DeliveryDocument)
  postMaterialDocument(call, {
    code: '03',
    postingDate: day,
    header: { ReferenceDocument: DeliveryDocument },
    movements: lines.map((line) => movementOf(line, '602')),
  })
  for (const line of lines) saveDeliveryItem(call, { ...line, GoodsMovementStatus: 'A' })
  saveDelivery(call, { ...delivery, ActualGoodsMovementDate: null })
  return lines.map((line) => ({
    SystemMessageIdentification: 'VLA',
    SystemMessageNumber: '000',
    SystemMessageType: 'S',
    DeliveryDocument,
    DeliveryDocumentItem: text(items, line, 'DeliveryDocumentItem'),
  }))
}

/** The functions of deliveries: picking, its confirmation, goods issue and its reversal. */
export const deliveryFunctions: Readonly<Record<string, Operation>> = {
  'POST PickAllItems': written((call, { DeliveryDocument }) =>
    changeItems(call, DeliveryDocument, pick(call)),
  ),
  'POST PickOneItem': written((call, { DeliveryDocument, DeliveryDocumentItem }) =>
    changeItems(call, DeliveryDocument, pick(call), DeliveryDocumentItem),
  ),
  'POST PickOneItemWithSalesQuantity': written((call, input) =>
    changeItems(
      call,
      input.DeliveryDocument,
      (row) => pickQuantity(call, row, input.ActualDeliveryQuantity),
      input.DeliveryDocumentItem,
    ),
  ),
  'POST PickOneItemWithBaseQuantity': written((call, input) =>
    changeItems(
      call,
      input.DeliveryDocument,
      (row) => pickQuantity(call, row, fromBase(call, row, input.ActualDeliveredQtyInBaseUnit)),
      input.DeliveryDocumentItem,
    ),
  ),
  'POST SetPickingQuantityWithBaseQuantity': written((call, input) =>
    changeItems(
      call,
      input.DeliveryDocument,
      (row) => pickQuantity(call, row, fromBase(call, row, input.ActualDeliveredQtyInBaseUnit)),
      input.DeliveryDocumentItem,
    ),
  ),
  'POST ConfirmPickingAllItems': written((call, { DeliveryDocument }) =>
    changeItems(call, DeliveryDocument, confirmPicking(call)),
  ),
  'POST ConfirmPickingOneItem': written((call, { DeliveryDocument, DeliveryDocumentItem }) =>
    changeItems(call, DeliveryDocument, confirmPicking(call), DeliveryDocumentItem),
  ),
  'POST PostGoodsIssue': written((call, { DeliveryDocument }) => postGoodsIssue(call, DeliveryDocument)),
  'POST ReverseGoodsIssue': written(reverseGoodsIssue),
}
