import {
  type Account,
  type Campaign,
  type Contact,
  moment,
  numbered,
  type People,
  type User,
} from './records.ts'

export type Accounts = ReturnType<typeof accountsOf>
export const accountsOf = ({ integration, mira, lucia }: People) => {
  const id = numbered('001')
  const account = (Name: string, Owner: User, day: string, more: Partial<Account> = {}): Account => ({
    Id: id(),
    Name,
    Type: null,
    Industry: null,
    Rating: null,
    AnnualRevenue: null,
    NumberOfEmployees: null,
    BillingCity: null,
    BillingState: null,
    Phone: null,
    Owner,
    Parent: null,
    Region__c: null,
    Score__c: null,
    CreatedDate: moment(`${day}T12:00:00Z`),
    ...more,
  })
  const zeta = account('Zeta Holding', mira, '2024-02-29', {
    Type: 'Other',
    Industry: 'Finance',
    Rating: 'Cold',
    AnnualRevenue: 0,
    NumberOfEmployees: 12,
    BillingCity: 'Oslo',
  })
  const yankee = account('Yankee Group', mira, '2024-12-31', { Parent: zeta, Industry: 'Finance' })
  const acme = account('Acme Foods', lucia, '2025-01-01', {
    Parent: yankee,
    Type: 'Customer - Direct',
    Industry: 'Food & Beverage',
    Rating: 'Hot',
    AnnualRevenue: 12_000_000,
    NumberOfEmployees: 240,
    BillingCity: 'Columbus',
    BillingState: 'OH',
    Phone: '(614) 555-0100',
    Region__c: 'Midwest',
    Score__c: 4.5,
  })
  const labs = account('acme labs', lucia, '2025-10-26', {
    Parent: acme,
    Type: 'Prospect',
    BillingCity: 'columbus',
    BillingState: 'OH',
    Score__c: -1.5,
  })
  const east = account('Acme Labs East', integration, '2025-11-02', { Parent: labs, Type: 'Prospect' })
  return {
    zeta,
    yankee,
    acme,
    labs,
    east,
    borealis: account('Borealis Energy', integration, '2026-01-01', {
      Type: 'Prospect',
      Industry: 'Energy',
      Rating: 'Warm',
      NumberOfEmployees: 1_200,
    }),
    cobalt: account("Cobalt & O'Brien", mira, '2026-02-14', {
      Type: 'Channel Partner / Reseller',
      Industry: 'Technology',
      Rating: 'Hot',
      AnnualRevenue: 3_400_000.5,
    }),
    delta: account('Delta Clinics', integration, '2026-03-01', {
      Type: 'Customer - Channel',
      Industry: 'Healthcare',
      AnnualRevenue: 3_400_000,
      NumberOfEmployees: 240,
      BillingCity: 'Columbia',
    }),
    percent: account('100% Organic', integration, '2026-03-15', { Industry: 'Food & Beverage' }),
    underscore: account('Under_score Ltd', lucia, '2026-03-30', { Score__c: 0 }),
    hyphen: account('Under-score Ltd', lucia, '2026-03-31', { Score__c: 0.1 }),
    together: account('Underscore Ltd', lucia, '2026-03-31'),
    backslash: account('Back\\slash Co', integration, '2026-03-31'),
    eclair: account('Éclair Bakery', integration, '2026-03-31', { Industry: 'food & beverage' }),
  }
}

export type Contacts = ReturnType<typeof contactsOf>
export const contactsOf = ({ integration, lucia }: People, accounts: Accounts) => {
  const id = numbered('003')
  const contact = (FirstName: string | null, LastName: string, more: Partial<Contact> = {}): Contact => ({
    Id: id(),
    FirstName,
    LastName,
    Name: FirstName === null ? LastName : `${FirstName} ${LastName}`,
    Email: null,
    Title: null,
    Department: null,
    MailingCity: null,
    Birthdate: null,
    Account: null,
    ReportsTo: null,
    Owner: integration,
    CreatedDate: moment('2026-01-15T08:00:00Z'),
    ...more,
  })
  const jane = contact('Jane', 'Whitfield', {
    Account: accounts.acme,
    Email: 'jane@acme.example',
    Title: 'Plant Manager',
    Birthdate: '1980-02-29',
    MailingCity: 'Columbus',
    Department: 'Operations',
    Owner: lucia,
  })
  const omar = contact('Omar', 'Haddad', {
    Account: accounts.acme,
    Email: 'omar@acme.example',
    Title: 'Buyer',
    ReportsTo: jane,
    Department: 'Purchasing',
  })
  const pia = contact('Pia', 'de Vries', {
    Account: accounts.labs,
    Email: 'PIA@Acme.Example',
    Title: 'buyer',
    ReportsTo: omar,
    Birthdate: '1991-07-04',
  })
  return {
    jane,
    omar,
    pia,
    quinn: contact('Quinn', 'Whitfield', {
      Account: accounts.east,
      ReportsTo: pia,
      Department: 'operations',
    }),
    ines: contact('Inês', 'Costa', {
      Account: accounts.borealis,
      Email: 'ines@borealis.example',
      Title: 'CFO',
    }),
    tom: contact('Tom', 'Lee', {
      Account: accounts.delta,
      Email: 'tom@delta.example',
      MailingCity: 'Columbia',
    }),
    loner: contact(null, 'Loner', { Email: 'loner@nowhere.example', Birthdate: '1999-12-31' }),
  }
}

export type Campaigns = ReturnType<typeof campaignsOf>
export const campaignsOf = ({ mira }: People) => {
  const id = numbered('701')
  const campaign = (Name: string, IsActive: boolean): Campaign => ({
    Id: id(),
    Name,
    IsActive,
    Owner: mira,
    CreatedDate: moment('2025-12-01T00:00:00Z'),
  })
  return { spring: campaign('Spring fair', true), autumn: campaign('Autumn mailing', false) }
}
