import { type Call, type Operation, operation, type Tables } from '@diorama/twin-kit/kernel/twin'
import { fault } from '@diorama/twin-kit/wires/odata/faults'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { add, compareDecimals, divide, multiply, negate } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf } from '@diorama/twin-kit/wires/odata/values/moments'
import type { Draft } from '@diorama/twin-kit/wires/odata/write/body'
import type { Behaviour, Writing } from '@diorama/twin-kit/wires/odata/write/operations'
import { rowAt, rowsWith, save, text } from '../../access.ts'
import { idPart, storageLocationOf } from '../../codes.ts'
import { checkEntry } from '../../customizing/check.ts'
import { movementTypes, otherMovementTypes } from '../../customizing/logistics.ts'
import { checkPeriod } from '../../rules/accounting.ts'
import { receivedOf } from '../../rules/availability.ts'
import { baseUnitOf, type Movement, postMaterialDocument, reverseItems } from '../../rules/inventory.ts'
import { refusal } from '../../rules/messages.ts'
import { checkMaterialInPlant, checkPlantCode } from '../../rules/organization.ts'
import { purchaseItemAt, purchaseOrderAt } from '../../rules/purchase-orders.ts'

const headers = 'A_MaterialDocumentHeader'
const items = 'A_MaterialDocumentItem'
const orderItems = 'A_PurchaseOrderItem'

const create = ({ call }: Writing, draft: Draft): EdmRow => {
  const of = (name: string) => text(headers, draft.values, name)
  const code = of('GoodsMovementCode')
  const lines = draft.children.get('to_MaterialDocumentItem') ?? []
  checkEntry(['01', '03', '04', '05'].includes(code), code || ' ', 'T158G', 'GoodsMovementCode')
  if (lines.length === 0) throw refusal('M7/018', ['an item'], 'to_MaterialDocumentItem')
  const postingDate = of('PostingDate') || dayOf(call.now)
  const movements: Movement[] = []
  // Items are checked one after the other, so that two of one document cannot take the same open quantity.
  const taken = new Map<string, string>()
  for (const { values } of lines) movements.push(movementFrom(call, code, values, taken))
  for (const plant of new Set(movements.map((each) => each.plant))) checkPeriod(call, postingDate, plant)
  const row = postMaterialDocument(call, { code, postingDate, header: draft.values, movements })
  for (const { values } of lines) completePurchase(call, values)
  return row
}

const movementFrom = (call: Call, code: string, values: EdmValues, taken: Map<string, string>): Movement => {
  const of = (name: string) => text(items, values, name)
  const type = of('GoodsMovementType')
  const known = movementTypes[type]
  if (otherMovementTypes.has(type)) throw fault('not_implemented', { name: `movement type ${type}` })
  checkEntry(known !== undefined, type || ' ', 'T156', 'GoodsMovementType')
  if (!known || known.code !== code) throw refusal('M7/101', [type, code], 'GoodsMovementType')
  if (known.needs !== undefined && of(known.needs) === '') throw refusal('M7/018', [known.needs], known.needs)
  if (compareDecimals(of('QuantityInEntryUnit'), '0') <= 0)
    throw refusal('M7/018', ['Quantity'], 'QuantityInEntryUnit')
  if (known.reference === 'purchase order') return purchaseMovement(call, type, values, taken)
  const [material, plant] = [of('Material'), of('Plant')]
  checkPlantCode(call, plant)
  checkMaterialInPlant(call, material, plant)
  const unit = of('EntryUnit') || baseUnitOf(call, material)
  checkUnit(call, material, unit)
  return {
    type,
    material,
    plant,
    storageLocation: locationOf(of('StorageLocation'), plant),
    quantity: of('QuantityInEntryUnit'),
    unit,
    details: values,
  }
}

const locationOf = (given: string, plant: string): string => {
  const known = [storageLocationOf(plant), `${plant.slice(0, 3)}B`, `${plant.slice(0, 3)}C`]
  checkEntry(known.includes(given), given, 'T001L', 'StorageLocation')
  return given || storageLocationOf(plant)
}

const checkUnit = (call: Call, material: string, unit: string): void => {
  if (!rowAt(call, 'A_ProductUnitsOfMeasure', `${idPart(material)}/${unit}`))
    throw refusal('V1/152', [unit, material], 'EntryUnit')
}

/** A receipt for a purchase order, or a return to its supplier. */
const purchaseMovement = (
  call: Call,
  type: string,
  values: EdmValues,
  taken: Map<string, string>,
): Movement => {
  const of = (name: string) => text(items, values, name)
  if (of('PurchaseOrder') === '') throw refusal('M7/018', ['Purchase Order'], 'PurchaseOrder')
  const order = purchaseOrderAt(call, of('PurchaseOrder'))
  const item = purchaseItemAt(call, of('PurchaseOrder'), of('PurchaseOrderItem'))
  const read = (name: string) => text(orderItems, item, name)
  const place = [read('PurchaseOrderItem'), read('PurchaseOrder')]
  if (read('PurchasingDocumentDeletionCode') !== '') throw refusal('06/027', place, 'PurchaseOrderItem')
  if (type === '101' && read('IsCompletelyDelivered') === 'true')
    throw refusal('06/028', place, 'PurchaseOrderItem')
  const unit = of('EntryUnit') || read('PurchaseOrderQuantityUnit')
  if (unit !== read('PurchaseOrderQuantityUnit'))
    throw refusal('V1/152', [unit, read('Material')], 'EntryUnit')
  const quantity = of('QuantityInEntryUnit')
  const received = add(receivedOf(call, item), taken.get(item.id) ?? '0')
  checkReceipt(type, item, { quantity, received, unit })
  taken.set(item.id, add(taken.get(item.id) ?? '0', type === '101' ? quantity : negate(quantity)))
  const per = read('NetPriceQuantity')
  return {
    type,
    material: read('Material'),
    plant: read('Plant'),
    storageLocation: locationOf(of('StorageLocation') || read('StorageLocation'), read('Plant')),
    quantity,
    unit,
    value: divide(multiply(read('NetPriceAmount'), quantity), compareDecimals(per, '0') > 0 ? per : '1', 2),
    details: {
      ...values,
      PurchaseOrder: read('PurchaseOrder'),
      PurchaseOrderItem: read('PurchaseOrderItem'),
      Supplier: text('A_PurchaseOrder', order, 'Supplier'),
      GoodsMovementRefDocType: 'B',
    },
  }
}

const checkReceipt = (
  type: string,
  item: EdmRow,
  { quantity, received, unit }: { quantity: string; received: string; unit: string },
): void => {
  const read = (name: string) => text(orderItems, item, name)
  if (type === '122') {
    if (compareDecimals(quantity, received) > 0)
      throw refusal('M7/022', [
        add(quantity, negate(received)),
        unit,
        read('PurchaseOrder'),
        read('PurchaseOrderItem'),
      ])
    return
  }
  if (read('UnlimitedOverdeliveryIsAllowed') === 'true') return
  const tolerance = multiply(multiply(read('OrderQuantity'), read('OverdelivTolrtdLmtRatioInPct')), '0.01')
  const most = add(read('OrderQuantity'), tolerance)
  const excess = add(add(received, quantity), negate(most))
  if (compareDecimals(excess, '0') > 0)
    throw refusal(
      'M7/022',
      [excess, unit, read('PurchaseOrder'), read('PurchaseOrderItem')],
      'QuantityInEntryUnit',
    )
}

/** An order item is complete when all of it has come, or when the receipt says so. */
const completePurchase = (call: Call, values: EdmValues): void => {
  const of = (name: string) => text(items, values, name)
  const item = rowAt(call, orderItems, `${of('PurchaseOrder')}/${of('PurchaseOrderItem')}`)
  if (!item) return
  const whole = compareDecimals(receivedOf(call, item), text(orderItems, item, 'OrderQuantity')) >= 0
  if (whole || of('IsCompletelyDelivered') === 'true')
    save(call, orderItems, { ...item, IsCompletelyDelivered: true })
}

export const materialDocumentBehaviour: Behaviour = { children: ['to_MaterialDocumentItem'], create }

interface CancelArguments {
  readonly MaterialDocumentYear: string
  readonly MaterialDocument: string
  readonly MaterialDocumentItem?: string
  /** Today when left out. */
  readonly PostingDate?: string
}

/** Takes a material document, or one item of it, back. */
const cancel = (call: Call, input: CancelArguments): EdmRow => {
  const { MaterialDocumentYear, MaterialDocument, MaterialDocumentItem, PostingDate } = input
  const header = rowAt(call, headers, `${MaterialDocumentYear}/${MaterialDocument}`)
  if (!header) throw refusal('M7/163', [MaterialDocument, MaterialDocumentYear], 'MaterialDocument')
  const lines = rowsWith(call, items, { MaterialDocumentYear, MaterialDocument }).filter(
    (row) =>
      (MaterialDocumentItem === undefined || row.MaterialDocumentItem === MaterialDocumentItem) &&
      text(items, row, 'GoodsMovementIsCancelled') !== 'true' &&
      text(items, row, 'ReversedMaterialDocument') === '' &&
      // What follows from another document is taken back there.
      text(items, row, 'Delivery') === '' &&
      text(items, row, 'IsAutomaticallyCreated') === '',
  )
  const [first] = lines
  if (!first) throw refusal('M7/162', [MaterialDocument], 'MaterialDocument')
  const postingDate = PostingDate?.slice(0, 10) ?? dayOf(call.now)
  checkPeriod(call, postingDate, text(items, first, 'Plant'))
  const reversed = reverseItems(call, { header, lines, postingDate })
  for (const row of lines) {
    const item = rowAt(call, orderItems, `${row.PurchaseOrder}/${row.PurchaseOrderItem}`)
    if (item) save(call, orderItems, { ...item, IsCompletelyDelivered: false })
  }
  return reversed
}

export const materialDocumentFunctions: Readonly<Record<string, Operation>> = {
  'POST API_MATERIAL_DOCUMENT_SRV/Cancel': operation<Tables, CancelArguments>({
    effect: 'write',
    run: cancel,
  }),
  'POST API_MATERIAL_DOCUMENT_SRV/CancelItem': operation<Tables, CancelArguments>({
    effect: 'write',
    run: (call, input) => {
      const header = cancel(call, input)
      const [first] = rowsWith(call, items, {
        MaterialDocumentYear: header.MaterialDocumentYear ?? '',
        MaterialDocument: header.MaterialDocument ?? '',
      })
      return first
    },
  }),
}
