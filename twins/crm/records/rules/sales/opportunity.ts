import type { Row } from '@diorama/twin-kit/kernel/table'
import { dayNumber, partsOf } from '../../../dates.ts'
import { integrity, refuse } from '../../refusals.ts'
import type { Rules } from '../../rule.ts'
import { type Draft, num, str, type Writing } from '../../writing.ts'

/** The two names that one forecast category has. */
export const forecastNames: Readonly<Record<string, string>> = {
  Omitted: 'Omitted',
  Pipeline: 'Pipeline',
  BestCase: 'Best Case',
  MostLikely: 'Most Likely',
  Forecast: 'Commit',
  Closed: 'Closed',
}

/** Everything about an opportunity that its stage, amount and close date decide. */
export const deriveOpportunity = (
  draft: Draft,
  stage: Row | undefined,
  given: Draft,
  staged: boolean,
): void => {
  if (staged) {
    draft.IsClosed = stage?.IsClosed === true
    draft.IsWon = stage?.IsWon === true
    if (given.Probability === undefined && stage) draft.Probability = num(stage, 'DefaultProbability') ?? null
    if (given.ForecastCategoryName === undefined)
      draft.ForecastCategoryName = str(stage, 'ForecastCategoryName') ?? 'Pipeline'
  }
  const category = Object.entries(forecastNames).find(([, name]) => name === draft.ForecastCategoryName)?.[0]
  draft.ForecastCategory = category ?? draft.ForecastCategory ?? 'Pipeline'
  const [amount, probability] = [num(draft, 'Amount'), num(draft, 'Probability')]
  draft.ExpectedRevenue = amount === undefined ? null : Math.round(amount * (probability ?? 0)) / 100
  const close = str(draft, 'CloseDate')
  if (close) {
    const { year, month } = partsOf(dayNumber(close))
    draft.FiscalYear = year
    draft.FiscalQuarter = Math.floor((month - 1) / 3) + 1
    draft.Fiscal = `${year} ${draft.FiscalQuarter}`
  }
}

export const stageNamed = (stages: Iterable<Row>, name: string | undefined): Row | undefined => {
  for (const stage of stages) if (str(stage, 'ApiName')?.toLowerCase() === name?.toLowerCase()) return stage
  return undefined
}

const watched = ['StageName', 'Amount', 'CloseDate', 'Probability', 'ForecastCategory']

export const opportunity: Rules = {
  guard: ({ writing, before, given }) => {
    const [held, asked] = [str(before, 'Pricebook2Id'), given.Pricebook2Id]
    if (held === undefined || asked === undefined || asked === held || !hasLines(writing, before)) return
    throw integrity(
      'The price book of an opportunity cannot be changed while it has products. Delete the products first.: Price Book ID',
      ['Pricebook2Id'],
    )
  },
  derive: ({ writing, before, draft, given }) => {
    const probability = num(given, 'Probability')
    if (probability !== undefined && (probability < 0 || probability > 100))
      throw refuse(
        'NUMBER_OUTSIDE_VALID_RANGE',
        `Probability (%): value outside of valid range on numeric field: ${probability}`,
        ['Probability'],
      )
    if (given.Pricebook2Id !== undefined) checkPricebook(writing, str(draft, 'Pricebook2Id'))
    // With products, the amount and the quantity are their sums, and what a caller writes is passed over.
    if (hasLines(writing, before)) Object.assign(draft, sumsOf(writing, before))
    const staged = before === undefined || before.StageName !== draft.StageName
    deriveOpportunity(
      draft,
      stageNamed(writing.table('OpportunityStage').all(), str(draft, 'StageName')),
      given,
      staged,
    )
    if (before && staged) draft.LastStageChangeDate = writing.stamp
  },
  follow: ({ writing, before, after, given, save }) => {
    if (!before || watched.some((field) => before[field] !== after[field])) addHistory(writing, before, after)
    const contact = str(given, 'ContactId')
    if (before || !contact) return
    save.insert('OpportunityContactRole', {
      OpportunityId: after.Id,
      ContactId: contact,
      IsPrimary: true,
    })
  },
}

const linesOf = (writing: Writing, deal: Row | undefined): Row[] =>
  deal === undefined ? [] : [...writing.table('OpportunityLineItem').find('OpportunityId', String(deal.Id))]

const hasLines = (writing: Writing, deal: Row | undefined): boolean => linesOf(writing, deal).length > 0

const sumsOf = (writing: Writing, deal: Row | undefined): Draft => {
  const lines = linesOf(writing, deal)
  const sum = (field: string): number => lines.reduce((total, line) => total + (num(line, field) ?? 0), 0)
  return { Amount: Math.round(sum('TotalPrice') * 100) / 100, TotalOpportunityQuantity: sum('Quantity') }
}

const checkPricebook = (writing: Writing, book: string | undefined): void => {
  if (book !== undefined && writing.table('Pricebook2').get(book)?.IsActive !== true)
    throw integrity('The price book is not active.: Price Book ID', ['Pricebook2Id'])
}

const addHistory = (writing: Writing, before: Row | undefined, after: Row): void => {
  const history = writing.org.object('OpportunityHistory')
  const id = writing.newId(history)
  const kept = ['StageName', 'Amount', 'ExpectedRevenue', 'CloseDate', 'Probability', 'ForecastCategory']
  writing.table(history).insert({
    Id: id,
    OpportunityId: after.Id,
    CreatedById: writing.userId,
    CreatedDate: writing.stamp,
    SystemModstamp: writing.stamp,
    ...Object.fromEntries(
      kept.filter((field) => after[field] !== undefined).map((field) => [field, after[field]]),
    ),
  })
  if (!before) return
  const pointers = {
    ...(before.Amount === after.Amount ? {} : { LastAmountChangedHistoryId: id }),
    ...(before.CloseDate === after.CloseDate ? {} : { LastCloseDateChangedHistoryId: id }),
  }
  if (Object.keys(pointers).length > 0) writing.table('Opportunity').update(String(after.Id), pointers)
}

/** An opportunity has one primary contact, and shows it. */
export const opportunityContactRole: Rules = {
  follow: ({ writing, after }) => {
    const deal = str(after, 'OpportunityId')
    if (after.IsPrimary !== true || !deal) return
    const roles = writing.table('OpportunityContactRole')
    for (const other of [...roles.find('OpportunityId', deal)])
      if (other.Id !== after.Id && other.IsPrimary === true)
        roles.update(String(other.Id), { IsPrimary: false })
    const opportunities = writing.table('Opportunity')
    if (opportunities.get(deal)?.ContactId !== after.ContactId)
      opportunities.update(deal, { ContactId: after.ContactId })
  },
}
