import type { Row } from '@diorama/twin-kit/kernel/table'
import { dayText, nativeMoment } from '../dates.ts'
import type { FieldSchema, ObjectSchema } from '../schema/schema.ts'
import { viewedTable } from '../tables.ts'
import type { Org } from './organization.ts'

type Virtual = (row: Row, org: Org) => unknown

/** Fields that the service works out from other records, or from other fields of the same one, whenever they are read. */
export const virtualOf = (object: ObjectSchema, field: FieldSchema): Virtual | undefined => {
  if (field.type === 'address') return addressOf(object, field)
  if (field.type === 'base64') return blobUrl(object, field)
  const byObject = virtuals[`${object.name}.${field.name}`]
  if (byObject) return byObject
  return anyObject[field.name]
}

const text = (row: Row | undefined, field: string): string | null => {
  const value = row?.[field]
  return typeof value === 'string' ? value : null
}
const number = (row: Row | undefined, field: string): number => {
  const value = row?.[field]
  return typeof value === 'number' ? value : 0
}
const parent = (row: Row, org: Org, object: string, field: string): Row | undefined => {
  const id = text(row, field)
  return id === null ? undefined : org.get(org.object(object), id)
}
const idOf = (row: Row): string => text(row, 'Id') ?? ''
const under = (org: Org, object: string, field: string, id: string): Iterable<Row> =>
  org.tables[object]?.find(field, id) ?? []

const addressOf = (object: ObjectSchema, field: FieldSchema): Virtual => {
  const parts = object.fields.filter(({ compound }) => compound === field.name)
  const names = [
    'City',
    'Country',
    'GeocodeAccuracy',
    'Latitude',
    'Longitude',
    'PostalCode',
    'State',
    'Street',
  ]
  const sources = names.map((name) => {
    const source = parts.find((part) => part.name.endsWith(name)) ?? object.field(name)
    return [`${name.charAt(0).toLowerCase()}${name.slice(1)}`, source?.name ?? ''] as const
  })
  return (row) =>
    sources.some(([, source]) => row[source] !== undefined)
      ? Object.fromEntries(sources.map(([name, source]) => [name, row[source] ?? null]))
      : null
}

/** The bytes of a file are read from their own address. */
const blobUrl =
  (object: ObjectSchema, field: FieldSchema): Virtual =>
  (row, org) =>
    row[field.name] === undefined
      ? null
      : `/services/data/v${org.version}/sobjects/${object.name}/${idOf(row)}/${field.name}`

/** The latest of the events and the closed tasks of a record. */
const lastActivity =
  (...fields: readonly string[]): Virtual =>
  (row, org) => {
    let latest: string | null = null
    for (const field of fields)
      for (const object of ['Task', 'Event'])
        for (const activity of under(org, object, field, idOf(row))) {
          const day = text(activity, 'ActivityDate')
          const counts = object === 'Event' || activity.IsClosed === true
          if (counts && day !== null && (latest === null || day > latest)) latest = day
        }
    return latest
  }

const openTasks = (row: Row, org: Org): Row[] =>
  [...under(org, 'Task', 'WhatId', idOf(row))].filter((task) => task.IsClosed !== true)

const viewed =
  (moment: 'viewed' | 'referenced'): Virtual =>
  (row, org) => {
    const seen = org.tables[viewedTable]?.get(`${org.userId} ${idOf(row)}`)
    const at = seen?.[moment]
    return typeof at === 'number' ? nativeMoment(at) : null
  }

const ofContact =
  (field: string): Virtual =>
  (row, org) =>
    text(parent(row, org, 'Contact', 'ContactId'), field)

const photo: Virtual = (row) => `/services/images/photo/${idOf(row)}`

const member =
  (field: string): Virtual =>
  (row, org) => {
    const person = parent(row, org, 'Contact', 'ContactId') ?? parent(row, org, 'Lead', 'LeadId')
    return person?.[field] ?? null
  }

const members = (row: Row, org: Org): Row[] => [...under(org, 'CampaignMember', 'CampaignId', idOf(row))]
const campaignDeals = (row: Row, org: Org): Row[] => [...under(org, 'Opportunity', 'CampaignId', idOf(row))]
const sum = (rows: readonly Row[], field: string): number =>
  rows.reduce((total, row) => total + number(row, field), 0)

const product =
  (field: string): Virtual =>
  (row, org) =>
    text(parent(row, org, 'Product2', 'Product2Id'), field)

const total = (rows: Iterable<Row>, field: string): number => Math.round(sum([...rows], field) * 100) / 100
const orderItems = (row: Row, org: Org): Iterable<Row> => under(org, 'OrderItem', 'OrderId', idOf(row))
const quoteLines = (row: Row, org: Org): Iterable<Row> => under(org, 'QuoteLineItem', 'QuoteId', idOf(row))
const listPrice: Virtual = (row, org) =>
  parent(row, org, 'PricebookEntry', 'PricebookEntryId')?.UnitPrice ?? null
const quoteTotal: Virtual = (row, org) => total(quoteLines(row, org), 'TotalPrice')

/** An entitlement is valid from its first day to its last. */
const entitlementStatus: Virtual = (row, org) => {
  const today = dayText(org.zone.dayOf(org.now))
  const [start, end] = [text(row, 'StartDate'), text(row, 'EndDate')]
  if (start === null || start > today) return 'Inactive'
  return end !== null && end < today ? 'Expired' : 'Active'
}

const comments = (row: Row, org: Org): number => org.tables.FeedComment?.count('FeedItemId', idOf(row)) ?? 0

const anyObject: Readonly<Record<string, Virtual>> = {
  LastViewedDate: viewed('viewed'),
  LastReferencedDate: viewed('referenced'),
}

const virtuals: Readonly<Record<string, Virtual>> = {
  'Account.LastActivityDate': lastActivity('AccountId', 'WhatId'),
  'Contact.LastActivityDate': lastActivity('WhoId'),
  'Lead.LastActivityDate': lastActivity('WhoId'),
  'Opportunity.LastActivityDate': lastActivity('WhatId'),
  'Campaign.LastActivityDate': lastActivity('WhatId'),
  'Account.PhotoUrl': photo,
  'Contact.PhotoUrl': photo,
  'Lead.PhotoUrl': photo,
  'Case.ContactEmail': ofContact('Email'),
  'Case.ContactPhone': ofContact('Phone'),
  'Case.ContactMobile': ofContact('MobilePhone'),
  'Case.ContactFax': ofContact('Fax'),
  'Case.Comments': () => null,
  'Opportunity.HasOpportunityLineItem': (row, org) =>
    (org.tables.OpportunityLineItem?.count('OpportunityId', idOf(row)) ?? 0) > 0,
  'Opportunity.HasOpenActivity': (row, org) => openTasks(row, org).length > 0,
  'Opportunity.HasOverdueTask': (row, org) =>
    openTasks(row, org).some(
      (task) => (text(task, 'ActivityDate') ?? '9999') < dayText(org.zone.dayOf(org.now)),
    ),
  'Task.IsHighPriority': (row) => row.Priority === 'High',
  'PricebookEntry.Name': product('Name'),
  'PricebookEntry.ProductCode': product('ProductCode'),
  'OpportunityLineItem.ProductCode': product('ProductCode'),
  'OpportunityLineItem.Name': (row, org) =>
    `${text(parent(row, org, 'Opportunity', 'OpportunityId'), 'Name') ?? ''} ${product('Name')(row, org) ?? ''}`.trim(),
  'OpportunityLineItem.ListPrice': (row, org) =>
    parent(row, org, 'PricebookEntry', 'PricebookEntryId')?.UnitPrice ?? null,
  'Order.TotalAmount': (row, org) => total(orderItems(row, org), 'TotalPrice'),
  'OrderItem.ListPrice': listPrice,
  'QuoteLineItem.ListPrice': listPrice,
  'Quote.Subtotal': (row, org) => total(quoteLines(row, org), 'Subtotal'),
  'Quote.TotalPrice': quoteTotal,
  'Quote.GrandTotal': (row, org) =>
    Math.round((Number(quoteTotal(row, org)) + number(row, 'Tax') + number(row, 'ShippingHandling')) * 100) /
    100,
  'Quote.LineItemCount': (row, org) => [...quoteLines(row, org)].length,
  'Quote.Discount': (row, org) => {
    const before = total(quoteLines(row, org), 'Subtotal')
    return before === 0 ? null : Math.round((1 - Number(quoteTotal(row, org)) / before) * 10_000) / 100
  },
  'Entitlement.Status': entitlementStatus,
  'FeedItem.CommentCount': comments,
  'FeedItem.LikeCount': () => 0,
  'ProductCategoryProduct.CatalogId': (row, org) =>
    text(parent(row, org, 'ProductCategory', 'ProductCategoryId'), 'CatalogId'),
  'ProductCategory.NumberOfProducts': (row, org) =>
    org.tables.ProductCategoryProduct?.count('ProductCategoryId', idOf(row)) ?? 0,
  'ProductCatalog.NumberOfCategories': (row, org) =>
    org.tables.ProductCategory?.count('CatalogId', idOf(row)) ?? 0,
  'Campaign.NumberOfLeads': (row, org) => members(row, org).filter((one) => one.LeadId).length,
  'Campaign.NumberOfContacts': (row, org) => members(row, org).filter((one) => one.ContactId).length,
  'Campaign.NumberOfResponses': (row, org) =>
    members(row, org).filter((one) => one.HasResponded === true).length,
  'Campaign.NumberOfConvertedLeads': (row, org) =>
    members(row, org).filter((one) => parent(one, org, 'Lead', 'LeadId')?.IsConverted === true).length,
  'Campaign.NumberOfOpportunities': (row, org) => campaignDeals(row, org).length,
  'Campaign.NumberOfWonOpportunities': (row, org) =>
    campaignDeals(row, org).filter((deal) => deal.IsWon === true).length,
  'Campaign.AmountAllOpportunities': (row, org) => sum(campaignDeals(row, org), 'Amount'),
  'Campaign.AmountWonOpportunities': (row, org) =>
    sum(
      campaignDeals(row, org).filter((deal) => deal.IsWon === true),
      'Amount',
    ),
  'CampaignMember.LeadOrContactId': (row) => text(row, 'ContactId') ?? text(row, 'LeadId'),
  'CampaignMember.LeadOrContactOwnerId': member('OwnerId'),
  'CampaignMember.Type': (row) => (row.ContactId ? 'Contact' : 'Lead'),
  'CampaignMember.CompanyOrAccount': (row, org) => {
    const contact = parent(row, org, 'Contact', 'ContactId')
    return contact
      ? text(parent(contact, org, 'Account', 'AccountId'), 'Name')
      : text(parent(row, org, 'Lead', 'LeadId'), 'Company')
  },
  ...Object.fromEntries(
    [
      'Name',
      'Salutation',
      'FirstName',
      'LastName',
      'Title',
      'Email',
      'Phone',
      'Fax',
      'MobilePhone',
      'LeadSource',
    ].map((field) => [`CampaignMember.${field}`, member(field)]),
  ),
  'User.FullPhotoUrl': (row, org) => `${org.baseUrl}/profilephoto/${idOf(row)}/F`,
  'User.SmallPhotoUrl': (row, org) => `${org.baseUrl}/profilephoto/${idOf(row)}/T`,
  'Attachment.BodyLength': (row) => Math.floor(((text(row, 'Body') ?? '').replace(/=+$/, '').length * 3) / 4),
}
