import { changed, found, made, type Organization, read, removed, type VendorRule } from './rule.ts'

const upload = (organization: Organization, more: object = {}) =>
  made(organization, 'ContentVersion', {
    PathOnClient: 'offers/Offer 7.pdf',
    VersionData: Buffer.from('offer').toString('base64'),
    ...more,
  })
const book = (organization: Organization) => found(organization, 'SELECT Id FROM Pricebook2')[0]?.Id
const entry = (organization: Organization) => found(organization, 'SELECT Id FROM PricebookEntry')[0]?.Id
const draftOrder = (organization: Organization, more: object = {}): string =>
  organization.create('Order', {
    AccountId: organization.key('borealis'),
    EffectiveDate: '2026-03-10',
    Pricebook2Id: book(organization),
    ...more,
  })
const withItem = (organization: Organization): { order: string; item: string } => {
  const order = draftOrder(organization)
  const item = organization.create('OrderItem', {
    OrderId: order,
    PricebookEntryId: entry(organization),
    Quantity: 3,
    UnitPrice: 20,
  })
  return { order, item }
}
const activated = (organization: Organization) => {
  const ids = withItem(organization)
  changed(organization, 'Order', ids.order, { Status: 'Activated' })
  return ids
}
const quoteWithLines = (organization: Organization) => {
  const quote = organization.create('Quote', { Name: 'Q', OpportunityId: organization.key('acme-retrofit') })
  const line = made(organization, 'QuoteLineItem', {
    QuoteId: quote,
    PricebookEntryId: entry(organization),
    Quantity: 2,
    UnitPrice: 100,
    Discount: 10,
  })
  return { quote, line }
}
const article = { Title: 'Reset a pump', UrlName: 'reset-a-pump' }

export const fileRules: readonly VendorRule[] = [
  {
    object: 'ContentVersion',
    rule: 'the first version makes the file, with title, type, size and number',
    evidence: 'object reference',
    when: (org) => upload(org),
    is: {
      Title: 'Offer 7',
      FileType: 'PDF',
      FileExtension: 'pdf',
      ContentSize: 5,
      VersionNumber: '1',
      IsLatest: true,
    },
  },
  {
    object: 'ContentVersion',
    rule: 'a further version replaces the latest one',
    evidence: 'object reference',
    when: (org) => {
      const first = upload(org).body
      const second = upload(org, { ContentDocumentId: first.ContentDocumentId }).body
      const { status, body } = read(org, 'ContentVersion', first.Id)
      return { status, body: { ...body, next: second.VersionNumber } }
    },
    is: { IsLatest: false, next: '2' },
  },
  {
    object: 'ContentVersion',
    rule: 'a file has a path',
    evidence: 'object reference',
    when: (org) => made(org, 'ContentVersion', { VersionData: 'b2ZmZXI=' }),
    is: 'REQUIRED_FIELD_MISSING',
  },
  {
    object: 'ContentVersion',
    rule: 'a file published to a record is linked to it and to its owner',
    evidence: 'object reference',
    when: (org) => {
      const { body } = upload(org, { FirstPublishLocationId: org.key('leak') })
      const links = found(
        org,
        `SELECT ShareType FROM ContentDocumentLink WHERE ContentDocumentId = '${body.ContentDocumentId}' ORDER BY ShareType`,
      )
      return { status: 200, body: { links: links.map(({ ShareType }) => ShareType).join() } }
    },
    is: { links: 'V,I' },
  },
  {
    object: 'ContentVersion',
    rule: 'versions cannot be deleted one by one',
    evidence: 'object reference',
    when: (org) => removed(org, 'ContentVersion', upload(org).body.Id),
    is: 'INSUFFICIENT_ACCESS_OR_READONLY',
  },
  {
    object: 'ContentDocumentLink',
    rule: 'a file is linked to a record once',
    evidence: 'recorded error',
    when: (org) => {
      const { body } = upload(org, { FirstPublishLocationId: org.key('leak') })
      return made(org, 'ContentDocumentLink', {
        ContentDocumentId: body.ContentDocumentId,
        LinkedEntityId: org.key('leak'),
        ShareType: 'V',
      })
    },
    is: 'DUPLICATE_VALUE',
  },
  {
    object: 'ContentDocumentLink',
    rule: 'a query filters by the file or by the record',
    evidence: 'recorded error',
    when: (org) => org.call('GET', '/query?q=SELECT+Id+FROM+ContentDocumentLink'),
    is: 'MALFORMED_QUERY',
  },
  {
    object: 'Order',
    rule: 'an order begins as a draft with a number',
    evidence: 'object reference',
    when: (org) => read(org, 'Order', draftOrder(org)),
    is: { Status: 'Draft', StatusCode: 'Draft', OrderNumber: '00000100', TotalAmount: 0 },
  },
  {
    object: 'Order',
    rule: 'an order is activated with at least one product',
    evidence: 'recorded error',
    when: (org) => changed(org, 'Order', draftOrder(org), { Status: 'Activated' }),
    is: 'FAILED_ACTIVATION',
  },
  {
    object: 'Order',
    rule: 'the amount is what the products come to',
    evidence: 'object reference',
    when: (org) => read(org, 'Order', activated(org).order),
    is: { TotalAmount: 60, StatusCode: 'Activated', ActivatedDate: '2026-03-02T09:00:00.000+0000' },
  },
  {
    object: 'Order',
    rule: 'an activated order cannot be deleted',
    evidence: 'recorded error',
    when: (org) => removed(org, 'Order', activated(org).order),
    is: 'DELETE_FAILED',
  },
  {
    object: 'Order',
    rule: 'an order starts within its contract',
    evidence: 'recorded error',
    when: (org) => {
      const ContractId = org.create('Contract', {
        AccountId: org.key('borealis'),
        StartDate: '2025-01-01',
        ContractTerm: 12,
      })
      return made(org, 'Order', { ContractId, EffectiveDate: '2026-01-01' })
    },
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'Order',
    rule: 'an account with activated orders cannot be deleted',
    evidence: 'help',
    when: (org) => {
      activated(org)
      return removed(org, 'Account', org.key('borealis'))
    },
    is: 'DELETE_FAILED',
  },
  {
    object: 'OrderItem',
    rule: 'the products of an activated order are fixed',
    evidence: 'recorded error',
    when: (org) => changed(org, 'OrderItem', activated(org).item, { Quantity: 5 }),
    is: 'ENTITY_IS_LOCKED',
  },
  {
    object: 'OrderItem',
    rule: 'the order needs a price book first',
    evidence: 'object reference',
    when: (org) =>
      made(org, 'OrderItem', {
        OrderId: draftOrder(org, { Pricebook2Id: null }),
        PricebookEntryId: entry(org),
        Quantity: 1,
        UnitPrice: 1,
      }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'Quote',
    rule: 'totals follow from the line items, tax and shipping',
    evidence: 'object reference',
    when: (org) => {
      const { quote } = quoteWithLines(org)
      return changed(org, 'Quote', quote, { Tax: 20, ShippingHandling: 5 })
    },
    is: { Subtotal: 200, TotalPrice: 180, Discount: 10, GrandTotal: 205, LineItemCount: 1, Status: 'Draft' },
  },
  {
    object: 'Quote',
    rule: 'totals cannot be written',
    evidence: 'object reference',
    when: (org) => changed(org, 'Quote', quoteWithLines(org).quote, { GrandTotal: 1 }),
    is: 'INVALID_FIELD_FOR_INSERT_UPDATE',
  },
  {
    object: 'Quote',
    rule: 'the opportunity of a quote cannot be changed',
    evidence: 'object reference',
    when: (org) =>
      changed(org, 'Quote', quoteWithLines(org).quote, { OpportunityId: org.key('acme-renewal') }),
    is: 'INVALID_FIELD_FOR_INSERT_UPDATE',
  },
  {
    object: 'QuoteLineItem',
    rule: 'a discount lowers the total price',
    evidence: 'object reference',
    when: (org) => quoteWithLines(org).line,
    is: { Subtotal: 200, TotalPrice: 180, ListPrice: 155 },
  },
  {
    object: 'Knowledge__kav',
    rule: 'an article begins as a draft with a number',
    evidence: 'object reference',
    when: (org) => made(org, 'Knowledge__kav', article),
    is: { PublishStatus: 'Draft', ArticleNumber: '000001001', Language: 'en_US', IsLatestVersion: true },
  },
  {
    object: 'Knowledge__kav',
    rule: 'the address of an article is unique',
    evidence: 'object reference',
    when: (org) => {
      made(org, 'Knowledge__kav', article)
      return made(org, 'Knowledge__kav', article)
    },
    is: 'DUPLICATE_VALUE',
  },
  {
    object: 'Knowledge__kav',
    rule: 'whether an article is online cannot be written',
    evidence: 'object reference',
    when: (org) => made(org, 'Knowledge__kav', { ...article, PublishStatus: 'Online' }),
    is: 'INVALID_FIELD_FOR_INSERT_UPDATE',
  },
  {
    object: 'FeedItem',
    rule: 'a post has a body, a link or a file',
    evidence: 'object reference',
    when: (org) => made(org, 'FeedItem', { ParentId: org.key('leak') }),
    is: 'REQUIRED_FIELD_MISSING',
  },
  {
    object: 'FeedItem',
    rule: 'a post counts its comments',
    evidence: 'object reference',
    when: (org) => {
      const post = org.create('FeedItem', { ParentId: org.key('leak'), Body: 'Parts are on their way' })
      org.create('FeedComment', { FeedItemId: post, CommentBody: 'Thanks' })
      return read(org, 'FeedItem', post)
    },
    is: { CommentCount: 1, Type: 'TextPost', Status: 'Published' },
  },
  {
    object: 'Entitlement',
    rule: 'an entitlement is active between its dates',
    evidence: 'object reference',
    when: (org) =>
      made(org, 'Entitlement', {
        Name: 'Gold',
        AccountId: org.key('acme'),
        StartDate: '2026-01-01',
        EndDate: '2026-12-31',
      }),
    is: { Status: 'Active' },
  },
]
