import type { Operation } from '@diorama/twin-kit/kernel/twin'
import { type Behaviours, entityOperations } from '@diorama/twin-kit/wires/odata/write/operations'
import { allServices } from '../catalogue/services.ts'
import { checkCodes } from '../customizing/check.ts'
import { codedFields } from '../customizing/coded-fields.ts'
import { checkIban } from '../rules/master-forms.ts'
import { availabilityFunctions } from './logistics/availability.ts'
import { deliveryBehaviour, deliveryItemBehaviour } from './logistics/deliveries.ts'
import { deliveryFunctions } from './logistics/delivery-functions.ts'
import { materialDocumentBehaviour, materialDocumentFunctions } from './logistics/material-documents.ts'
import { addressBehaviour, communicationBehaviours } from './master/addresses.ts'
import { partnerFunctionBehaviour, salesAreaBehaviour } from './master/customers.ts'
import { partnerBehaviour, roleBehaviour } from './master/partners.ts'
import { productBehaviour, productPartBehaviours } from './master/products.ts'
import { supplierInvoiceBehaviour, supplierInvoiceFunctions } from './purchasing/invoices.ts'
import { createItemInOrder, updatePurchaseItem, updateScheduleLine } from './purchasing/order-items.ts'
import { purchaseNoteBehaviour, purchaseOrderBehaviour, removePurchaseItem } from './purchasing/orders.ts'
import { requisitionBehaviour, requisitionItemBehaviour } from './purchasing/requisitions.ts'
import { approvalOperations } from './sales/approvals.ts'
import { billingFunctions } from './sales/billing.ts'
import { detailBehaviour, headerPriceBehaviour, itemPriceBehaviour } from './sales/order-details.ts'
import { itemBehaviour } from './sales/order-items.ts'
import { headerPartnerBehaviour, itemPartnerBehaviour } from './sales/order-partners.ts'
import { orderBehaviour } from './sales/orders.ts'
import { quotationKind } from './sales/quotations.ts'
import { returnKind } from './sales/returns.ts'
import { documentBehaviours } from './sales/sales-documents.ts'

/** The business rules by entity set. */
const rules: Behaviours = {
  A_SalesOrder: orderBehaviour,
  A_SalesOrderItem: itemBehaviour,
  A_SalesOrderHeaderPartner: headerPartnerBehaviour,
  A_SalesOrderItemPartner: itemPartnerBehaviour,
  A_SalesOrderItemPrElement: itemPriceBehaviour,
  A_SalesOrderHeaderPrElement: headerPriceBehaviour,
  A_SalesOrderText: detailBehaviour('A_SalesOrderText'),
  A_SalesOrderItemText: detailBehaviour('A_SalesOrderItemText'),
  A_SalesOrderValAddedSrvc: detailBehaviour('A_SalesOrderValAddedSrvc'),
  A_SlsOrdPaymentPlanItemDetails: detailBehaviour('A_SlsOrdPaymentPlanItemDetails'),
  ...documentBehaviours(quotationKind),
  ...documentBehaviours(returnKind),
  A_BusinessPartner: partnerBehaviour(() => behaviours),
  A_BusinessPartnerRole: roleBehaviour,
  A_BusinessPartnerAddress: addressBehaviour(() => behaviours),
  ...communicationBehaviours,
  A_CustomerSalesArea: salesAreaBehaviour(() => behaviours),
  A_CustSalesPartnerFunc: partnerFunctionBehaviour,
  A_Product: productBehaviour(() => behaviours),
  ...productPartBehaviours(() => behaviours),
  A_OutbDeliveryHeader: deliveryBehaviour,
  A_OutbDeliveryItem: deliveryItemBehaviour,
  A_MaterialDocumentHeader: materialDocumentBehaviour,
  A_PurchaseRequisitionHeader: requisitionBehaviour,
  A_PurchaseRequisitionItem: requisitionItemBehaviour,
  A_PurchaseOrder: purchaseOrderBehaviour,
  A_PurchaseOrderItem: {
    children: ['to_AccountAssignment', 'to_PurchaseOrderItemNote', 'to_ScheduleLine'],
    create: createItemInOrder,
    update: updatePurchaseItem,
    remove: removePurchaseItem,
  },
  A_PurchaseOrderScheduleLine: { update: updateScheduleLine },
  A_PurchaseOrderNote: purchaseNoteBehaviour('A_PurchaseOrderNote'),
  A_PurchaseOrderItemNote: purchaseNoteBehaviour('A_PurchaseOrderItemNote'),
  A_SupplierInvoice: supplierInvoiceBehaviour,
}

/** Sets without rules keep what they are given; fields that hold a code are checked in every set. */
export const behaviours: Behaviours = {
  ...rules,
  ...Object.fromEntries(
    Object.entries(codedFields).map(([set, fields]) => [
      set,
      {
        ...rules[set],
        check: (_writing, values) => {
          checkCodes(values, fields)
          if (set === 'A_BusinessPartnerBank') checkIban(values)
        },
      } satisfies Behaviours[string],
    ]),
  ),
}

/** Sets that can be written in the real services and cannot in the twin. */
const unwritten = [
  'A_POSubcontractingComponent',
  'A_PurOrdPricingElement',
  'A_PurOrdAccountAssignment',
  'A_ValAddedSrvcMM_2',
  'A_PurReqnAcctAssgmt',
  'A_PurReqAddDelivery',
  'A_OutbDeliveryAddress2',
  'A_OutbDeliveryDocFlow',
  'A_SalesQuotationPrcgElmnt',
  'A_SalesQuotationRelatedObject',
  'A_SlsQtanItemRelatedObject',
  'A_CustomerReturnPrcgElmnt',
  'A_CustomerReturnRelatedObject',
  'A_CustomerReturnItemRelatedObj',
]
/** Operations that are left out of the table, so that callers learn that they are not emulated. */
export const unwrittenOperations: readonly string[] = [
  ...unwritten.flatMap((set) => ['POST', 'PATCH', 'PUT', 'DELETE'].map((method) => `${method} ${set}`)),
  'POST A_PurchaseOrderScheduleLine',
  'DELETE A_PurchaseOrderScheduleLine',
]

const entities: Record<string, Operation> = Object.assign(
  {},
  ...allServices.map((service) => entityOperations(service, behaviours)),
)

export const operations: Readonly<Record<string, Operation>> = {
  ...Object.fromEntries(Object.entries(entities).filter(([name]) => !unwrittenOperations.includes(name))),
  ...approvalOperations,
  ...deliveryFunctions,
  ...materialDocumentFunctions,
  ...supplierInvoiceFunctions,
  ...billingFunctions,
  ...availabilityFunctions,
}
