import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { add, compareDecimals, negate, round } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf, isoOf } from '@diorama/twin-kit/wires/odata/values/moments'
import { text } from '../access.ts'
import { decimalsOfCurrency, defaults, orderPartners } from '../codes.ts'
import { cut } from '../cut.ts'
import {
  headerStatus,
  itemBase,
  itemStatus,
  itemUnits,
  priceElement,
  scheduleLine,
  unitPrice,
} from '../rules/order-values.ts'
import type { SeedContext } from './context.ts'
import { type DeliveredItem, seedDelivery } from './deliveries.ts'
import type { SeededPartners } from './partners.ts'
import { amountOf, materialNumber, quantityOf, unitOf } from './products.ts'

const firstOrder = 7_001
const firstDelivery = 80_000_001
const day = 86_400_000

type OrderBlueprint = SeedContext['section']['salesOrders'][number]

export const seedOrders = (context: SeedContext, partners: SeededPartners): void => {
  const { section, seeding } = context
  let delivery = firstDelivery
  for (const [n, blueprint] of section.salesOrders.entries()) {
    const number = String(firstOrder + n)
    const { header, delivered } = seedOrder(context, partners, blueprint, n, number)
    seeding.key('sales_order', blueprint.key, number)
    if (delivered.length === 0) continue
    const stated = section.deliveries?.find(({ salesOrder }) => salesOrder === blueprint.key)
    const document = {
      number: String(delivery),
      order: header,
      items: delivered,
      status: stated?.status ?? 'issued',
    }
    seedDelivery(context, document, stated !== undefined)
    if (stated) seeding.key('outb_delivery_header', stated.key, String(delivery))
    delivery += 1
  }
  seeding.insert('number_range', { id: 'sales_order', last: firstOrder - 1 + section.salesOrders.length })
  seeding.insert('number_range', { id: 'delivery', last: delivery - 1 })
}

const seedOrder = (
  context: SeedContext,
  partners: SeededPartners,
  blueprint: OrderBlueprint,
  n: number,
  number: string,
): { header: EdmRow; delivered: readonly DeliveredItem[] } => {
  const { company, seeding, keep } = context
  const pointer = `/salesOrders/${n}`
  const soldTo = String(partners.get(blueprint.soldTo)?.BusinessPartner ?? '')
  const created = createdAt(blueprint, company.clock, n)
  const base = headerBase(context, blueprint, number, soldTo, created)
  if ([...(blueprint.purchaseOrderByCustomer ?? '')].length > 35)
    seeding.warn(`${pointer}/purchaseOrderByCustomer`, 'only the first 35 characters fit')
  const items = blueprint.items.map((_, m) => seedItem(context, blueprint, base, m, pointer))
  const header = keep('A_SalesOrder', {
    ...base,
    ...headerStatus(
      items.map(({ item }) => item),
      blueprint.currency,
    ),
  })
  for (const PartnerFunction of orderPartners)
    keep('A_SalesOrderHeaderPartner', { SalesOrder: number, PartnerFunction, Customer: soldTo })
  const delivered = items.filter(({ delivered: quantity }) => Number(quantity) > 0)
  return { header, delivered }
}

/** A line of which stock does not cover everything. */
const unconfirmed = (confirmed: string, delivered: string): EdmValues => ({
  ConfdOrderQtyByMatlAvailCheck: confirmed,
  OpenConfdDelivQtyInOrdQtyUnit: add(confirmed, negate(delivered)),
  ...(compareDecimals(confirmed, '0') === 0 ? { ConfirmedDeliveryDate: null } : {}),
})

/** Orders without a date were made in the weeks before the clock, the later ones later. */
const createdAt = (blueprint: OrderBlueprint, clock: number, n: number): number =>
  blueprint.createdAt ? Date.parse(blueprint.createdAt) : clock - Math.max(2, 21 - n) * day

const headerBase = (
  context: SeedContext,
  blueprint: OrderBlueprint,
  number: string,
  soldTo: string,
  created: number,
): EdmRow => {
  const { areas } = context
  const area =
    areas.find(({ salesOrganization }) => salesOrganization === blueprint.salesOrganization) ?? areas[0]
  return {
    id: number,
    SalesOrder: number,
    SalesOrderType: defaults.orderType,
    SalesOrganization: area.salesOrganization,
    DistributionChannel: area.distributionChannel,
    OrganizationDivision: area.division,
    SoldToParty: soldTo,
    CreationDate: dayOf(created),
    CreatedByUser: context.author,
    LastChangeDateTime: isoOf(created),
    PurchaseOrderByCustomer: cut(blueprint.purchaseOrderByCustomer ?? '', 35),
    SalesOrderDate: dayOf(created),
    PricingDate: dayOf(created),
    TransactionCurrency: blueprint.currency,
    RequestedDeliveryDate: blueprint.requestedDeliveryDate,
    ShippingCondition: defaults.shippingCondition,
    CustomerPaymentTerms: defaults.paymentTerms,
    DeliveryBlockReason: blueprint.deliveryBlock ?? '',
    HeaderBillingBlockReason: blueprint.billingBlock ?? '',
  }
}

const seedItem = (
  context: SeedContext,
  blueprint: OrderBlueprint,
  header: EdmRow,
  m: number,
  pointer: string,
): DeliveredItem => {
  const { seeding, keep } = context
  const line = blueprint.items[m]
  if (!line) throw new Error('an item is missing')
  const product = materialNumber(line.material)
  const productRow = seeding.get('product', product.replaceAll('/', '%2F'))
  const unit = unitOf(line.unit)
  const quantity = quantityOf(line.quantity)
  const net = round(amountOf(line.netAmount), decimalsOfCurrency(blueprint.currency))
  if ([...line.description].length > 40)
    seeding.warn(`${pointer}/items/${m}/description`, 'only the first 40 characters fit')
  const base: EdmValues = {
    ...itemBase(header, String((m + 1) * 10), { ProductGroup: String(productRow?.ProductGroup ?? '') }, unit),
    ...itemUnits(unit),
    SalesOrderItemText: cut(line.description, 40),
    Material: product,
    RequestedQuantity: quantity,
    NetAmount: net,
  }
  const isStated = context.section.deliveries?.some(({ salesOrder }) => salesOrder === blueprint.key)
  const delivered = isStated ? quantity : deliveredQuantity(blueprint, m, line.quantity)
  const item = keep('A_SalesOrderItem', { ...base, ...itemStatus(base, delivered) })
  const open = add(quantity, negate(delivered))
  const confirmed = add(delivered, context.promise(product, header, open))
  keep('A_SalesOrderScheduleLine', {
    ...scheduleLine(item, blueprint.requestedDeliveryDate, delivered),
    ...(compareDecimals(confirmed, quantity) === 0 ? {} : unconfirmed(confirmed, delivered)),
  })
  const price = { type: defaults.priceCondition, rate: unitPrice(net, quantity), per: '1', manual: false }
  const at = text('A_SalesOrder', header, 'LastChangeDateTime').replace(/\D/g, '').slice(0, 14)
  keep('A_SalesOrderItemPrElement', { ...priceElement(item, price, at), ConditionAmount: net })
  return { item, delivered }
}

/**
 * An order in process has been delivered in part: its first item whole where there are others, otherwise half of its
 * only item.
 */
const deliveredQuantity = ({ status, items }: OrderBlueprint, m: number, quantity: number): string => {
  if (status === 'open') return '0'
  if (status === 'completed') return quantityOf(quantity)
  if (items.length > 1) return m === 0 ? quantityOf(quantity) : '0'
  return quantityOf(quantity >= 2 ? Math.floor(quantity / 2) : quantity / 2)
}
