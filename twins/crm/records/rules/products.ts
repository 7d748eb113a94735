import type { Row } from '../../../kernel/table.ts'
import { integrity, refuse } from '../refusals.ts'
import type { Rules, Save } from '../rules.ts'
import { type Draft, num, str, type Writing } from '../writing.ts'

export const pricebookEntry: Rules = {
  derive: ({ writing, before, draft }) => {
    const [book, product] = [str(draft, 'Pricebook2Id') ?? '', str(draft, 'Product2Id') ?? '']
    if (before) return
    const entries = [...writing.table('PricebookEntry').find('Product2Id', product)]
    if (entries.some((entry) => entry.Pricebook2Id === book))
      throw refuse('DUPLICATE_VALUE', 'This price definition already exists in this price book', [])
    const isStandard = (id: string) => writing.table('Pricebook2').get(id)?.IsStandard === true
    if (!isStandard(book) && !entries.some((entry) => isStandard(str(entry, 'Pricebook2Id') ?? '')))
      throw refuse(
        'STANDARD_PRICE_NOT_DEFINED',
        'Before creating a custom price, create a standard price.',
        [],
      )
  },
}

export const opportunityLineItem: Rules = {
  derive: ({ writing, before, draft, given }) => {
    const deal = writing.table('Opportunity').get(str(draft, 'OpportunityId') ?? '')
    const entry = before ? undefined : entryFor(writing, draft, deal)
    if (entry) {
      draft.PricebookEntryId = entry.Id
      draft.Product2Id = entry.Product2Id
    }
    const quantity = num(draft, 'Quantity') ?? 0
    const [unit, total] = [num(given, 'UnitPrice'), num(given, 'TotalPrice')]
    if (unit !== undefined && total !== undefined)
      throw integrity('Specify either UnitPrice or TotalPrice, not both', ['UnitPrice', 'TotalPrice'])
    const price =
      unit ??
      (total === undefined
        ? (num(draft, 'UnitPrice') ?? num(entry, 'UnitPrice') ?? 0)
        : total / (quantity || 1))
    draft.UnitPrice = price
    draft.TotalPrice = total ?? Math.round(price * quantity * 100) / 100
  },
  follow: ({ writing, after, save }) => rollUp(writing, save, str(after, 'OpportunityId') ?? ''),
}

const entryFor = (writing: Writing, draft: Draft, deal: Row | undefined): Row => {
  const entries = writing.table('PricebookEntry')
  const asked = str(draft, 'PricebookEntryId')
  const product = str(draft, 'Product2Id')
  const book = str(deal, 'Pricebook2Id')
  const found = asked
    ? entries.get(asked)
    : [...entries.find('Product2Id', product ?? '')].find(
        (entry) => book === undefined || entry.Pricebook2Id === book,
      )
  if (!found)
    throw integrity(
      'field integrity exception: PricebookEntryId (pricebook entry has been inactivated or is missing)',
      ['PricebookEntryId'],
    )
  if (book !== undefined && found.Pricebook2Id !== book)
    throw integrity(
      `field integrity exception: PricebookEntryId (pricebook entry is in a different pricebook than the one assigned to the opportunity)`,
      ['PricebookEntryId'],
    )
  return found
}

/** An opportunity with products is worth what they come to. */
export const rollUp = (writing: Writing, save: Save, dealId: string): void => {
  const deal = writing.table('Opportunity').get(dealId)
  const lines = [...writing.table('OpportunityLineItem').find('OpportunityId', dealId)]
  if (!deal || lines.length === 0) return
  const entry = writing.table('PricebookEntry').get(str(lines[0], 'PricebookEntryId') ?? '')
  const total = lines.reduce((sum, line) => sum + (num(line, 'TotalPrice') ?? 0), 0)
  const quantity = lines.reduce((sum, line) => sum + (num(line, 'Quantity') ?? 0), 0)
  save.change('Opportunity', deal, {
    Amount: Math.round(total * 100) / 100,
    TotalOpportunityQuantity: quantity,
    ...(deal.Pricebook2Id === undefined && entry ? { Pricebook2Id: entry.Pricebook2Id } : {}),
  })
}
