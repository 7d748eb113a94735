import type { Row } from '@diorama/twin-kit/kernel/table'
import { integrity } from '../../refusals.ts'
import type { Rules } from '../../rule.ts'
import { num, str } from '../../writing.ts'
import { nextNumber } from '../numbers.ts'
import { cents, entryFor } from './products.ts'

export const quote: Rules = {
  guard: ({ writing, before, given }) => {
    const [held, asked] = [str(before, 'Pricebook2Id'), given.Pricebook2Id]
    if (held === undefined || asked === undefined || asked === held) return
    if (writing.table('QuoteLineItem').count('QuoteId', String(before?.Id)) > 0)
      throw integrity('The price book of a quote cannot be changed while it has line items.: Price Book ID', [
        'Pricebook2Id',
      ])
  },
  derive: ({ writing, before, draft }) => {
    const deal = writing.table('Opportunity').get(str(draft, 'OpportunityId') ?? '')
    if (!before) {
      draft.QuoteNumber = nextNumber(writing, 'Quote', 'QuoteNumber', 0)
      draft.Pricebook2Id ??= deal?.Pricebook2Id
    }
    draft.AccountId = deal?.AccountId ?? null
  },
}

export const quoteLineItem: Rules = {
  derive: ({ writing, before, draft }) => {
    const parent: Row | undefined = writing.table('Quote').get(str(draft, 'QuoteId') ?? '')
    if (!before) {
      if (str(parent, 'Pricebook2Id') === undefined)
        throw integrity('Choose a price book for the quote before you add line items.: Quote ID', ['QuoteId'])
      const entry = entryFor(writing, draft, { book: str(parent, 'Pricebook2Id'), of: 'quote' })
      Object.assign(draft, { Product2Id: entry.Product2Id, PricebookEntryId: entry.Id })
      draft.LineNumber = nextNumber(writing, 'QuoteLineItem', 'LineNumber', 0)
    }
    const [quantity, price] = [num(draft, 'Quantity') ?? 0, num(draft, 'UnitPrice') ?? 0]
    if (quantity === 0) throw integrity('Quantity must be nonzero.: Quantity', ['Quantity'])
    draft.Subtotal = cents(quantity * price)
    draft.TotalPrice = cents(quantity * price * (1 - (num(draft, 'Discount') ?? 0) / 100))
  },
}
