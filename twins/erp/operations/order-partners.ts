import { fault } from '../../kernel/wires/odata/faults.ts'
import type { EdmRow, EdmValues } from '../../kernel/wires/odata/model.ts'
import type { Behaviour, Writing } from '../../kernel/wires/odata/write/operations.ts'
import { erase, rowAt, save, text } from '../access.ts'
import { orderPartners } from '../codes.ts'
import { refusal } from '../rules/messages.ts'
import { orderAt, saveHeader, touchOrder } from '../rules/order-changes.ts'

type PartnerSet = 'A_SalesOrderHeaderPartner' | 'A_SalesOrderItemPartner'

const checkCustomer = ({ call }: Writing, set: PartnerSet, values: EdmValues): void => {
  const customer = text(set, values, 'Customer')
  if (customer !== '' && !rowAt(call, 'A_Customer', customer)) throw refusal('V1/321', [customer], 'Customer')
}

/** Names a party of an order or an item. With a new order, the caller's party takes the place of the usual one. */
export const createPartner = (
  writing: Writing,
  values: EdmValues,
  set: PartnerSet,
  above: EdmValues,
  replace: boolean,
): EdmRow => {
  const { call } = writing
  const party = { ...values, ...above }
  const name = text(set, party, 'PartnerFunction')
  if (name === '') throw fault('missing_element', { property: 'PartnerFunction', type: `${set}Type` })
  checkCustomer(writing, set, party)
  const id = [...Object.values(above), name].join('/')
  if (!replace && rowAt(call, set, id)) throw fault('duplicate', { type: `${set}Type`, key: id })
  // The sold-to party is the order's own field.
  if (replace && set === 'A_SalesOrderHeaderPartner' && name === 'SP' && rowAt(call, set, id))
    return party as EdmRow
  return save(call, set, party)
}

const behaviourOf = (set: PartnerSet): Behaviour => ({
  create: (writing, draft, above) => {
    const key = Object.fromEntries(
      (set === 'A_SalesOrderItemPartner' ? ['SalesOrder', 'SalesOrderItem'] : ['SalesOrder']).map((name) => [
        name,
        above[name] ?? draft.values[name] ?? '',
      ]),
    )
    orderAt(writing.call, String(key.SalesOrder))
    const row = createPartner(writing, draft.values, set, key, false)
    touchOrder(writing.call, String(row.SalesOrder))
    return row
  },
  update: (writing, row, change) => {
    const party = { ...row, ...change }
    checkCustomer(writing, set, party)
    const saved = save(writing.call, set, party)
    const order = orderAt(writing.call, String(row.SalesOrder))
    const isSoldTo = set === 'A_SalesOrderHeaderPartner' && row.PartnerFunction === 'SP'
    saveHeader(writing.call, isSoldTo ? { ...order, SoldToParty: text(set, party, 'Customer') } : order)
    return saved
  },
  remove: (writing, row) => {
    const name = text(set, row, 'PartnerFunction')
    if (set === 'A_SalesOrderHeaderPartner' && orderPartners.some((needed) => needed === name))
      throw refusal('V1/320', [name])
    erase(writing.call, set, row)
    touchOrder(writing.call, String(row.SalesOrder))
  },
})

export const headerPartnerBehaviour = behaviourOf('A_SalesOrderHeaderPartner')
export const itemPartnerBehaviour = behaviourOf('A_SalesOrderItemPartner')
