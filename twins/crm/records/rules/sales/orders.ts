import type { Row } from '@diorama/twin-kit/kernel/table'
import { integrity, refuse, requiredMissing } from '../../refusals.ts'
import type { Rules } from '../../rule.ts'
import { type Draft, num, str, type Writing } from '../../writing.ts'
import { nextNumber } from '../numbers.ts'
import { cents, entryFor } from './products.ts'

const isActivated = (order: Row | Draft | undefined): boolean => order?.StatusCode === 'Activated'

const itemsOf = (writing: Writing, order: Row | undefined): Row[] =>
  order === undefined ? [] : [...writing.table('OrderItem').find('OrderId', String(order.Id))]

/** Fields that an activated order keeps. */
const locked = [
  'AccountId',
  'ContractId',
  'Pricebook2Id',
  'EffectiveDate',
  'EndDate',
  'OpportunityId',
  'QuoteId',
]

/** An order is drafted, gets its products, and is activated; what was ordered is fixed from then on. */
export const order: Rules = {
  guard: ({ writing, before, given }) => {
    if (isActivated(before)) {
      const changed = locked.filter(
        (name) => given[name] !== undefined && given[name] !== (before?.[name] ?? null),
      )
      if (changed.length > 0)
        throw refuse(
          'ENTITY_IS_LOCKED',
          'An activated order cannot be edited: make it a draft first.',
          changed,
        )
    }
    const [held, asked] = [str(before, 'Pricebook2Id'), given.Pricebook2Id]
    if (held !== undefined && asked !== undefined && asked !== held && itemsOf(writing, before).length > 0)
      throw integrity('The price book of an order cannot be changed while it has products.: Price Book ID', [
        'Pricebook2Id',
      ])
  },
  derive: ({ writing, before, draft }) => {
    if (!before) draft.OrderNumber = nextNumber(writing, 'Order', 'OrderNumber', 99)
    const contract = writing.table('Contract').get(str(draft, 'ContractId') ?? '')
    draft.AccountId ??= contract?.AccountId
    if (!str(draft, 'AccountId')) throw requiredMissing(['AccountId'])
    checkDates(draft, contract)
    const status = str(draft, 'Status') === 'Activated' ? 'Activated' : 'Draft'
    if (status === 'Activated' && !isActivated(before)) {
      if (itemsOf(writing, before).length === 0)
        throw refuse('FAILED_ACTIVATION', 'An order must have at least one product.', ['Status'])
      if (contract && contract.StatusCode !== 'Activated')
        throw refuse('FAILED_ACTIVATION', 'The contract of an activated order must be activated.', [
          'ContractId',
        ])
      draft.ActivatedById = writing.userId
      draft.ActivatedDate = writing.stamp
    }
    if (status === 'Draft' && isActivated(before))
      Object.assign(draft, { ActivatedById: null, ActivatedDate: null })
    draft.StatusCode = status
  },
  keep: ({ row }) => {
    if (isActivated(row)) throw refuse('DELETE_FAILED', 'An activated order cannot be deleted.', [])
  },
}

const checkDates = (draft: Draft, contract: Row | undefined): void => {
  const [start, end] = [str(draft, 'EffectiveDate'), str(draft, 'EndDate')]
  if (start !== undefined && end !== undefined && end < start)
    throw integrity("Order End Date can't be earlier than the Order Start Date.: Order End Date", ['EndDate'])
  const [from, to] = [str(contract, 'StartDate'), str(contract, 'EndDate')]
  if (start !== undefined && to !== undefined && start > to)
    throw integrity("Order Start Date can't be later than its contract's end date.: Order Start Date", [
      'EffectiveDate',
    ])
  if (start !== undefined && from !== undefined && start < from)
    throw integrity("Order Start Date can't be earlier than the contract's start date.: Order Start Date", [
      'EffectiveDate',
    ])
}

const orderOf = (writing: Writing, item: Row | Draft): Row | undefined =>
  writing.table('Order').get(str(item, 'OrderId') ?? '')

const refuseActivated = (order: Row | undefined): void => {
  if (isActivated(order))
    throw refuse('ENTITY_IS_LOCKED', 'The products of an activated order cannot be changed.', ['OrderId'])
}

export const orderItem: Rules = {
  derive: ({ writing, before, draft }) => {
    const order = orderOf(writing, draft)
    refuseActivated(order)
    if (!before) {
      if (str(order, 'Pricebook2Id') === undefined)
        throw integrity('Choose a price book for the order before you add products.: Order ID', ['OrderId'])
      const entry = entryFor(writing, draft, { book: str(order, 'Pricebook2Id'), of: 'order' })
      Object.assign(draft, { Product2Id: entry.Product2Id, PricebookEntryId: entry.Id })
      draft.OrderItemNumber = nextNumber(writing, 'OrderItem', 'OrderItemNumber', 0).padStart(10, '0')
    }
    const quantity = num(draft, 'Quantity') ?? 0
    if (quantity === 0) throw integrity('Quantity must be nonzero.: Quantity', ['Quantity'])
    draft.TotalPrice = cents(quantity * (num(draft, 'UnitPrice') ?? 0))
    draft.AvailableQuantity = quantity
  },
  keep: ({ writing, row }) => refuseActivated(orderOf(writing, row)),
}
