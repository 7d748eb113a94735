import type { Row } from '../../kernel/table.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { event, task } from './rules/activity.ts'
import { campaignMember } from './rules/campaign.ts'
import { caseComment, caseRules, contract } from './rules/case.ts'
import { opportunity, opportunityContactRole } from './rules/opportunity.ts'
import { contact, lead, user } from './rules/people.ts'
import { opportunityLineItem, pricebookEntry } from './rules/products.ts'
import type { Draft, Writing } from './writing.ts'

export interface Deriving {
  readonly writing: Writing
  readonly object: ObjectSchema
  readonly before: Row | undefined
  /** The record as it will be; derived fields are set here. */
  readonly draft: Draft
  /** What the caller asked for; null where a field is to be emptied. */
  readonly given: Draft
}

export interface Following {
  readonly writing: Writing
  readonly object: ObjectSchema
  readonly before: Row | undefined
  readonly after: Row
  readonly given: Draft
  readonly save: Save
}

/** How a rule changes other records, with everything that follows from that in turn. */
export interface Save {
  readonly insert: (object: string, fields: Draft) => string
  readonly change: (object: string, before: Row, fields: Draft) => void
}

/** What one object does beyond keeping its fields. */
export interface Rules {
  /** Refuses a change that the record's state forbids. */
  readonly guard?: (deriving: Deriving) => void
  /** Sets the fields that follow from others. */
  readonly derive?: (deriving: Deriving) => void
  /** Changes other records once this one is in place. */
  readonly follow?: (following: Following) => void
}

const rules: Readonly<Record<string, Rules>> = {
  Opportunity: opportunity,
  OpportunityContactRole: opportunityContactRole,
  OpportunityLineItem: opportunityLineItem,
  PricebookEntry: pricebookEntry,
  Case: caseRules,
  CaseComment: caseComment,
  Contract: contract,
  Contact: contact,
  Lead: lead,
  User: user,
  Task: task,
  Event: event,
  CampaignMember: campaignMember,
}

const none: Rules = {}
export const rulesOf = (object: ObjectSchema): Rules => rules[object.name] ?? none
