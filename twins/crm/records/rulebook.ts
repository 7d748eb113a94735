import type { ObjectSchema } from '../schema/schema.ts'
import type { Rules } from './rule.ts'
import { account } from './rules/account.ts'
import { event, task } from './rules/activity.ts'
import { caseComment, caseRules } from './rules/case.ts'
import { emailMessage } from './rules/email.ts'
import { feedComment, feedItem } from './rules/feed.ts'
import { contentDocumentLink, contentVersion } from './rules/files.ts'
import { knowledge } from './rules/knowledge.ts'
import { contact, lead, user, userRole } from './rules/people.ts'
import { group, groupMember, queueSobject } from './rules/queues.ts'
import { asset } from './rules/sales/assets.ts'
import { campaign, campaignMember, campaignMemberStatus } from './rules/sales/campaign.ts'
import { contract } from './rules/sales/contract.ts'
import { opportunity, opportunityContactRole } from './rules/sales/opportunity.ts'
import { order, orderItem } from './rules/sales/orders.ts'
import { opportunityLineItem, pricebook, pricebookEntry, product } from './rules/sales/products.ts'
import { quote, quoteLineItem } from './rules/sales/quotes.ts'

const rules: Readonly<Record<string, Rules>> = {
  Account: account,
  Asset: asset,
  Campaign: campaign,
  CampaignMemberStatus: campaignMemberStatus,
  EmailMessage: emailMessage,
  ContentDocumentLink: contentDocumentLink,
  ContentVersion: contentVersion,
  FeedComment: feedComment,
  FeedItem: feedItem,
  Knowledge__kav: knowledge,
  Order: order,
  OrderItem: orderItem,
  Quote: quote,
  QuoteLineItem: quoteLineItem,
  Group: group,
  GroupMember: groupMember,
  Pricebook2: pricebook,
  Product2: product,
  QueueSobject: queueSobject,
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
  UserRole: userRole,
  Task: task,
  Event: event,
  CampaignMember: campaignMember,
}

const none: Rules = {}
export const rulesOf = (object: ObjectSchema): Rules => rules[object.name] ?? none
