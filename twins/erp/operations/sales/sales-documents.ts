import type { Call } from '@diorama/twin-kit/kernel/twin'
import { fault } from '@diorama/twin-kit/wires/odata/faults'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { add, compareDecimals, round } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf, isoOf } from '@diorama/twin-kit/wires/odata/values/moments'
import type { Draft } from '@diorama/twin-kit/wires/odata/write/body'
import type { Behaviour, Behaviours, Writing } from '@diorama/twin-kit/wires/odata/write/operations'
import { erase, type NumberRange, nextNumber, rowAt, rowsWith, save, text, userOf } from '../../access.ts'
import { decimalsOfCurrency, defaults, idPart, orderPartners } from '../../codes.ts'
import { checkCodes } from '../../customizing/check.ts'
import { codedFields } from '../../customizing/coded-fields.ts'
import { isPriceType } from '../../customizing/pricing.ts'
import { salesDocumentTypes } from '../../customizing/sales.ts'
import { refusal, warning } from '../../rules/messages.ts'
import { priceElement, withoutEmpty } from '../../rules/order-values.ts'
import { materialText } from '../../rules/organization.ts'
import {
  areaOf,
  checkOrderBlocks,
  checkParty,
  customerArea,
  proposedParties,
} from '../../rules/partner-checks.ts'
import {
  addCondition,
  changeCondition,
  conditionsOf,
  hasPrice,
  type PricedItem,
  pricingStamp,
  recordedPrice,
  reprice,
} from '../../rules/pricing.ts'

/** Quotations and returns: documents that are like orders, by the names of their sets and fields. */
export interface DocumentKind {
  readonly header: string
  readonly item: string
  readonly partner: string
  readonly itemPartner: string
  readonly conditions: string
  readonly headerConditions: string
  readonly text: string
  readonly itemText: string
  /** The field that is the document's number, and the one that is the item's. */
  readonly key: string
  readonly itemKey: string
  readonly typeField: string
  readonly dateField: string
  readonly itemCategoryField: string
  readonly itemTextField: string
  readonly plantField: string
  readonly category: 'B' | 'H'
  readonly defaultType: string
  readonly range: NumberRange
  /** Refuses a header, or lays more over it. */
  readonly settleHeader: (call: Call, header: EdmValues) => EdmValues
  /** Refuses an item, or lays more over it. */
  readonly settleItem: (call: Call, header: EdmRow, item: EdmValues) => EdmValues
  /** What follows the document already, so that it cannot be deleted. */
  readonly isUsed: (call: Call, number: string) => boolean
}

const itemsOf = (call: Call, kind: DocumentKind, number: string): EdmRow[] =>
  rowsWith(call, kind.item, { [kind.key]: number })

const documentAt = (call: Call, kind: DocumentKind, number: string): EdmRow => {
  const row = rowAt(call, kind.header, number)
  if (!row) throw refusal('V1/302', [number])
  return row
}

const pricedItemOf = (kind: DocumentKind, item: EdmValues): PricedItem => {
  const of = (name: string) => text(kind.item, item, name)
  return {
    set: kind.conditions,
    keys: { [kind.key]: of(kind.key), [kind.itemKey]: of(kind.itemKey) },
    item: of(kind.itemKey),
    material: of('Material'),
    quantity: of('RequestedQuantity'),
    unit: of('RequestedQuantityUnit'),
    currency: of('TransactionCurrency'),
  }
}

/** Keeps a header with its total, its statuses and a new version. */
export const saveDocument = (call: Call, kind: DocumentKind, header: EdmValues): EdmRow => {
  const items = itemsOf(call, kind, text(kind.header, header, kind.key))
  const of = (row: EdmRow, name: string) => text(kind.item, row, name)
  const live = items.filter((row) => of(row, 'SalesDocumentRjcnReason') === '')
  const currency = text(kind.header, header, 'TransactionCurrency')
  const statuses = items.map((row) => of(row, 'SDProcessStatus'))
  const before = Date.parse(text(kind.header, header, 'LastChangeDateTime'))
  const rejection = live.length === items.length ? 'A' : live.length === 0 ? 'C' : 'B'
  const done = statuses.length > 0 && statuses.every((status) => status === 'C')
  return save(call, kind.header, {
    ...header,
    TotalNetAmount: round(
      live.reduce((sum, row) => add(sum, of(row, 'NetAmount')), '0'),
      decimalsOfCurrency(currency),
    ),
    OverallSDProcessStatus: done ? 'C' : statuses.every((status) => status === 'A') ? 'A' : 'B',
    OverallSDDocumentRejectionSts: rejection,
    LastChangeDate: dayOf(call.now),
    LastChangeDateTime: isoOf(Number.isNaN(before) ? call.now : Math.max(call.now, before + 1)),
  })
}

const checkType = (kind: DocumentKind, type: string): void => {
  if (salesDocumentTypes[type]?.category !== kind.category) throw refusal('V1/555', [type], kind.typeField)
}

const create = (writing: Writing, draft: Draft, kind: DocumentKind): EdmRow => {
  const { call } = writing
  const type = text(kind.header, draft.values, kind.typeField) || kind.defaultType
  checkType(kind, type)
  const place = areaOf(kind.header, draft.values)
  const soldTo = text(kind.header, draft.values, 'SoldToParty')
  const area = customerArea(call, soldTo, place)
  checkOrderBlocks(call, soldTo, place, 'SoldToParty')
  const of = (name: string) => text('A_CustomerSalesArea', area, name)
  const today = dayOf(call.now)
  const values: EdmValues = {
    ShippingCondition: of('ShippingCondition'),
    CustomerPaymentTerms: of('CustomerPaymentTerms'),
    IncotermsClassification: of('IncotermsClassification'),
    [kind.dateField]: today,
    PricingDate: today,
    RequestedDeliveryDate: today,
    ...withoutEmpty(draft.values),
    TransactionCurrency:
      text(kind.header, draft.values, 'TransactionCurrency') || of('Currency') || defaults.currency,
    [kind.key]: nextNumber(call, kind.range),
    [kind.typeField]: type,
    CreationDate: today,
    CreatedByUser: userOf(call),
    LastChangeDateTime: isoOf(call.now),
  }
  const header = save(call, kind.header, { ...values, ...kind.settleHeader(call, values) })
  const number = String(header[kind.key])
  for (const [PartnerFunction, Customer] of proposedParties(call, soldTo, place))
    save(call, kind.partner, { [kind.key]: number, PartnerFunction, Customer })
  for (const { values: party } of draft.children.get('to_Partner') ?? []) {
    checkParty(call, kind.partner, party)
    save(call, kind.partner, { ...party, [kind.key]: number })
  }
  for (const { values: note } of draft.children.get('to_Text') ?? [])
    save(call, kind.text, { Language: defaults.language, LongTextID: 'TX01', ...note, [kind.key]: number })
  for (const item of draft.children.get('to_Item') ?? []) createItem(writing, item, kind, header)
  return saveDocument(call, kind, header)
}

const createItem = (writing: Writing, draft: Draft, kind: DocumentKind, header: EdmRow): EdmRow => {
  const { call, notify } = writing
  const number = text(kind.header, header, kind.key)
  checkCodes(draft.values, codedFields[kind.item] ?? {})
  const taken = itemsOf(call, kind, number).map((row) => Number(text(kind.item, row, kind.itemKey)))
  const given = text(kind.item, draft.values, kind.itemKey)
  if (given !== '0' && taken.includes(Number(given))) throw refusal('V1/204', [given], kind.itemKey)
  const proposed = { ...kind.settleItem(call, header, draft.values), ...withoutEmpty(draft.values) }
  const values: EdmValues = {
    ...itemDefaults(call, kind, header, proposed),
    ...proposed,
    [kind.key]: number,
    [kind.itemKey]: given !== '0' ? given : String(Math.floor(Math.max(0, ...taken) / 10) * 10 + 10),
    TransactionCurrency: text(kind.header, header, 'TransactionCurrency'),
    SDProcessStatus: 'A',
  }
  checkQuantity(call, kind, values)
  const row = save(call, kind.item, values)
  const priced = pricedItemOf(kind, row)
  const record = recordedPrice(call, priced.material, priced.currency)
  if (record) save(call, kind.conditions, { ...conditionFor(priced, record, pricingStamp(call)) })
  for (const { values: condition } of draft.children.get('to_PricingElement') ?? [])
    addCondition(call, priced, condition)
  if (!hasPrice(call, priced)) notify(warning('V1/392', [priced.item]))
  for (const { values: party } of draft.children.get('to_Partner') ?? []) {
    checkParty(call, kind.itemPartner, party)
    save(call, kind.itemPartner, { ...party, ...priced.keys })
  }
  for (const { values: note } of draft.children.get('to_Text') ?? [])
    save(call, kind.itemText, { Language: defaults.language, LongTextID: '0001', ...note, ...priced.keys })
  return settle(call, kind, row)
}

/** An automatic price, with the names that conditions of orders have; the key is the document's own. */
const conditionFor = (
  priced: PricedItem,
  record: Parameters<typeof priceElement>[1],
  at: string,
): EdmValues => {
  const element = priceElement(
    {
      RequestedQuantity: priced.quantity,
      RequestedQuantityUnit: priced.unit,
      TransactionCurrency: priced.currency,
    },
    record,
    at,
  )
  const { SalesOrder: _, SalesOrderItem: __, ...condition } = element
  return { ...condition, ...priced.keys }
}

const itemDefaults = (call: Call, kind: DocumentKind, header: EdmRow, values: EdmValues): EdmValues => {
  const material = text(kind.item, values, 'Material')
  if (material === '') throw refusal('V1/311', [], 'Material')
  const of = (name: string) => text(kind.header, header, name)
  const area = [of('SalesOrganization'), of('DistributionChannel')]
  const product = rowAt(call, 'A_Product', idPart(material))
  if (!product || !rowAt(call, 'A_ProductSalesDelivery', [idPart(material), ...area].join('/')))
    throw refusal('V1/382', [material, ...area, defaults.language], 'Material')
  const type = salesDocumentTypes[of(kind.typeField)]
  return {
    [kind.itemCategoryField]: type?.itemCategory ?? '',
    [kind.itemTextField]: materialText(call, material),
    [kind.plantField]: of('SalesOrganization'),
    MaterialGroup: text('A_Product', product, 'ProductGroup'),
    RequestedQuantityUnit: text('A_Product', product, 'BaseUnit'),
    CustomerPaymentTerms: of('CustomerPaymentTerms'),
    IncotermsClassification: of('IncotermsClassification'),
    PurchaseOrderByCustomer: of('PurchaseOrderByCustomer'),
  }
}

const checkQuantity = (call: Call, kind: DocumentKind, item: EdmValues): void => {
  const of = (name: string) => text(kind.item, item, name)
  if (compareDecimals(of('RequestedQuantity'), '0') < 0) throw refusal('V1/122', [], 'RequestedQuantity')
  const unit = of('RequestedQuantityUnit')
  if (!rowAt(call, 'A_ProductUnitsOfMeasure', `${idPart(of('Material'))}/${unit}`))
    throw refusal('V1/152', [unit, of('Material')], 'RequestedQuantityUnit')
}

/** Keeps an item with its net value worked out again. */
const settle = (call: Call, kind: DocumentKind, item: EdmRow): EdmRow => {
  const rejected = text(kind.item, item, 'SalesDocumentRjcnReason') !== ''
  const status = rejected ? 'C' : text(kind.item, item, 'SDProcessStatus') || 'A'
  return save(call, kind.item, {
    ...item,
    NetAmount: reprice(call, pricedItemOf(kind, item)),
    SDProcessStatus: status,
  })
}

const touch = (call: Call, kind: DocumentKind, number: string): void => {
  saveDocument(call, kind, documentAt(call, kind, number))
}

const headerBehaviour = (kind: DocumentKind): Behaviour => ({
  children: ['to_Item', 'to_Partner', 'to_Text'],
  create: (writing, draft) => create(writing, draft, kind),
  update: ({ call }, before, change) => {
    const header = { ...before, ...change }
    const changed = (name: string) => text(kind.header, header, name) !== text(kind.header, before, name)
    const number = text(kind.header, before, kind.key)
    if (changed(kind.typeField)) checkType(kind, text(kind.header, header, kind.typeField))
    if (['SoldToParty', 'SalesOrganization', 'DistributionChannel', 'OrganizationDivision'].some(changed))
      throw refusal('V1/128', [number], 'SoldToParty')
    if (changed('TransactionCurrency') && itemsOf(call, kind, number).length > 0)
      throw refusal(
        'SG/105',
        [
          text(kind.header, before, 'TransactionCurrency'),
          text(kind.header, header, 'TransactionCurrency'),
          dayOf(call.now),
        ],
        'TransactionCurrency',
      )
    return saveDocument(call, kind, { ...header, ...kind.settleHeader(call, header) })
  },
  remove: ({ call }, header) => {
    const number = text(kind.header, header, kind.key)
    if (kind.isUsed(call, number)) throw refusal('V1/606', [number])
    for (const item of itemsOf(call, kind, number)) eraseItem(call, kind, item)
    for (const set of [kind.partner, kind.headerConditions, kind.text])
      for (const row of rowsWith(call, set, { [kind.key]: number })) erase(call, set, row)
    erase(call, kind.header, header)
  },
})

const eraseItem = (call: Call, kind: DocumentKind, item: EdmRow): void => {
  const { keys } = pricedItemOf(kind, item)
  for (const set of [kind.conditions, kind.itemPartner, kind.itemText])
    for (const row of rowsWith(call, set, keys)) erase(call, set, row)
  erase(call, kind.item, item)
}

const itemBehaviour = (kind: DocumentKind): Behaviour => ({
  children: ['to_Partner', 'to_PricingElement', 'to_Text'],
  create: (writing, draft, above) => {
    const number = String(above[kind.key] ?? draft.values[kind.key] ?? '')
    if (number === '') throw fault('missing_element', { property: kind.key, type: `${kind.item}Type` })
    const row = createItem(writing, draft, kind, documentAt(writing.call, kind, number))
    touch(writing.call, kind, number)
    return row
  },
  update: ({ call }, before, change) => {
    const item = { ...before, ...change }
    const number = text(kind.item, before, kind.key)
    if (text(kind.item, item, 'Material') !== text(kind.item, before, 'Material'))
      throw refusal('V1/123', [text(kind.item, before, kind.itemKey)], 'Material')
    checkQuantity(call, kind, item)
    kind.settleItem(call, documentAt(call, kind, number), item)
    const row = settle(call, kind, save(call, kind.item, item))
    touch(call, kind, number)
    return row
  },
  remove: ({ call }, item) => {
    const number = text(kind.item, item, kind.key)
    if (kind.isUsed(call, number)) throw refusal('V1/606', [number])
    eraseItem(call, kind, item)
    touch(call, kind, number)
  },
})

const conditionBehaviour = (kind: DocumentKind): Behaviour => {
  const itemOf = (call: Call, values: EdmValues): EdmRow => {
    const id = `${values[kind.key]}/${values[kind.itemKey]}`
    const item = rowAt(call, kind.item, id)
    if (!item) throw refusal('V1/045', [String(values[kind.itemKey]), String(values[kind.key])])
    return item
  }
  const resettle = (call: Call, item: EdmRow) => {
    settle(call, kind, item)
    touch(call, kind, text(kind.item, item, kind.key))
  }
  return {
    create: ({ call }, draft, above) => {
      const values = { ...draft.values, ...above }
      const item = itemOf(call, values)
      const row = addCondition(call, pricedItemOf(kind, item), values)
      resettle(call, item)
      return rowAt(call, kind.conditions, row.id) ?? row
    },
    update: ({ call }, row, change) => {
      const item = itemOf(call, row)
      const saved = changeCondition(call, pricedItemOf(kind, item), row, change)
      resettle(call, item)
      return rowAt(call, kind.conditions, saved.id) ?? saved
    },
    remove: ({ call }, row) => {
      const item = itemOf(call, row)
      const others = conditionsOf(call, pricedItemOf(kind, item)).filter(({ id }) => id !== row.id)
      const type = text(kind.conditions, row, 'ConditionType')
      if (
        isPriceType(type) &&
        !others.some((each) => isPriceType(text(kind.conditions, each, 'ConditionType')))
      )
        throw refusal('V1/330/price', [type, text(kind.item, item, kind.itemKey)])
      erase(call, kind.conditions, row)
      resettle(call, item)
    },
  }
}

const partnerBehaviour = (kind: DocumentKind, set: string): Behaviour => ({
  create: ({ call }, draft, above) => {
    const party = { ...draft.values, ...above }
    const number = String(party[kind.key] ?? '')
    documentAt(call, kind, number)
    checkParty(call, set, party)
    const { type } = draft.set
    const id = type.keys.map((key) => String(party[key] ?? '')).join('/')
    if (rowAt(call, set, id)) throw fault('duplicate', { type: type.name, key: id })
    const row = save(call, set, party)
    touch(call, kind, number)
    return row
  },
  update: ({ call }, row, change) => {
    const party = { ...row, ...change }
    checkParty(call, set, party)
    if (set === kind.partner && row.PartnerFunction === 'SP')
      throw refusal('V1/128', [String(row[kind.key])], 'Customer')
    const saved = save(call, set, party)
    touch(call, kind, String(row[kind.key]))
    return saved
  },
  remove: ({ call }, row) => {
    const name = text(set, row, 'PartnerFunction')
    if (set === kind.partner && orderPartners.some((needed) => needed === name))
      throw refusal('V1/320', [name])
    erase(call, set, row)
    touch(call, kind, String(row[kind.key]))
  },
})

/** The rules of all sets of a kind of document. */
export const documentBehaviours = (kind: DocumentKind): Behaviours => ({
  [kind.header]: headerBehaviour(kind),
  [kind.item]: itemBehaviour(kind),
  [kind.conditions]: conditionBehaviour(kind),
  [kind.partner]: partnerBehaviour(kind, kind.partner),
  [kind.itemPartner]: partnerBehaviour(kind, kind.itemPartner),
})
