import type { Row } from '@diorama/twin-kit/kernel/table'

/** The blueprint's words in the service's spelling. */
export const accountTypes = {
  prospect: 'Prospect',
  customer_direct: 'Customer - Direct',
  customer_channel: 'Customer - Channel',
  channel_partner: 'Channel Partner / Reseller',
  other: 'Other',
} as const
export const leadSources = {
  web: 'Web',
  phone_inquiry: 'Phone Inquiry',
  partner_referral: 'Partner Referral',
  purchased_list: 'Purchased List',
  trade_show: 'Trade Show',
  referral: 'Referral',
  other: 'Other',
} as const
export const leadStatuses = {
  open_not_contacted: 'Open - Not Contacted',
  working_contacted: 'Working - Contacted',
  closed_converted: 'Closed - Converted',
  closed_not_converted: 'Closed - Not Converted',
} as const
export const opportunityTypes = {
  new_customer: 'New Customer',
  existing_customer_upgrade: 'Existing Customer - Upgrade',
  existing_customer_renewal: 'Existing Customer - Renewal',
  existing_customer_replacement: 'Existing Customer - Replacement',
} as const
export const opportunityStages = {
  prospecting: 'Prospecting',
  qualification: 'Qualification',
  needs_analysis: 'Needs Analysis',
  value_proposition: 'Value Proposition',
  id_decision_makers: 'Id. Decision Makers',
  perception_analysis: 'Perception Analysis',
  proposal_price_quote: 'Proposal/Price Quote',
  negotiation_review: 'Negotiation/Review',
  closed_won: 'Closed Won',
  closed_lost: 'Closed Lost',
} as const
export const caseOrigins = { email: 'Email', phone: 'Phone', web: 'Web', chat: 'Chat' } as const
export const casePriorities = { low: 'Low', medium: 'Medium', high: 'High', critical: 'Critical' } as const
export const caseStatuses = {
  new: 'New',
  working: 'Working',
  escalated: 'Escalated',
  closed: 'Closed',
} as const

const stage = (MasterLabel: string, DefaultProbability: number, category: string, closed = '') => ({
  MasterLabel,
  ApiName: MasterLabel,
  IsActive: true,
  DefaultProbability,
  ForecastCategory: category,
  ForecastCategoryName: category,
  IsClosed: closed !== '',
  IsWon: closed === 'won',
})

export const stages: readonly (Row & { MasterLabel: string })[] = [
  stage('Prospecting', 10, 'Pipeline'),
  stage('Qualification', 10, 'Pipeline'),
  stage('Needs Analysis', 20, 'Pipeline'),
  stage('Value Proposition', 50, 'Pipeline'),
  stage('Id. Decision Makers', 60, 'Pipeline'),
  stage('Perception Analysis', 70, 'Pipeline'),
  stage('Proposal/Price Quote', 75, 'Pipeline'),
  stage('Negotiation/Review', 90, 'Pipeline'),
  stage('Closed Won', 100, 'Closed', 'won'),
  stage('Closed Lost', 0, 'Omitted', 'lost'),
]

/** The organization's lists of values that are separate objects, in their order. */
export const standardValues: Readonly<Record<string, readonly (Row & { MasterLabel: string })[]>> = {
  OpportunityStage: stages,
  LeadStatus: [
    { MasterLabel: 'Open - Not Contacted', IsDefault: true, IsConverted: false },
    { MasterLabel: 'Working - Contacted', IsDefault: false, IsConverted: false },
    { MasterLabel: 'Closed - Converted', IsDefault: false, IsConverted: true },
    { MasterLabel: 'Closed - Not Converted', IsDefault: false, IsConverted: false },
  ],
  CaseStatus: [
    { MasterLabel: 'New', IsDefault: true, IsClosed: false },
    { MasterLabel: 'Working', IsDefault: false, IsClosed: false },
    { MasterLabel: 'Escalated', IsDefault: false, IsClosed: false },
    { MasterLabel: 'Closed', IsDefault: false, IsClosed: true },
  ],
  TaskStatus: [
    { MasterLabel: 'Not Started', IsDefault: true, IsClosed: false },
    { MasterLabel: 'In Progress', IsDefault: false, IsClosed: false },
    { MasterLabel: 'Completed', IsDefault: false, IsClosed: true },
    { MasterLabel: 'Waiting on someone else', IsDefault: false, IsClosed: false },
    { MasterLabel: 'Deferred', IsDefault: false, IsClosed: false },
  ],
  TaskPriority: [
    { MasterLabel: 'High', IsDefault: false, IsHighPriority: true },
    { MasterLabel: 'Normal', IsDefault: true, IsHighPriority: false },
    { MasterLabel: 'Low', IsDefault: false, IsHighPriority: false },
  ],
}
