import { fault } from '@diorama/twin-kit/wires/odata/faults'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import type { Behaviour, Writing } from '@diorama/twin-kit/wires/odata/write/operations'
import { erase, rowAt, save, text } from '../../access.ts'
import { orderPartners } from '../../codes.ts'
import { refusal } from '../../rules/messages.ts'
import { orderAt, touchOrder } from '../../rules/order-changes.ts'
import { moveToCustomer } from '../../rules/order-customer.ts'
import { areaOf, checkOrderBlocks, checkParty } from '../../rules/partner-checks.ts'

type PartnerSet = 'A_SalesOrderHeaderPartner' | 'A_SalesOrderItemPartner'

export interface NewParty {
  readonly set: PartnerSet
  readonly values: EdmValues
  /** The key of the order or the item. */
  readonly above: EdmValues
  /** With a new document, the caller's party takes the place of the proposed one. */
  readonly replace: boolean
}

/** Names a party of an order or an item. */
export const createParty = ({ call }: Writing, { set, values, above, replace }: NewParty): EdmRow => {
  const party: EdmValues = { ...values, ...above }
  const name = text(set, party, 'PartnerFunction')
  if (name === '') throw fault('missing_element', { property: 'PartnerFunction', type: `${set}Type` })
  checkParty(call, set, party)
  const id = [...Object.values(above), name].join('/')
  const there = rowAt(call, set, id)
  if (there && !replace) throw fault('duplicate', { type: `${set}Type`, key: id })
  // The sold-to party is the order's own field.
  if (there && set === 'A_SalesOrderHeaderPartner' && name === 'SP') return there
  const order = orderAt(call, String(above.SalesOrder))
  const customer = text(set, party, 'Customer')
  if (customer !== '') checkOrderBlocks(call, customer, areaOf('A_SalesOrder', order), 'Customer')
  return save(call, set, party)
}

const behaviourOf = (set: PartnerSet): Behaviour => ({
  create: (writing, draft, above) => {
    const names = set === 'A_SalesOrderItemPartner' ? ['SalesOrder', 'SalesOrderItem'] : ['SalesOrder']
    const key = Object.fromEntries(names.map((name) => [name, above[name] ?? draft.values[name] ?? '']))
    orderAt(writing.call, String(key.SalesOrder))
    const row = createParty(writing, { set, values: draft.values, above: key, replace: false })
    touchOrder(writing.call, String(row.SalesOrder))
    return row
  },
  update: ({ call }, row, change) => {
    const party = { ...row, ...change }
    checkParty(call, set, party)
    const order = orderAt(call, String(row.SalesOrder))
    const customer = text(set, party, 'Customer')
    if (customer !== text(set, row, 'Customer'))
      checkOrderBlocks(call, customer, areaOf('A_SalesOrder', order), 'Customer')
    if (set === 'A_SalesOrderHeaderPartner' && row.PartnerFunction === 'SP') {
      moveToCustomer(call, order, customer)
      return rowAt(call, set, row.id) ?? row
    }
    const saved = save(call, set, party)
    touchOrder(call, String(row.SalesOrder))
    return saved
  },
  remove: ({ call }, row) => {
    const name = text(set, row, 'PartnerFunction')
    if (set === 'A_SalesOrderHeaderPartner' && orderPartners.some((needed) => needed === name))
      throw refusal('V1/320', [name])
    erase(call, set, row)
    touchOrder(call, String(row.SalesOrder))
  },
})

export const headerPartnerBehaviour = behaviourOf('A_SalesOrderHeaderPartner')
export const itemPartnerBehaviour = behaviourOf('A_SalesOrderItemPartner')
