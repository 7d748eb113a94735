import type { EdmRow } from '../../kernel/wires/odata/model.ts'
import { withDecimals } from '../../kernel/wires/odata/values/decimals.ts'
import { dayOf } from '../../kernel/wires/odata/values/moments.ts'
import { text } from '../access.ts'
import type { Planting } from '../seed.ts'

export interface DeliveredItem {
  readonly item: EdmRow
  readonly delivered: string
}

/** The outbound delivery that an order's delivered quantities left with. */
export const seedDelivery = (
  { keep, company }: Planting,
  number: string,
  order: EdmRow,
  items: readonly DeliveredItem[],
): void => {
  const read = (field: string) => text('A_SalesOrder', order, field)
  const requested = read('RequestedDeliveryDate')
  const today = dayOf(company.clock)
  // What was delivered was delivered by now, and not before it was ordered.
  const [earlier = today] = [requested, today].sort()
  const [, shipped = earlier] = [earlier, read('CreationDate')].sort()
  keep('A_OutbDeliveryHeader', {
    DeliveryDocument: number,
    DeliveryDocumentType: 'LF',
    SDDocumentCategory: 'J',
    SalesOrganization: read('SalesOrganization'),
    SoldToParty: read('SoldToParty'),
    ShipToParty: read('SoldToParty'),
    ShippingPoint: read('SalesOrganization'),
    ShippingCondition: read('ShippingCondition'),
    CreationDate: shipped,
    CreatedByUser: read('CreatedByUser'),
    DocumentDate: shipped,
    DeliveryDate: shipped,
    ActualGoodsMovementDate: shipped,
    PlannedGoodsIssueDate: shipped,
    DeliveryVersion: '0001',
    OverallGoodsMovementStatus: 'C',
    OverallPickingStatus: 'C',
    OverallSDProcessStatus: 'C',
  })
  for (const PartnerFunction of ['SP', 'SH'])
    keep('A_OutbDeliveryPartner', { SDDocument: number, PartnerFunction, Customer: read('SoldToParty') })
  for (const { item, delivered } of items) {
    const of = (field: string) => text('A_SalesOrderItem', item, field)
    keep('A_OutbDeliveryItem', {
      DeliveryDocument: number,
      DeliveryDocumentItem: of('SalesOrderItem'),
      DeliveryDocumentItemCategory: of('SalesOrderItemCategory'),
      DeliveryDocumentItemText: of('SalesOrderItemText'),
      Material: of('Material'),
      Plant: of('ProductionPlant'),
      ActualDeliveryQuantity: withDecimals(delivered, 0),
      ActualDeliveredQtyInBaseUnit: withDecimals(delivered, 0),
      OriginalDeliveryQuantity: withDecimals(delivered, 0),
      DeliveryQuantityUnit: of('RequestedQuantityUnit'),
      BaseUnit: of('RequestedQuantityUnit'),
      ReferenceSDDocument: of('SalesOrder'),
      ReferenceSDDocumentItem: of('SalesOrderItem'),
      ReferenceSDDocumentCategory: 'C',
      DeliveryVersion: '0001',
      GoodsMovementStatus: 'C',
      PickingStatus: 'C',
      SDProcessStatus: 'C',
    })
  }
}
