import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import {
  add,
  compareDecimals,
  divide,
  multiply,
  negate,
  round,
} from '@diorama/twin-kit/wires/odata/values/decimals'
import { text } from '../access.ts'
import { decimalsOfCurrency, defaults, internalUnit, isoUnit, type Progress } from '../codes.ts'

/** What the values of an order follow from; the seed and the business rules share it. */

const progressOf = (quantity: string, delivered: string): Progress => {
  if (compareDecimals(delivered, '0') <= 0) return 'A'
  return compareDecimals(delivered, quantity) >= 0 ? 'C' : 'B'
}

/** A rejected item is done with, and no longer delivered. */
export const itemStatus = (item: EdmValues, delivered: string): EdmValues => {
  const rejected = text('A_SalesOrderItem', item, 'SalesDocumentRjcnReason') !== ''
  const progress = progressOf(text('A_SalesOrderItem', item, 'RequestedQuantity'), delivered)
  return { SDProcessStatus: rejected ? 'C' : progress, DeliveryStatus: rejected ? '' : progress }
}

const overall = (statuses: readonly string[]): string => {
  if (statuses.length === 0) return ''
  if (statuses.every((status) => status === 'C')) return 'C'
  return statuses.every((status) => status === 'A') ? 'A' : 'B'
}

/** Totals and statuses of a header, from its items. */
export const headerStatus = (items: readonly EdmValues[], currency: string): EdmValues => {
  const read = (item: EdmValues, field: string) => text('A_SalesOrderItem', item, field)
  const live = items.filter((item) => read(item, 'SalesDocumentRjcnReason') === '')
  const total = live.reduce((sum, item) => add(sum, read(item, 'NetAmount')), '0')
  const rejection = items.length === 0 || live.length === items.length ? 'A' : live.length === 0 ? 'C' : 'B'
  return {
    TotalNetAmount: round(total, decimalsOfCurrency(currency)),
    OverallSDProcessStatus: overall(items.map((item) => read(item, 'SDProcessStatus'))) || 'A',
    OverallTotalDeliveryStatus: overall(live.map((item) => read(item, 'DeliveryStatus'))),
    OverallSDDocumentRejectionSts: rejection,
  }
}

/** The first schedule line, which asks for the whole quantity on the requested day. */
export const scheduleLine = (item: EdmValues, requested: string | null, delivered: string): EdmValues => {
  const quantity = text('A_SalesOrderItem', item, 'RequestedQuantity')
  const unit = text('A_SalesOrderItem', item, 'RequestedQuantityUnit')
  const open = add(quantity, negate(delivered))
  return {
    SalesOrder: item.SalesOrder ?? '',
    SalesOrderItem: item.SalesOrderItem ?? '',
    ScheduleLine: '1',
    RequestedDeliveryDate: requested,
    ConfirmedDeliveryDate: requested,
    OrderQuantityUnit: unit,
    OrderQuantitySAPUnit: internalUnit(unit),
    OrderQuantityISOUnit: isoUnit(unit),
    ScheduleLineOrderQuantity: quantity,
    ConfdOrderQtyByMatlAvailCheck: quantity,
    DeliveredQtyInOrderQtyUnit: delivered,
    OpenConfdDelivQtyInOrdQtyUnit: compareDecimals(open, '0') < 0 ? '0' : open,
    CorrectedQtyInOrderQtyUnit: quantity,
  }
}

export interface Price {
  readonly type: string
  readonly rate: string
  readonly per: string
  readonly manual: boolean
}

/** An item's price condition, from which its net amount follows. */
export const priceElement = (item: EdmValues, { type, rate, per, manual }: Price, at: string): EdmValues => {
  const currency = text('A_SalesOrderItem', item, 'TransactionCurrency')
  const quantity = text('A_SalesOrderItem', item, 'RequestedQuantity')
  return {
    SalesOrder: item.SalesOrder ?? '',
    SalesOrderItem: item.SalesOrderItem ?? '',
    PricingProcedureStep: defaults.priceStep,
    PricingProcedureCounter: '1',
    ConditionType: type,
    PricingDateTime: at,
    ConditionCalculationType: 'C',
    ConditionBaseValue: quantity,
    ConditionRateValue: rate,
    ConditionCurrency: currency,
    ConditionQuantity: per,
    ConditionQuantityUnit: text('A_SalesOrderItem', item, 'RequestedQuantityUnit'),
    ConditionQuantitySAPUnit: internalUnit(text('A_SalesOrderItem', item, 'RequestedQuantityUnit')),
    ConditionQuantityISOUnit: isoUnit(text('A_SalesOrderItem', item, 'RequestedQuantityUnit')),
    ConditionSequentialNumber: '1',
    ConditionAmount: priceAmount(rate, per, quantity, currency),
    TransactionCurrency: currency,
    ConditionClass: 'B',
    ConditionOrigin: manual ? 'C' : 'A',
    ConditionIsManuallyChanged: manual,
  }
}

export const priceAmount = (rate: string, per: string, quantity: string, currency: string): string =>
  divide(multiply(rate, quantity), compareDecimals(per, '0') > 0 ? per : '1', decimalsOfCurrency(currency))

/** The price of one unit, with decimals enough that the whole line comes out exact. */
export const unitPrice = (net: string, quantity: string): string =>
  compareDecimals(quantity, '0') === 0 ? net : divide(net, quantity, 9)

/** What an item takes from its header and its product. */
export const itemBase = (header: EdmRow, item: string, product: EdmValues, unit: string): EdmValues => ({
  SalesOrder: header.SalesOrder ?? '',
  SalesOrderItem: item,
  SalesOrderItemCategory: defaults.itemCategory,
  PurchaseOrderByCustomer: header.PurchaseOrderByCustomer ?? '',
  PricingDate: header.PricingDate ?? null,
  RequestedQuantityUnit: unit,
  TransactionCurrency: header.TransactionCurrency ?? '',
  MaterialGroup: product.ProductGroup ?? '',
  ProductionPlant: header.SalesOrganization ?? '',
  ShippingPoint: header.SalesOrganization ?? '',
  CustomerPaymentTerms: header.CustomerPaymentTerms ?? '',
  IncotermsClassification: header.IncotermsClassification ?? '',
  ProductTaxClassification1: '1',
  MatlAccountAssignmentGroup: '01',
})

/** The three spellings of an item's unit go together. */
export const itemUnits = (unit: string): EdmValues => ({
  RequestedQuantityUnit: unit,
  RequestedQuantitySAPUnit: internalUnit(unit),
  RequestedQuantityISOUnit: isoUnit(unit),
})

/** Without the fields that a body gave as empty: their defaults stand. */
export const withoutEmpty = (values: EdmValues): EdmValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''))
