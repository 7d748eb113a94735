import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { dayOf, timeOf } from '@diorama/twin-kit/wires/odata/values/moments'
import type { Draft } from '@diorama/twin-kit/wires/odata/write/body'
import { erase, rowAt, rowsWith, save, text } from '../../access.ts'
import { entitySet } from '../../catalogue/services.ts'
import { inactiveBySubsequentPrice } from '../../customizing/pricing.ts'
import { refusal } from '../../rules/messages.ts'
import { guidOf } from '../../rules/partner-values.ts'
import { type DocumentKind, saveDocument } from './sales-documents.ts'

const header = 'A_SalesQuotation'
const item = 'A_SalesQuotationItem'
const conditions = 'A_SalesQuotationItemPrcgElmnt'
const flows = 'A_SlsQtanSubsqntProcFlow'

const of = (row: EdmValues, name: string): string => text(header, row, name)

export const quotationKind: DocumentKind = {
  header,
  item,
  partner: 'A_SalesQuotationPartner',
  itemPartner: 'A_SalesQuotationItemPartner',
  conditions,
  headerConditions: 'A_SalesQuotationPrcgElmnt',
  text: 'A_SalesQuotationText',
  itemText: 'A_SalesQuotationItemText',
  key: 'SalesQuotation',
  itemKey: 'SalesQuotationItem',
  typeField: 'SalesQuotationType',
  dateField: 'SalesQuotationDate',
  itemCategoryField: 'SalesQuotationItemCategory',
  itemTextField: 'SalesQuotationItemText',
  plantField: 'Plant',
  category: 'B',
  defaultType: 'QT',
  range: 'sales_quotation',
  settleHeader: (call, values) => {
    const start = of(values, 'BindingPeriodValidityStartDate') || dayOf(call.now)
    const end = of(values, 'BindingPeriodValidityEndDate')
    if (end !== '' && end < start) throw refusal('V1/605', [end, start], 'BindingPeriodValidityEndDate')
    return { BindingPeriodValidityStartDate: start }
  },
  settleItem: () => ({}),
  isUsed: (call, number) => rowsWith(call, flows, { SalesQuotation: number }).length > 0,
}

const quotationAt = (call: Call, number: string): EdmRow => {
  const row = rowAt(call, header, number)
  if (!row) throw refusal('V1/601', [number], 'ReferenceSDDocument')
  return row
}

/** Refuses a quotation that is another customer's, has expired, or has been ordered. */
export const checkQuotation = (call: Call, number: string, order: EdmValues): void => {
  const quotation = quotationAt(call, number)
  const end = of(quotation, 'BindingPeriodValidityEndDate')
  if (end !== '' && end < dayOf(call.now)) throw refusal('V1/601', [number], 'ReferenceSDDocument')
  if (of(quotation, 'OverallSDProcessStatus') === 'C')
    throw refusal('V1/602', [number], 'ReferenceSDDocument')
  if (of(quotation, 'SoldToParty') !== text('A_SalesOrder', order, 'SoldToParty'))
    throw refusal('V1/603', [number], 'ReferenceSDDocument')
}

/** The open items of a quotation as drafts of order items, at the quoted prices. */
export const itemsOfQuotation = (call: Call, number: string): readonly Draft[] =>
  rowsWith(call, item, { SalesQuotation: number })
    .filter((row) => text(item, row, 'SDProcessStatus') !== 'C')
    .map((row) => {
      const read = (name: string) => text(item, row, name)
      const prices = rowsWith(call, conditions, {
        SalesQuotation: number,
        SalesQuotationItem: read('SalesQuotationItem'),
      }).filter(
        (each) =>
          text(conditions, each, 'ConditionInactiveReason') !== inactiveBySubsequentPrice &&
          text(conditions, each, 'ConditionOrigin') === 'C',
      )
      return {
        set: entitySet('A_SalesOrderItem'),
        values: {
          Material: read('Material'),
          SalesOrderItem: read('SalesQuotationItem'),
          SalesOrderItemText: read('SalesQuotationItemText'),
          RequestedQuantity: read('RequestedQuantity'),
          RequestedQuantityUnit: read('RequestedQuantityUnit'),
          ReferenceSDDocument: number,
          ReferenceSDDocumentItem: read('SalesQuotationItem'),
        },
        children: new Map([['to_PricingElement', prices.map(conditionDraft)]]),
        ignored: {},
      }
    })

const conditionDraft = (row: EdmRow): Draft => {
  const read = (name: string) => text(conditions, row, name)
  return {
    set: entitySet('A_SalesOrderItemPrElement'),
    values: {
      ConditionType: read('ConditionType'),
      ConditionRateValue: read('ConditionRateValue'),
      ConditionQuantity: read('ConditionQuantity'),
      ConditionQuantityUnit: read('ConditionQuantityUnit'),
    },
    children: new Map(),
    ignored: {},
  }
}

/** Notes that an order follows a quotation, whose items are then done. */
export const noteOrdered = (call: Call, number: string, order: EdmRow): void => {
  const quotation = quotationAt(call, number)
  for (const row of rowsWith(call, item, { SalesQuotation: number }))
    save(call, item, { ...row, SDProcessStatus: 'C' })
  save(call, flows, {
    SalesQuotation: number,
    DocRelationshipUUID: guidOf(call.draw('flow')),
    SubsequentDocument: text('A_SalesOrder', order, 'SalesOrder'),
    SubsequentDocumentCategory: 'C',
    ProcessFlowLevel: '00',
    CreationDate: dayOf(call.now),
    CreationTime: timeOf(call.now),
  })
  saveDocument(call, quotationKind, quotation)
}

/** Opens a quotation again when the order that followed it is deleted. */
export const reopenQuotation = (call: Call, number: string, order: string): void => {
  const quotation = rowAt(call, header, number)
  if (!quotation) return
  for (const row of rowsWith(call, flows, { SalesQuotation: number }))
    if (text(flows, row, 'SubsequentDocument') === order) erase(call, flows, row)
  for (const row of rowsWith(call, item, { SalesQuotation: number })) {
    const rejected = text(item, row, 'SalesDocumentRjcnReason') !== ''
    save(call, item, { ...row, SDProcessStatus: rejected ? 'C' : 'A' })
  }
  saveDocument(call, quotationKind, quotation)
}
