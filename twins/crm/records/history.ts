import type { Row } from '@diorama/twin-kit/kernel/table'
import type { ObjectSchema } from '../schema/schema.ts'
import type { Writing } from './writing.ts'

/** The fields whose changes the service keeps, in an organization that tracks them. */
const tracked: Readonly<Record<string, { history: string; parent: string; fields: readonly string[] }>> = {
  Case: {
    history: 'CaseHistory',
    parent: 'CaseId',
    fields: [
      'Status',
      'Priority',
      'OwnerId',
      'ContactId',
      'AccountId',
      'IsEscalated',
      'Type',
      'Origin',
      'Reason',
    ],
  },
  Opportunity: {
    history: 'OpportunityFieldHistory',
    parent: 'OpportunityId',
    fields: ['StageName', 'Amount', 'CloseDate', 'Probability', 'OwnerId', 'Name', 'ForecastCategoryName'],
  },
  Lead: { history: 'LeadHistory', parent: 'LeadId', fields: ['Status', 'OwnerId', 'Rating', 'Company'] },
  Account: {
    history: 'AccountHistory',
    parent: 'AccountId',
    fields: ['Name', 'OwnerId', 'Type', 'Industry', 'Rating', 'AnnualRevenue'],
  },
  Contact: {
    history: 'ContactHistory',
    parent: 'ContactId',
    fields: ['Name', 'OwnerId', 'AccountId', 'Email', 'Title'],
  },
}

export const recordHistory = (
  writing: Writing,
  object: ObjectSchema,
  before: Row | undefined,
  after: Row,
): void => {
  const tracking = tracked[object.name]
  const history = tracking && writing.schema.object(tracking.history)
  if (!tracking || !history) return
  const add = (field: string, old: unknown, now: unknown): void => {
    writing.table(history).insert({
      Id: writing.newId(history),
      [tracking.parent]: after.Id,
      CreatedById: writing.userId,
      CreatedDate: writing.stamp,
      Field: field,
      ...(old === undefined ? {} : { OldValue: old }),
      ...(now === undefined ? {} : { NewValue: now }),
    })
  }
  if (!before) add('created', undefined, undefined)
  else
    for (const field of tracking.fields)
      if (before[field] !== after[field]) add(field, before[field], after[field])
}
