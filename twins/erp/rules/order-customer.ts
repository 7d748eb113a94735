import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow } from '@diorama/twin-kit/wires/odata/model'
import { save, text } from '../access.ts'
import { refusal } from './messages.ts'
import { deliveredOf, itemsOf, saveHeader } from './order-changes.ts'
import { areaOf, checkOrderBlocks, customerArea, proposedParties } from './partner-checks.ts'

const set = 'A_SalesOrder'
const parties = 'A_SalesOrderHeaderPartner'

/** Gives an order to another customer: its parties are determined again from that customer's master data. */
export const moveToCustomer = (call: Call, order: EdmRow, customer: string): EdmRow => {
  const area = areaOf(set, order)
  const SalesOrder = text(set, order, 'SalesOrder')
  if (itemsOf(call, SalesOrder).some((item) => Number(deliveredOf(call, item)) > 0))
    throw refusal('V1/129', [SalesOrder], 'SoldToParty')
  customerArea(call, customer, area)
  for (const [PartnerFunction, Customer] of proposedParties(call, customer, area)) {
    checkOrderBlocks(call, Customer, area, 'SoldToParty')
    save(call, parties, { SalesOrder, PartnerFunction, Customer })
  }
  return saveHeader(call, { ...order, SoldToParty: customer })
}
