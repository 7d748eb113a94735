import type { Operation } from '../../kernel/twin.ts'
import { type Behaviours, entityOperations } from '../../kernel/wires/odata/write/operations.ts'
import { allServices } from '../services.ts'
import { addressBehaviour, communicationBehaviours } from './addresses.ts'
import { approvalOperations } from './approvals.ts'
import { partnerFunctionBehaviour, salesAreaBehaviour } from './customers.ts'
import { detailBehaviour, itemPriceBehaviour } from './order-details.ts'
import { itemBehaviour } from './order-items.ts'
import { headerPartnerBehaviour, itemPartnerBehaviour } from './order-partners.ts'
import { orderBehaviour } from './orders.ts'
import { partnerBehaviour, roleBehaviour } from './partners.ts'

/** The business rules by entity set. Sets without rules keep what they are given. */
export const behaviours: Behaviours = {
  A_SalesOrder: orderBehaviour,
  A_SalesOrderItem: itemBehaviour,
  A_SalesOrderHeaderPartner: headerPartnerBehaviour,
  A_SalesOrderItemPartner: itemPartnerBehaviour,
  A_SalesOrderItemPrElement: itemPriceBehaviour,
  A_SalesOrderHeaderPrElement: detailBehaviour('A_SalesOrderHeaderPrElement'),
  A_SalesOrderText: detailBehaviour('A_SalesOrderText'),
  A_SalesOrderItemText: detailBehaviour('A_SalesOrderItemText'),
  A_SalesOrderValAddedSrvc: detailBehaviour('A_SalesOrderValAddedSrvc'),
  A_SlsOrdPaymentPlanItemDetails: detailBehaviour('A_SlsOrdPaymentPlanItemDetails'),
  A_BusinessPartner: partnerBehaviour(() => behaviours),
  A_BusinessPartnerRole: roleBehaviour,
  A_BusinessPartnerAddress: addressBehaviour(() => behaviours),
  ...communicationBehaviours,
  A_CustomerSalesArea: salesAreaBehaviour(() => behaviours),
  A_CustSalesPartnerFunc: partnerFunctionBehaviour,
}

export const operations: Readonly<Record<string, Operation>> = {
  ...Object.assign({}, ...allServices.map((service) => entityOperations(service, behaviours))),
  ...approvalOperations,
}
