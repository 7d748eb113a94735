import { changed, found, idOf, made, type Organization, read, removed, type VendorRule } from './rule.ts'

const deal = { Name: 'Deal', StageName: 'Prospecting', CloseDate: '2026-09-30' }
const line = (organization: Organization) => idOf(organization, 'SELECT Id FROM OpportunityLineItem')
const entry = (organization: Organization) => idOf(organization, 'SELECT Id FROM PricebookEntry')
const product = (organization: Organization) => idOf(organization, 'SELECT Id FROM Product2')
const standard = (organization: Organization) =>
  idOf(organization, 'SELECT Id FROM Pricebook2 WHERE IsStandard = true')
const ownBook = (organization: Organization, IsActive = true) =>
  organization.create('Pricebook2', { Name: 'Partners', IsActive })
const priced = (organization: Organization, fields: object = {}) =>
  made(organization, 'OpportunityLineItem', {
    OpportunityId: organization.key('acme-retrofit'),
    PricebookEntryId: entry(organization),
    Quantity: 4,
    UnitPrice: 10,
    ...fields,
  })

export const sellingRules: readonly VendorRule[] = [
  {
    object: 'Opportunity',
    rule: 'with products, a written amount is passed over and the update succeeds',
    evidence: 'object reference',
    when: (org) => changed(org, 'Opportunity', org.key('acme-retrofit'), { Amount: 1, NextStep: 'Call' }),
    is: { Amount: 15_500, NextStep: 'Call' },
  },
  {
    object: 'Opportunity',
    rule: 'without products, the amount is what was written',
    evidence: 'object reference',
    when: (org) => changed(org, 'Opportunity', org.key('acme-renewal'), { Amount: 12 }),
    is: { Amount: 12 },
  },
  {
    object: 'Opportunity',
    rule: 'the price book cannot change while there are products',
    evidence: 'object reference',
    when: (org) => changed(org, 'Opportunity', org.key('acme-retrofit'), { Pricebook2Id: ownBook(org) }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'Opportunity',
    rule: 'the price book can change while there are no products',
    evidence: 'object reference',
    when: (org) => {
      removed(org, 'OpportunityLineItem', line(org))
      const reply = changed(org, 'Opportunity', org.key('acme-retrofit'), { Pricebook2Id: ownBook(org) })
      return { ...reply, body: { ...reply.body, changed: reply.body.Pricebook2Id !== standard(org) } }
    },
    is: { changed: true },
  },
  {
    object: 'Opportunity',
    rule: 'the price book must be active',
    evidence: 'object reference',
    when: (org) =>
      changed(org, 'Opportunity', org.key('acme-renewal'), { Pricebook2Id: ownBook(org, false) }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'Opportunity',
    rule: 'the first product of an opportunity without a price book sets it',
    evidence: 'object reference',
    when: (org) => {
      priced(org, { OpportunityId: org.key('acme-renewal') })
      const { body, status } = read(org, 'Opportunity', org.key('acme-renewal'))
      return { status, body: { ...body, standard: body.Pricebook2Id === standard(org) } }
    },
    is: { standard: true, Amount: 40, HasOpportunityLineItem: true },
  },
  {
    object: 'Opportunity',
    rule: 'the probability lies between 0 and 100',
    evidence: 'object reference',
    when: (org) => changed(org, 'Opportunity', org.key('acme-renewal'), { Probability: 101 }),
    is: 'NUMBER_OUTSIDE_VALID_RANGE',
  },
  {
    object: 'Opportunity',
    rule: 'stage and close date are required',
    evidence: 'object reference',
    when: (org) => made(org, 'Opportunity', { Name: 'x', StageName: 'Prospecting' }),
    is: 'REQUIRED_FIELD_MISSING',
  },
  {
    object: 'Opportunity',
    rule: 'the contact can be given on create and not changed afterwards',
    evidence: 'object reference',
    when: (org) => changed(org, 'Opportunity', org.key('acme-renewal'), { ContactId: org.key('jane') }),
    is: 'INVALID_FIELD_FOR_INSERT_UPDATE',
  },
  {
    object: 'OpportunityLineItem',
    rule: 'the quantity cannot be 0',
    evidence: 'recorded error',
    when: (org) => priced(org, { Quantity: 0 }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'OpportunityLineItem',
    rule: 'unit price and total price cannot both be given',
    evidence: 'object reference',
    when: (org) => priced(org, { TotalPrice: 40 }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'OpportunityLineItem',
    rule: 'one of unit price and total price is required',
    evidence: 'object reference',
    when: (org) => priced(org, { UnitPrice: null }),
    is: 'REQUIRED_FIELD_MISSING',
  },
  {
    object: 'OpportunityLineItem',
    rule: 'the unit price follows from the total price and the quantity',
    evidence: 'object reference',
    when: (org) => priced(org, { UnitPrice: null, TotalPrice: 50 }),
    is: { UnitPrice: 12.5, TotalPrice: 50 },
  },
  {
    object: 'OpportunityLineItem',
    rule: 'a discount lowers the total price and leaves the unit price',
    evidence: 'object reference',
    when: (org) => priced(org, { Discount: 25 }),
    is: { UnitPrice: 10, TotalPrice: 30 },
  },
  {
    object: 'OpportunityLineItem',
    rule: 'discount and quantity change together only with one of the prices',
    evidence: 'object reference',
    when: (org) => changed(org, 'OpportunityLineItem', line(org), { Discount: 10, Quantity: 3 }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'OpportunityLineItem',
    rule: 'the price book entry must be active',
    evidence: 'recorded error',
    when: (org) => {
      changed(org, 'PricebookEntry', entry(org), { IsActive: false })
      return priced(org)
    },
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'OpportunityLineItem',
    rule: "the entry must be of the opportunity's price book",
    evidence: 'recorded error',
    when: (org) => {
      const Pricebook2Id = ownBook(org)
      const other = org.create('PricebookEntry', {
        Pricebook2Id,
        Product2Id: product(org),
        UnitPrice: 5,
        IsActive: true,
      })
      return priced(org, { PricebookEntryId: other })
    },
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'OpportunityLineItem',
    rule: 'the opportunity of a line cannot be changed',
    evidence: 'object reference',
    when: (org) => changed(org, 'OpportunityLineItem', line(org), { OpportunityId: org.key('acme-renewal') }),
    is: 'INVALID_FIELD_FOR_INSERT_UPDATE',
  },
  {
    object: 'PricebookEntry',
    rule: 'a standard price comes before any other price',
    evidence: 'recorded error',
    when: (org) =>
      made(org, 'PricebookEntry', {
        Pricebook2Id: ownBook(org),
        Product2Id: org.create('Product2', { Name: 'New', IsActive: true }),
        UnitPrice: 5,
      }),
    is: 'STANDARD_PRICE_NOT_DEFINED',
  },
  {
    object: 'PricebookEntry',
    rule: 'a product has one price in a price book',
    evidence: 'recorded error',
    when: (org) =>
      made(org, 'PricebookEntry', { Pricebook2Id: standard(org), Product2Id: product(org), UnitPrice: 5 }),
    is: 'DUPLICATE_VALUE',
  },
  {
    object: 'PricebookEntry',
    rule: 'the standard price is taken over and followed where an entry says so',
    evidence: 'object reference',
    when: (org) => {
      const id = org.create('PricebookEntry', {
        Pricebook2Id: ownBook(org),
        Product2Id: product(org),
        UnitPrice: 155,
        UseStandardPrice: true,
        IsActive: true,
      })
      changed(org, 'PricebookEntry', entry(org), { UnitPrice: 170 })
      return read(org, 'PricebookEntry', id)
    },
    is: { UnitPrice: 170 },
  },
  {
    object: 'PricebookEntry',
    rule: 'a price cannot be negative',
    evidence: 'help',
    when: (org) => changed(org, 'PricebookEntry', entry(org), { UnitPrice: -1 }),
    is: 'NUMBER_OUTSIDE_VALID_RANGE',
  },
  {
    object: 'PricebookEntry',
    rule: 'an entry that lines use cannot be deleted',
    evidence: 'help',
    when: (org) => removed(org, 'PricebookEntry', entry(org)),
    is: 'DELETE_FAILED',
  },
  {
    object: 'Product2',
    rule: 'a product in use cannot be deleted',
    evidence: 'help',
    when: (org) => removed(org, 'Product2', product(org)),
    is: 'DELETE_FAILED',
  },
  {
    object: 'Pricebook2',
    rule: 'the standard price book cannot be deleted',
    evidence: 'object reference',
    when: (org) => removed(org, 'Pricebook2', standard(org)),
    is: 'INSUFFICIENT_ACCESS_OR_READONLY',
  },
  {
    object: 'Pricebook2',
    rule: 'only the service makes the standard price book',
    evidence: 'object reference',
    when: (org) => made(org, 'Pricebook2', { Name: 'x', IsStandard: true }),
    is: 'INVALID_FIELD_FOR_INSERT_UPDATE',
  },
  {
    object: 'Contract',
    rule: 'a contract begins as a draft',
    evidence: 'recorded error',
    when: (org) => made(org, 'Contract', { AccountId: org.key('acme'), Status: 'Activated' }),
    is: 'FAILED_ACTIVATION',
  },
  {
    object: 'Contract',
    rule: 'activation records who activated and when, and the end follows from start and term',
    evidence: 'object reference',
    when: (org) => {
      const id = org.create('Contract', {
        AccountId: org.key('acme'),
        StartDate: '2026-01-31',
        ContractTerm: 1,
      })
      const { status, body } = changed(org, 'Contract', id, { Status: 'Activated' })
      return { status, body: { ...body, by: body.ActivatedById?.slice(0, 3) } }
    },
    is: {
      StatusCode: 'Activated',
      ActivatedDate: '2026-03-02T09:00:00.000+0000',
      by: '005',
      EndDate: '2026-02-27',
    },
  },
  {
    object: 'Contract',
    rule: 'an activated contract is never a draft again',
    evidence: 'recorded error',
    when: (org) => {
      const id = org.create('Contract', { AccountId: org.key('acme') })
      changed(org, 'Contract', id, { Status: 'Activated' })
      return changed(org, 'Contract', id, { Status: 'Draft' })
    },
    is: 'FAILED_ACTIVATION',
  },
  {
    object: 'Contract',
    rule: 'the account of an activated contract is locked',
    evidence: 'recorded error',
    when: (org) => {
      const id = org.create('Contract', { AccountId: org.key('acme') })
      changed(org, 'Contract', id, { Status: 'Activated' })
      return changed(org, 'Contract', id, { AccountId: org.key('delta') })
    },
    is: 'ENTITY_IS_LOCKED',
  },
  {
    object: 'Asset',
    rule: 'an asset belongs to an account, a contact or both',
    evidence: 'recorded error',
    when: (org) => made(org, 'Asset', { Name: 'Pump' }),
    is: 'FIELD_INTEGRITY_EXCEPTION',
  },
  {
    object: 'Lead',
    rule: 'a converted lead can be neither changed nor referenced',
    evidence: 'recorded error',
    when: (org) => {
      convert(org, org.key('lars'))
      return made(org, 'Task', { WhoId: org.key('lars'), Subject: 'Call' })
    },
    is: 'CANNOT_UPDATE_CONVERTED_LEAD',
  },
  {
    object: 'Opportunity',
    rule: 'an opportunity made without an owner is its maker’s',
    evidence: 'object reference',
    when: (org) => {
      const { status, body } = made(org, 'Opportunity', deal)
      const [user] = found(org, `SELECT Alias FROM User WHERE Id = '${body.OwnerId}'`)
      return { status, body: { owner: user?.Alias } }
    },
    is: { owner: 'integ' },
  },
]

const convert = (organization: Organization, lead: string) =>
  organization.soap(
    `<convertLead><leadConverts><leadId>${lead}</leadId><convertedStatus>Closed - Converted</convertedStatus></leadConverts></convertLead>`,
  )
