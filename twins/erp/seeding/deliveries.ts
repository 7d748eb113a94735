import type { EdmRow } from '@diorama/twin-kit/wires/odata/model'
import { withDecimals } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf } from '@diorama/twin-kit/wires/odata/values/moments'
import { text } from '../access.ts'
import { storageLocationOf } from '../codes.ts'
import type { SeedContext } from './context.ts'

export interface DeliveredItem {
  readonly item: EdmRow
  readonly delivered: string
}

export interface SeededDelivery {
  readonly number: string
  readonly order: EdmRow
  readonly items: readonly DeliveredItem[]
  readonly status: 'created' | 'picked' | 'issued'
}

/**
 * The outbound delivery that an order's delivered quantities left with. One that the blueprint states is also open for
 * billing, and may not have left yet.
 */
export const seedDelivery = (
  { keep, company }: SeedContext,
  { number, order, items, status }: SeededDelivery,
  isStated: boolean,
): void => {
  const picked = status === 'created' ? 'A' : 'C'
  const issued = status === 'issued' ? 'C' : 'A'
  const done = !isStated ? 'C' : status === 'created' ? 'A' : 'B'
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
    ...(status === 'issued' ? { ActualGoodsMovementDate: shipped } : {}),
    PlannedGoodsIssueDate: shipped,
    DeliveryVersion: '0001',
    OverallGoodsMovementStatus: issued,
    OverallPickingStatus: picked,
    OverallSDProcessStatus: done,
    ...(isStated ? { OverallDelivReltdBillgStatus: 'A' } : {}),
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
      GoodsMovementStatus: issued,
      PickingStatus: picked,
      SDProcessStatus: done,
      ...(isStated
        ? { DeliveryRelatedBillingStatus: 'A', StorageLocation: storageLocationOf(of('ProductionPlant')) }
        : {}),
    })
  }
}
