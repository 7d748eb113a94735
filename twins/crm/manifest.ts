import { defineManifest } from '@diorama/twin-kit/kernel/manifest'
import { check } from './check.ts'
import { section } from './section.ts'

export const crm = defineManifest({
  kind: 'crm',
  label: 'CRM',
  aliases: ['salesforce'],
  icon: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z M3 13.500c.5-2.7 2.5-4 5-4s4.5 1.3 5 4',
  standsFor: 'Salesforce REST and SOAP API, versions 20.0 to 67.0, as documented 2026-06',
  hosts: ['login.salesforce.com', 'test.salesforce.com', '*.my.salesforce.com', '*.salesforce.com'],
  // Of the event bus.
  ports: [7_443],
  section,
  check,
  keyNames: 'account, opportunity or case key',
  keys: ({ accounts, opportunities, cases }) =>
    [...accounts, ...opportunities, ...cases].map(({ key }) => key),
  secrets: ['00D\\w{12,15}![.\\w]+'],
  sampleRead: {
    method: 'GET',
    path: '/services/data/v62.0/query?q=SELECT+CaseNumber,Subject,Status+FROM+Case',
    scheme: 'Bearer ',
  },
  primaryFields: {
    Account: ['Name', 'Type', 'Industry', 'OwnerId', 'AnnualRevenue'],
    Contact: ['Name', 'Title', 'AccountId', 'Email', 'Phone'],
    Lead: ['Name', 'Company', 'Status', 'Email'],
    Opportunity: ['Name', 'StageName', 'Amount', 'CloseDate', 'AccountId', 'OwnerId'],
    Case: ['Subject', 'CaseNumber', 'Status', 'Priority', 'AccountId', 'ContactId'],
    Task: ['Subject', 'Status', 'Priority', 'ActivityDate', 'OwnerId'],
    Event: ['Subject', 'StartDateTime', 'EndDateTime', 'OwnerId'],
    User: ['Name', 'Email', 'IsActive'],
  },
  noise: {
    '*': [
      'SystemModstamp',
      'LastModifiedDate',
      'LastModifiedById',
      'LastViewedDate',
      'LastReferencedDate',
      'LastActivityDate',
    ],
  },
  legacyResources: ['Case', 'Opportunity'],
  url: import.meta.url,
})
