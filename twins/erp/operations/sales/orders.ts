import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { dayOf, isoOf } from '@diorama/twin-kit/wires/odata/values/moments'
import type { Draft } from '@diorama/twin-kit/wires/odata/write/body'
import type { Behaviour, Writing } from '@diorama/twin-kit/wires/odata/write/operations'
import { erase, nextNumber, rowsWith, save, text, userOf } from '../../access.ts'
import { defaults } from '../../codes.ts'
import { salesDocumentTypes } from '../../customizing/sales.ts'
import { spreadConditions } from '../../rules/header-conditions.ts'
import { refusal, warning } from '../../rules/messages.ts'
import {
  deliveredOf,
  eraseItem,
  itemsOf,
  pricedItem,
  saveHeader,
  saveItem,
} from '../../rules/order-changes.ts'
import { moveToCustomer } from '../../rules/order-customer.ts'
import { withoutEmpty } from '../../rules/order-values.ts'
import { areaOf, checkOrderBlocks, customerArea, proposedParties } from '../../rules/partner-checks.ts'
import { changeCurrency } from '../../rules/pricing.ts'
import { isDeliveredWhole, reschedule } from '../../rules/schedule.ts'
import { addHeaderCondition } from './order-details.ts'
import { createItem } from './order-items.ts'
import { createParty } from './order-partners.ts'
import { checkQuotation, itemsOfQuotation, noteOrdered, reopenQuotation } from './quotations.ts'

const set = 'A_SalesOrder'

const create = (writing: Writing, draft: Draft): EdmRow => {
  const { call } = writing
  const given = draft.values
  const type = text(set, given, 'SalesOrderType') || defaults.orderType
  checkType(type)
  const place = areaOf(set, given)
  const area = customerArea(call, text(set, given, 'SoldToParty'), place)
  checkOrderBlocks(call, text(set, given, 'SoldToParty'), place, 'SoldToParty')
  const of = (field: string) => text('A_CustomerSalesArea', area, field)
  const today = dayOf(call.now)
  const values: EdmValues = {
    ShippingCondition: of('ShippingCondition'),
    CustomerPaymentTerms: of('CustomerPaymentTerms'),
    IncotermsClassification: of('IncotermsClassification'),
    IncotermsLocation1: of('IncotermsLocation1'),
    CustomerGroup: of('CustomerGroup'),
    SalesOrderDate: today,
    PricingDate: today,
    RequestedDeliveryDate: today,
    ...withoutEmpty(given),
    SalesOrder: nextNumber(call, 'sales_order'),
    SalesOrderType: type,
    TransactionCurrency: text(set, given, 'TransactionCurrency') || of('Currency') || defaults.currency,
    CreationDate: today,
    CreatedByUser: userOf(call),
    LastChangeDateTime: isoOf(call.now),
  }
  noticePast(writing, values)
  const order = save(call, set, values)
  createParties(writing, draft, order)
  const quotation = text(set, order, 'ReferenceSDDocument')
  for (const item of itemsFrom(call, draft, quotation)) createItem(writing, item, order)
  if (quotation !== '') noteOrdered(call, quotation, order)
  for (const [navigation, target] of [
    ['to_Text', 'A_SalesOrderText'],
    ['to_PaymentPlanItemDetails', 'A_SlsOrdPaymentPlanItemDetails'],
  ] as const)
    for (const [n, child] of (draft.children.get(navigation) ?? []).entries())
      save(call, target, { ...numbered(target, n), ...child.values, SalesOrder: order.SalesOrder ?? '' })
  for (const { values: condition } of draft.children.get('to_PricingElement') ?? [])
    addHeaderCondition(call, order, condition)
  spreadConditions(call, String(order.SalesOrder))
  const { LastChangeDate: _, ...fresh } = saveHeader(call, order)
  return save(call, set, { ...fresh, LastChangeDateTime: isoOf(call.now) })
}

/** The items that the caller gave; without any, those of the quotation that the order refers to. */
const itemsFrom = (call: Call, draft: Draft, quotation: string): readonly Draft[] => {
  if (quotation !== '') checkQuotation(call, quotation, draft.values)
  const given = draft.children.get('to_Item') ?? []
  return given.length > 0 || quotation === '' ? given : itemsOfQuotation(call, quotation)
}

const numbered = (target: string, n: number): EdmValues =>
  target === 'A_SlsOrdPaymentPlanItemDetails'
    ? { PaymentPlanItem: String(n + 1) }
    : { Language: defaults.language, LongTextID: 'TX01' }

const checkType = (type: string): void => {
  if (salesDocumentTypes[type]?.category !== 'C') throw refusal('V1/555', [type], 'SalesOrderType')
}

const parties = 'A_SalesOrderHeaderPartner'

const createParties = (writing: Writing, draft: Draft, order: EdmRow): void => {
  const { call } = writing
  const SalesOrder = text(set, order, 'SalesOrder')
  const proposed = proposedParties(call, text(set, order, 'SoldToParty'), areaOf(set, order))
  for (const [PartnerFunction, Customer] of proposed)
    save(call, parties, { SalesOrder, PartnerFunction, Customer })
  for (const { values } of draft.children.get('to_Partner') ?? [])
    createParty(writing, { set: parties, values, above: { SalesOrder }, replace: true })
  const area = areaOf(set, order)
  for (const party of rowsWith(call, parties, { SalesOrder }))
    checkOrderBlocks(call, text(parties, party, 'Customer'), area, 'to_Partner')
}

const noticePast = ({ call, notify }: Writing, order: EdmValues): void => {
  const requested = text(set, order, 'RequestedDeliveryDate')
  if (requested !== '' && requested < dayOf(call.now))
    notify(warning('V1/391', [requested], 'RequestedDeliveryDate'))
}

const update = (writing: Writing, before: EdmRow, change: EdmValues): EdmRow => {
  const { call } = writing
  const order = { ...before, ...change }
  const changed = (field: string) => field in change && text(set, before, field) !== text(set, order, field)
  if (changed('SalesOrderType')) checkType(text(set, order, 'SalesOrderType'))
  if (['SalesOrganization', 'DistributionChannel', 'OrganizationDivision'].some(changed))
    throw refusal('V1/128', [text(set, before, 'SalesOrder')], 'SalesOrganization')
  if (changed('RequestedDeliveryDate')) noticePast(writing, order)
  save(call, set, order)
  if (changed('TransactionCurrency')) recalculate(call, before, order)
  if (changed('RequestedDeliveryDate')) move(writing, order)
  if (changed('SoldToParty'))
    return moveToCustomer(call, { ...order, id: before.id }, text(set, order, 'SoldToParty'))
  return saveHeader(call, order)
}

/** Determines every price again in the order's new currency, or refuses. */
const recalculate = (call: Call, before: EdmRow, order: EdmValues): void => {
  const currency = text(set, order, 'TransactionCurrency')
  for (const item of itemsOf(call, String(before.SalesOrder))) {
    const values = { ...item, TransactionCurrency: currency }
    changeCurrency(call, pricedItem(values), text(set, before, 'TransactionCurrency'))
    saveItem(call, values)
  }
  spreadConditions(call, String(before.SalesOrder))
}

/** Moves what has not been delivered to the order's new date. */
const move = ({ call, notify }: Writing, order: EdmValues): void => {
  const requested = text(set, order, 'RequestedDeliveryDate') || null
  for (const item of itemsOf(call, String(order.SalesOrder))) {
    if (isDeliveredWhole(call, item))
      notify(warning('V1/125', [text('A_SalesOrderItem', item, 'SalesOrderItem')]))
    else reschedule(call, item, requested)
  }
}

const remove = ({ call }: Writing, order: EdmRow): void => {
  const number = text(set, order, 'SalesOrder')
  const items = itemsOf(call, number)
  if (items.some((item) => Number(deliveredOf(call, item)) > 0)) throw refusal('V1/118', [number])
  for (const item of items) eraseItem(call, item)
  for (const below of [
    'A_SalesOrderHeaderPartner',
    'A_SalesOrderHeaderPrElement',
    'A_SalesOrderText',
    'A_SlsOrdPaymentPlanItemDetails',
  ])
    for (const row of rowsWith(call, below, { SalesOrder: number })) erase(call, below, row)
  erase(call, set, order)
  const quotation = text(set, order, 'ReferenceSDDocument')
  if (quotation !== '') reopenQuotation(call, quotation, number)
}

export const orderBehaviour: Behaviour = {
  children: ['to_Item', 'to_Partner', 'to_Text', 'to_PricingElement', 'to_PaymentPlanItemDetails'],
  create,
  update,
  remove,
}
