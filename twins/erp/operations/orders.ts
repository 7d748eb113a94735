import type { Call } from '../../kernel/twin.ts'
import type { EdmRow, EdmValues } from '../../kernel/wires/odata/model.ts'
import { dayOf, isoOf } from '../../kernel/wires/odata/values/moments.ts'
import type { Draft } from '../../kernel/wires/odata/write/body.ts'
import type { Behaviour, Writing } from '../../kernel/wires/odata/write/operations.ts'
import { erase, nextNumber, rowAt, rowsWith, save, text, userOf } from '../access.ts'
import { defaults, orderPartners, orderTypes } from '../codes.ts'
import { refusal, warning } from '../rules/messages.ts'
import { deliveredOf, eraseItem, itemsOf, saveHeader, saveItem, stampHeader } from '../rules/order-changes.ts'
import { withoutEmpty } from '../rules/order-values.ts'
import { createItem } from './order-items.ts'
import { createPartner } from './order-partners.ts'

const set = 'A_SalesOrder'

/** The customer's data for the order's sales area; refused where the customer is not sold to there. */
const salesArea = (call: Call, order: EdmValues): EdmRow => {
  const read = (field: string) => text(set, order, field)
  const area = [read('SalesOrganization'), read('DistributionChannel'), read('OrganizationDivision')]
  const soldTo = read('SoldToParty')
  if (soldTo === '') throw refusal('V1/310', [], 'SoldToParty')
  const found = rowAt(call, 'A_CustomerSalesArea', [soldTo, ...area].join('/'))
  if (!found) throw refusal('V1/384', [soldTo, ...area], 'SoldToParty')
  return found
}

const create = (writing: Writing, draft: Draft): EdmRow => {
  const { call } = writing
  const given = draft.values
  const type = text(set, given, 'SalesOrderType') || defaults.orderType
  if (!orderTypes.has(type)) throw refusal('V1/555', [type], 'SalesOrderType')
  const area = salesArea(call, given)
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
  checkCurrency(values)
  noticePast(writing, values)
  const order = save(call, set, values)
  createParties(writing, draft, order)
  for (const item of draft.children.get('to_Item') ?? []) createItem(writing, item, order)
  for (const [navigation, target] of [
    ['to_Text', 'A_SalesOrderText'],
    ['to_PricingElement', 'A_SalesOrderHeaderPrElement'],
    ['to_PaymentPlanItemDetails', 'A_SlsOrdPaymentPlanItemDetails'],
  ] as const)
    for (const [n, child] of (draft.children.get(navigation) ?? []).entries())
      save(call, target, { ...numbered(target, n), ...child.values, SalesOrder: order.SalesOrder ?? '' })
  const { LastChangeDate: _, ...fresh } = saveHeader(call, order)
  return save(call, set, { ...fresh, LastChangeDateTime: isoOf(call.now) })
}

const numbered = (target: string, n: number): EdmValues =>
  target === 'A_SalesOrderHeaderPrElement'
    ? { PricingProcedureStep: '900', PricingProcedureCounter: String(n + 1) }
    : target === 'A_SlsOrdPaymentPlanItemDetails'
      ? { PaymentPlanItem: String(n + 1) }
      : { Language: defaults.language, LongTextID: 'TX01' }

const createParties = (writing: Writing, draft: Draft, order: EdmRow): void => {
  const soldTo = text(set, order, 'SoldToParty')
  const number = text(set, order, 'SalesOrder')
  for (const PartnerFunction of orderPartners)
    save(writing.call, 'A_SalesOrderHeaderPartner', { SalesOrder: number, PartnerFunction, Customer: soldTo })
  for (const party of draft.children.get('to_Partner') ?? [])
    createPartner(writing, party.values, 'A_SalesOrderHeaderPartner', { SalesOrder: number }, true)
}

const checkCurrency = (order: EdmValues): void => {
  const currency = text(set, order, 'TransactionCurrency')
  if (!/^[A-Z]{3}$/.test(currency)) throw refusal('V1/330', [currency], 'TransactionCurrency')
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
  if (['SoldToParty', 'SalesOrganization', 'DistributionChannel', 'OrganizationDivision'].some(changed))
    salesArea(call, order)
  if (changed('SalesOrderType') && !orderTypes.has(text(set, order, 'SalesOrderType')))
    throw refusal('V1/555', [text(set, order, 'SalesOrderType')], 'SalesOrderType')
  if (changed('TransactionCurrency')) checkCurrency(order)
  if (changed('RequestedDeliveryDate')) noticePast(writing, order)
  if (changed('SoldToParty')) replaceSoldTo(call, before, text(set, order, 'SoldToParty'))
  if (!changed('RequestedDeliveryDate') && !changed('TransactionCurrency')) return stampHeader(call, order)
  const requested = order.RequestedDeliveryDate
  for (const item of itemsOf(call, String(before.SalesOrder))) {
    const values = { ...item, TransactionCurrency: text(set, order, 'TransactionCurrency') }
    saveItem(call, values, typeof requested === 'string' ? requested : null)
  }
  return saveHeader(call, order)
}

/** Parties that were the old customer become the new one. */
const replaceSoldTo = (call: Call, before: EdmRow, customer: string): void => {
  const old = text(set, before, 'SoldToParty')
  for (const party of rowsWith(call, 'A_SalesOrderHeaderPartner', { SalesOrder: before.SalesOrder ?? '' }))
    if (text('A_SalesOrderHeaderPartner', party, 'Customer') === old)
      save(call, 'A_SalesOrderHeaderPartner', { ...party, Customer: customer })
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
}

export const orderBehaviour: Behaviour = { create, update, remove }
