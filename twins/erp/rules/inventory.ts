import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { add, compareDecimals, divide, multiply, negate } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf, timeOf } from '@diorama/twin-kit/wires/odata/values/moments'
import { nextNumber, rowAt, save, text, userOf } from '../access.ts'
import { defaults, idPart } from '../codes.ts'
import { type Account, type MovementType, movementTypes } from '../customizing/logistics.ts'
import { type Posting, postJournal } from './accounting.ts'
import { stockOf, toBaseUnit } from './availability.ts'
import { refusal } from './messages.ts'
import { stockKey } from './stock-key.ts'

const stock = 'A_MatlStkInAcctMod'
const items = 'A_MaterialDocumentItem'

/** One goods movement, in the unit that it was entered in. */
export interface Movement {
  readonly type: string
  readonly material: string
  readonly plant: string
  readonly storageLocation: string
  readonly quantity: string
  readonly unit: string
  /** What the goods are worth; from the material's valuation where it is left out. */
  readonly value?: string
  /** Other fields of the item of the material document. */
  readonly details?: EdmValues
}

export interface MaterialDocument {
  readonly code: string
  readonly postingDate: string
  readonly header?: EdmValues
  readonly movements: readonly Movement[]
}

const movementOf = (type: string): MovementType => {
  const found = movementTypes[type]
  if (!found) throw refusal('00/058', [type, 'T156'], 'GoodsMovementType')
  return found
}

/** Adds to a stock or takes from it; refused where it would fall below zero. */
const changeStock = (call: Call, movement: Movement, quantity: string): void => {
  const { material, plant, storageLocation } = movement
  const key = stockKey({ material, plant, storageLocation })
  const row = rowAt(call, stock, key.id)
  const held = row ? text(stock, row, 'MatlWrhsStkQtyInMatlBaseUnit') : '0'
  const left = add(held, quantity)
  const unit = baseUnitOf(call, material)
  if (compareDecimals(left, '0') < 0)
    throw refusal('M7/021', [negate(left), unit, material, plant, storageLocation], 'QuantityInEntryUnit')
  if (!rowAt(call, 'A_MaterialStock', idPart(material)))
    save(call, 'A_MaterialStock', { Material: material, MaterialBaseUnit: unit })
  save(call, stock, { ...(row ?? key.values), MaterialBaseUnit: unit, MatlWrhsStkQtyInMatlBaseUnit: left })
}

export const baseUnitOf = (call: Call, material: string): string => {
  const product = rowAt(call, 'A_Product', idPart(material))
  return product ? text('A_Product', product, 'BaseUnit') : ''
}

const valuation = (call: Call, material: string, plant: string): EdmRow | undefined =>
  rowAt(call, 'A_ProductValuation', `${idPart(material)}/${plant}/`)

/** What a quantity of the base unit is worth by the material's moving average. */
const worth = (call: Call, material: string, plant: string, quantity: string): string => {
  const row = valuation(call, material, plant)
  if (!row) return '0'
  const of = (name: string) => text('A_ProductValuation', row, name)
  const price = of('PriceDeterminationControl') === 'S' ? of('StandardPrice') : of('MovingAveragePrice')
  const per = of('PriceUnitQty')
  return divide(multiply(price, quantity), compareDecimals(per, '0') > 0 ? per : '1', 2)
}

/** A receipt moves the average price towards what it cost. */
const revalue = (call: Call, { material, plant }: Movement, quantity: string, value: string): void => {
  const row = valuation(call, material, plant)
  const before = add(stockOf(call, material, plant), negate(quantity))
  const held = compareDecimals(before, '0') > 0 ? worth(call, material, plant, before) : '0'
  const total = add(compareDecimals(before, '0') > 0 ? before : '0', quantity)
  if (row && text('A_ProductValuation', row, 'PriceDeterminationControl') === 'S') return
  if (compareDecimals(total, '0') <= 0) return
  save(call, 'A_ProductValuation', {
    Product: material,
    ValuationArea: plant,
    ValuationType: '',
    ValuationClass: '3100',
    PriceDeterminationControl: 'V',
    PriceUnitQty: '1',
    BaseUnit: baseUnitOf(call, material),
    Currency: defaults.currency,
    ...row,
    MovingAveragePrice: divide(add(held, value), total, 2),
  })
}

const offsets: Readonly<Record<string, Account>> = {
  '101': 'goodsReceived',
  '102': 'goodsReceived',
  '122': 'goodsReceived',
  '123': 'goodsReceived',
  '201': 'consumption',
  '202': 'consumption',
  '551': 'scrap',
  '552': 'scrap',
  '601': 'costOfGoods',
  '602': 'costOfGoods',
}

/** Posts a material document: its items, the stocks that they move, and the journal entry of their value. */
export const postMaterialDocument = (call: Call, document: MaterialDocument): EdmRow => {
  const { code, postingDate, header, movements } = document
  const isIssue = movements.every(({ type }) => movementOf(type).direction !== 'in')
  const key = {
    MaterialDocumentYear: postingDate.slice(0, 4),
    MaterialDocument: nextNumber(call, isIssue ? 'goods_issue' : 'goods_receipt'),
  }
  const row = save(call, 'A_MaterialDocumentHeader', {
    DocumentDate: postingDate,
    ...header,
    ...key,
    GoodsMovementCode: code,
    InventoryTransactionType: isIssue ? 'WA' : 'WE',
    PostingDate: postingDate,
    CreationDate: dayOf(call.now),
    CreationTime: timeOf(call.now),
    CreatedByUser: userOf(call),
  })
  const postings: Posting[] = []
  let line = 0
  for (const movement of movements) {
    line += 1
    postings.push(...postMovement(call, movement, { ...key, MaterialDocumentItem: String(line) }))
    if (movementOf(movement.type).direction === 'transfer') line += 1
  }
  const [first] = movements
  if (postings.length > 0 && first)
    postJournal(call, { company: first.plant, postingDate, currency: defaults.currency, postings })
  return row
}

const postMovement = (call: Call, movement: Movement, key: EdmValues): Posting[] => {
  const { direction } = movementOf(movement.type)
  const { material, plant, unit, quantity } = movement
  const base = toBaseUnit(call, material, unit, quantity)
  const signed = direction === 'in' ? base : negate(base)
  const line = {
    ...movement.details,
    ...key,
    Material: material,
    Plant: plant,
    StorageLocation: movement.storageLocation,
    GoodsMovementType: movement.type,
    InventoryStockType: '01',
    EntryUnit: unit,
    QuantityInEntryUnit: quantity,
    MaterialBaseUnit: baseUnitOf(call, material),
    QuantityInBaseUnit: base,
    DebitCreditCode: direction === 'in' ? 'S' : 'H',
  }
  if (direction === 'transfer') return transfer(call, movement, base, line)
  changeStock(call, movement, signed)
  const value = movement.value ?? worth(call, material, plant, base)
  if (direction === 'in' && movement.value !== undefined) revalue(call, movement, base, movement.value)
  save(call, items, { ...line, CompanyCodeCurrency: defaults.currency, GdsMvtExtAmtInCoCodeCrcy: value })
  const amount = direction === 'in' ? value : negate(value)
  const details = { Plant: plant, SoldMaterial: material }
  return [
    { account: 'inventory', amount, details },
    { account: offsets[movement.type] ?? 'stockGain', amount: negate(amount), details },
  ]
}

/** Goods leave one storage location and arrive in another of the same plant: two items, and no value moves. */
const transfer = (call: Call, movement: Movement, base: string, line: EdmValues): Posting[] => {
  const target = String(movement.details?.IssuingOrReceivingStorageLoc ?? '')
  changeStock(call, movement, negate(base))
  changeStock(call, { ...movement, storageLocation: target }, base)
  save(call, items, line)
  save(call, items, {
    ...line,
    MaterialDocumentItem: String(Number(line.MaterialDocumentItem) + 1),
    StorageLocation: target,
    IssuingOrReceivingStorageLoc: movement.storageLocation,
    DebitCreditCode: 'S',
    IsAutomaticallyCreated: 'X',
  })
  return []
}

export interface Reversal {
  readonly header: EdmRow
  readonly lines: readonly EdmRow[]
  readonly postingDate: string
}

/** Takes items of a material document back by the opposite movements. */
export const reverseItems = (call: Call, { header, lines, postingDate }: Reversal): EdmRow => {
  const of = (row: EdmRow, name: string) => text(items, row, name)
  const movements = lines.map((row): Movement => {
    const value = of(row, 'GdsMvtExtAmtInCoCodeCrcy')
    return {
      type: movementOf(of(row, 'GoodsMovementType')).reversal,
      material: of(row, 'Material'),
      plant: of(row, 'Plant'),
      storageLocation: of(row, 'StorageLocation'),
      quantity: of(row, 'QuantityInEntryUnit'),
      unit: of(row, 'EntryUnit'),
      ...(compareDecimals(value, '0') === 0 ? {} : { value }),
      details: {
        ...referencesOf(row),
        ReversedMaterialDocumentYear: of(row, 'MaterialDocumentYear'),
        ReversedMaterialDocument: of(row, 'MaterialDocument'),
        ReversedMaterialDocumentItem: of(row, 'MaterialDocumentItem'),
      },
    }
  })
  for (const row of lines) save(call, items, { ...row, GoodsMovementIsCancelled: true })
  return postMaterialDocument(call, {
    code: text('A_MaterialDocumentHeader', header, 'GoodsMovementCode'),
    postingDate,
    movements,
  })
}

const references = [
  'PurchaseOrder',
  'PurchaseOrderItem',
  'Delivery',
  'DeliveryItem',
  'SalesOrder',
  'SalesOrderItem',
  'Supplier',
  'Customer',
  'CostCenter',
  'IssuingOrReceivingStorageLoc',
]

const referencesOf = (row: EdmRow): EdmValues =>
  Object.fromEntries(references.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]])))
