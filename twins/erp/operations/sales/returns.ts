import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { add, compareDecimals } from '@diorama/twin-kit/wires/odata/values/decimals'
import { rowAt, rowsWith, text } from '../../access.ts'
import { refusal } from '../../rules/messages.ts'
import { deliveredOf } from '../../rules/order-changes.ts'
import type { DocumentKind } from './sales-documents.ts'

const header = 'A_CustomerReturn'
const item = 'A_CustomerReturnItem'

/** The order item that a return refers to, by the number of the order or of a billing document of it. */
const orderItemOf = (call: Call, document: string, line: string, soldTo: string): EdmRow | undefined => {
  if (document === '') return undefined
  const billed = rowAt(call, 'A_BillingDocumentItem', `${document}/${line}`)
  const [order, number] = billed
    ? [
        text('A_BillingDocumentItem', billed, 'SalesDocument'),
        text('A_BillingDocumentItem', billed, 'SalesDocumentItem'),
      ]
    : [document, line]
  const owner = rowAt(call, 'A_SalesOrder', order)
  const found = rowAt(call, 'A_SalesOrderItem', `${order}/${number}`)
  if (!owner || !found || text('A_SalesOrder', owner, 'SoldToParty') !== soldTo)
    throw refusal('V1/603', [document], 'ReferenceSDDocument')
  return found
}

/** What other returns take back of the same reference. */
const returned = (call: Call, values: EdmValues, document: string, line: string): string =>
  rowsWith(call, item, { ReferenceSDDocument: document })
    .filter(
      (row) =>
        text(item, row, 'ReferenceSDDocumentItem') === line &&
        text(item, row, 'SalesDocumentRjcnReason') === '' &&
        row.id !== values.id,
    )
    .reduce((sum, row) => add(sum, text(item, row, 'RequestedQuantity')), '0')

export const returnKind: DocumentKind = {
  header,
  item,
  partner: 'A_CustomerReturnPartner',
  itemPartner: 'A_CustomerReturnItemPartner',
  conditions: 'A_CustomerReturnItemPrcgElmnt',
  headerConditions: 'A_CustomerReturnPrcgElmnt',
  text: 'A_CustomerReturnText',
  itemText: 'A_CustomerReturnItemText',
  key: 'CustomerReturn',
  itemKey: 'CustomerReturnItem',
  typeField: 'CustomerReturnType',
  dateField: 'CustomerReturnDate',
  itemCategoryField: 'CustomerReturnItemCategory',
  itemTextField: 'CustomerReturnItemText',
  plantField: 'ProductionPlant',
  category: 'H',
  defaultType: 'CBAR',
  range: 'customer_return',
  settleHeader: (call, values) => {
    const document = text(header, values, 'ReferenceSDDocument')
    const known = rowAt(call, 'A_SalesOrder', document) ?? rowAt(call, 'A_BillingDocument', document)
    if (document !== '' && (!known || known.SoldToParty !== text(header, values, 'SoldToParty')))
      throw refusal('V1/603', [document], 'ReferenceSDDocument')
    return {}
  },
  settleItem: (call, document, values) => {
    const of = (name: string) => text(item, values, name)
    const number = of('ReferenceSDDocument') || text(header, document, 'ReferenceSDDocument')
    const line = of('ReferenceSDDocumentItem')
    const soldTo = text(header, document, 'SoldToParty')
    const found = line === '0' || line === '' ? undefined : orderItemOf(call, number, line, soldTo)
    if (!found) return {}
    const delivered = deliveredOf(call, found)
    const total = add(of('RequestedQuantity'), returned(call, values, number, line))
    if (compareDecimals(total, delivered) > 0)
      throw refusal('V1/604', [total, delivered], 'RequestedQuantity')
    const read = (name: string) => text('A_SalesOrderItem', found, name)
    if (of('Material') !== '' && of('Material') !== read('Material'))
      throw refusal('V1/603', [number], 'Material')
    return {
      Material: read('Material'),
      RequestedQuantityUnit: read('RequestedQuantityUnit'),
      ReferenceSDDocument: number,
    }
  },
  isUsed: () => false,
}
