import type { Row } from '@diorama/twin-kit/kernel/table'
import { integrity, refuse, requiredMissing } from '../../refusals.ts'
import type { Removing, Rules, Save } from '../../rule.ts'
import { type Draft, num, str, type Writing } from '../../writing.ts'

const isStandard = (writing: Writing, book: string): boolean =>
  writing.table('Pricebook2').get(book)?.IsStandard === true

const entriesOf = (writing: Writing, product: string): Row[] => [
  ...writing.table('PricebookEntry').find('Product2Id', product),
]

const standardEntry = (writing: Writing, product: string): Row | undefined =>
  entriesOf(writing, product).find((entry) => isStandard(writing, str(entry, 'Pricebook2Id') ?? ''))

export const pricebookEntry: Rules = {
  derive: ({ writing, before, draft, given }) => {
    const [book, product] = [str(draft, 'Pricebook2Id') ?? '', str(draft, 'Product2Id') ?? '']
    if (!before) checkNewEntry(writing, book, product)
    if ((num(draft, 'UnitPrice') ?? 0) < 0)
      throw refuse(
        'NUMBER_OUTSIDE_VALID_RANGE',
        `List Price: value outside of valid range on numeric field: ${String(draft.UnitPrice)}`,
        ['UnitPrice'],
      )
    if (draft.UseStandardPrice !== true) return
    if (isStandard(writing, book))
      throw integrity('The standard price book has no other price to use.: Use Standard Price', [
        'UseStandardPrice',
      ])
    const price = num(standardEntry(writing, product), 'UnitPrice')
    if (num(given, 'UnitPrice') !== undefined && given.UnitPrice !== price)
      throw integrity('List Price is read-only while the standard price is used.: List Price', ['UnitPrice'])
    draft.UnitPrice = price ?? draft.UnitPrice
  },
  follow: ({ writing, before, after, save }) => {
    if (!isStandard(writing, str(after, 'Pricebook2Id') ?? '') || before?.UnitPrice === after.UnitPrice)
      return
    for (const entry of entriesOf(writing, str(after, 'Product2Id') ?? ''))
      if (entry.UseStandardPrice === true && entry.Id !== after.Id)
        save.change('PricebookEntry', entry, { UnitPrice: after.UnitPrice })
  },
  keep: ({ writing, row }) => {
    refuseUsed({ writing, field: 'PricebookEntryId', id: String(row.Id), name: 'this price book entry' })
    const product = str(row, 'Product2Id') ?? ''
    if (isStandard(writing, str(row, 'Pricebook2Id') ?? '') && entriesOf(writing, product).length > 1)
      throw refuse('DELETE_FAILED', 'Delete the prices in other price books before the standard price.', [])
  },
}

const checkNewEntry = (writing: Writing, book: string, product: string): void => {
  const entries = entriesOf(writing, product)
  if (entries.some((entry) => entry.Pricebook2Id === book))
    throw refuse('DUPLICATE_VALUE', 'This price definition already exists in this price book', [])
  if (!isStandard(writing, book) && standardEntry(writing, product) === undefined)
    throw refuse('STANDARD_PRICE_NOT_DEFINED', 'Before creating a custom price, create a standard price.', [])
}

/** Objects whose lines use products and prices. */
const lineObjects = ['OpportunityLineItem', 'QuoteLineItem', 'OrderItem']

const refuseUsed = (used: { writing: Writing; field: string; id: string; name: string }): void => {
  const { writing, field, id, name } = used
  for (const object of lineObjects) {
    const schema = writing.schema.object(object)
    const indexed = schema?.field(field)
    if (schema && indexed && writing.org.count(schema, indexed, id) > 0)
      throw refuse(
        'DELETE_FAILED',
        `Your attempt to delete ${name} could not be completed because it is used by ${schema.plural.toLowerCase()}.`,
        [],
      )
  }
}

export const product: Rules = {
  keep: ({ writing, row }) =>
    refuseUsed({ writing, field: 'Product2Id', id: String(row.Id), name: String(row.Name) }),
}

export const pricebook: Rules = {
  keep: ({ writing, row }) => {
    if (row.IsStandard === true)
      throw refuse('INSUFFICIENT_ACCESS_OR_READONLY', 'the standard price book cannot be deleted', [])
    for (const name of ['Opportunity', 'Quote', 'Order']) {
      const object = writing.schema.object(name)
      const field = object?.field('Pricebook2Id')
      if (object && field && writing.org.count(object, field, String(row.Id)) > 0)
        throw refuse(
          'DELETE_FAILED',
          `Your attempt to delete ${String(row.Name)} could not be completed because it is used by ${object.plural.toLowerCase()}.`,
          [],
        )
    }
  },
}

export const opportunityLineItem: Rules = {
  derive: ({ writing, before, draft, given }) => {
    const deal = writing.table('Opportunity').get(str(draft, 'OpportunityId') ?? '')
    const entry = before
      ? undefined
      : entryFor(writing, draft, { book: str(deal, 'Pricebook2Id'), of: 'opportunity' })
    if (entry) {
      draft.PricebookEntryId = entry.Id
      draft.Product2Id = entry.Product2Id
    }
    priceLine(draft, given, before)
  },
  follow: ({ writing, after, save }) => rollUp(writing, save, str(after, 'OpportunityId') ?? ''),
  removed: ({ writing, row, save }: Removing) => rollUp(writing, save, str(row, 'OpportunityId') ?? ''),
}

/** One of unit price and total price is given, and the other follows from it, the quantity and the discount. */
const priceLine = (draft: Draft, given: Draft, before: Row | undefined): void => {
  const quantity = num(draft, 'Quantity') ?? 0
  if (quantity === 0) throw integrity('Quantity must be nonzero.: Quantity', ['Quantity'])
  const [unit, total] = [num(given, 'UnitPrice'), num(given, 'TotalPrice')]
  if (unit !== undefined && total !== undefined)
    throw integrity('Specify either UnitPrice or TotalPrice, not both', ['UnitPrice', 'TotalPrice'])
  if (
    before ? given.UnitPrice === null && given.TotalPrice === null : unit === undefined && total === undefined
  )
    throw requiredMissing(['UnitPrice'])
  if (
    before &&
    unit === undefined &&
    total === undefined &&
    given.Discount !== undefined &&
    given.Quantity !== undefined
  )
    throw integrity('Specify UnitPrice or TotalPrice when both Discount and Quantity change', [
      'UnitPrice',
      'TotalPrice',
    ])
  const share = 1 - (num(draft, 'Discount') ?? 0) / 100
  const price =
    unit ??
    (total === undefined ? (num(draft, 'UnitPrice') ?? 0) : share === 0 ? 0 : total / quantity / share)
  draft.UnitPrice = price
  draft.TotalPrice = total ?? cents(price * quantity * share)
  draft.Subtotal = cents(price * quantity)
}

export const cents = (amount: number): number => Math.round(amount * 100) / 100

/** The price that a new line uses: active, in an active price book, and in the one that the parent has. */
export const entryFor = (
  writing: Writing,
  draft: Draft,
  { book, of }: { book: string | undefined; of: string },
): Row => {
  const entries = writing.table('PricebookEntry')
  const asked = str(draft, 'PricebookEntryId')
  const found = asked
    ? entries.get(asked)
    : entriesOf(writing, str(draft, 'Product2Id') ?? '').find(
        (entry) => book === undefined || entry.Pricebook2Id === book,
      )
  const active = writing.table('Pricebook2').get(str(found, 'Pricebook2Id') ?? '')?.IsActive === true
  if (found?.IsActive !== true || !active)
    throw integrity(
      'field integrity exception: PricebookEntryId (pricebook entry has been inactivated or is missing)',
      ['PricebookEntryId'],
    )
  if (book !== undefined && found.Pricebook2Id !== book)
    throw integrity(
      `field integrity exception: PricebookEntryId (pricebook entry is in a different pricebook than the one assigned to the ${of})`,
      ['PricebookEntryId'],
    )
  return found
}

/** Has an opportunity take in what its products come to; its own rules sum them. */
const rollUp = (writing: Writing, save: Save, dealId: string): void => {
  const deal = writing.table('Opportunity').get(dealId)
  const [line] = writing.table('OpportunityLineItem').find('OpportunityId', dealId)
  if (!deal || !line) return
  const entry = writing.table('PricebookEntry').get(str(line, 'PricebookEntryId') ?? '')
  save.change(
    'Opportunity',
    deal,
    deal.Pricebook2Id === undefined && entry ? { Pricebook2Id: entry.Pricebook2Id } : {},
  )
}
