import {
  type Accounts,
  accountsOf,
  type Campaigns,
  type Contacts,
  campaignsOf,
  contactsOf,
} from './companies.ts'
import {
  type Account,
  type Campaign,
  type Case,
  type CaseComment,
  type Contact,
  type Lead,
  moment,
  numbered,
  type Opportunity,
  type People,
  type Queue,
  type Task,
  type Visit,
} from './records.ts'

/** Everything that a known answer may read. */
export type Organization = ReturnType<typeof organizationOf>

export const organizationOf = (people: People) => {
  const queue: Queue = {
    Id: numbered('00G')(),
    Name: 'Support Queue',
    DeveloperName: 'Support_Queue',
    Type: 'Queue',
  }
  const accounts = accountsOf(people)
  const contacts = contactsOf(people, accounts)
  const campaigns = campaignsOf(people)
  const deals = dealsOf(people, accounts, campaigns)
  const cases = casesOf(people, queue, accounts, contacts)
  const leads = leadsOf(people, queue)
  return {
    people,
    accounts,
    contacts,
    deals,
    User: Object.values(people),
    Group: [queue],
    Account: Object.values(accounts) as readonly Account[],
    Contact: Object.values(contacts) as readonly Contact[],
    Campaign: Object.values(campaigns) as readonly Campaign[],
    /** Deleted ones are not among them. */
    Opportunity: Object.values(deals).filter((one) => one !== deals.binned && one !== deals.scrapped),
    deleted: [deals.binned, deals.scrapped] as readonly Opportunity[],
    Case: cases,
    Lead: Object.values(leads) as readonly Lead[],
    Task: tasksOf(people, accounts, contacts, deals, leads, cases),
    Visit: visitsOf(accounts),
    CaseComment: commentsOf(cases),
  }
}

/** Stages with what follows from them, as the notes list them. */
const stages = {
  Prospecting: [10, 'Pipeline', false, false],
  'Needs Analysis': [20, 'Pipeline', false, false],
  'Proposal/Price Quote': [75, 'Pipeline', false, false],
  'Negotiation/Review': [90, 'Pipeline', false, false],
  'Closed Won': [100, 'Closed', true, true],
  'Closed Lost': [0, 'Omitted', true, false],
} as const

type Deals = ReturnType<typeof dealsOf>
const dealsOf = ({ integration, mira, lucia }: People, accounts: Accounts, campaigns: Campaigns) => {
  const id = numbered('006')
  const deal = (
    Name: string,
    of: Account | null,
    Amount: number | null,
    CloseDate: string,
    StageName: keyof typeof stages,
    more: Partial<Opportunity> = {},
  ): Opportunity => {
    const [Probability, ForecastCategory, IsClosed, IsWon] = stages[StageName]
    return {
      Id: id(),
      Name,
      Account: of,
      Amount,
      CloseDate,
      StageName,
      Probability,
      IsClosed,
      IsWon,
      ForecastCategory,
      Type: null,
      LeadSource: null,
      Campaign: null,
      Owner: integration,
      CreatedDate: moment('2026-02-10T10:00:00Z'),
      ...more,
    }
  }
  const { acme, labs, borealis, cobalt, delta, zeta } = accounts
  const { spring, autumn } = campaigns
  return {
    renewal: deal('Acme Pump Renewal', acme, 48_000, '2026-03-31', 'Negotiation/Review', {
      Owner: lucia,
      Type: 'Existing Customer - Renewal',
      LeadSource: 'Web',
      Campaign: spring,
    }),
    retrofit: deal('Acme Retrofit', acme, 15_500.25, '2026-06-30', 'Prospecting', { Owner: lucia }),
    pilot: deal('Borealis Pilot', borealis, 120_000, '2026-04-01', 'Proposal/Price Quote', {
      Owner: lucia,
      Type: 'New Customer',
      LeadSource: 'Trade Show',
      Campaign: spring,
    }),
    framework: deal('Cobalt Framework', cobalt, 9_000, '2026-01-01', 'Closed Won', {
      Owner: mira,
      Type: 'New Customer',
      LeadSource: 'web',
    }),
    trial: deal('Delta Trial', delta, 7_500, '2025-12-31', 'Closed Lost', { Campaign: autumn }),
    upgrade: deal('Delta Upgrade', delta, null, '2026-07-01', 'Needs Analysis', {
      Type: 'Existing Customer - Upgrade',
    }),
    labs: deal('Labs Starter', labs, 0, '2026-03-29', 'Closed Won', { Owner: lucia, LeadSource: 'Web' }),
    audit: deal('Zeta Audit', zeta, 7_500, '2027-01-01', 'Prospecting', { Owner: mira }),
    orphan: deal('Orphan Deal', null, 333.1, '2026-12-31', 'Needs Analysis'),
    old: deal('Acme First Order', acme, 2_000, '2025-03-31', 'Closed Won', {
      Owner: mira,
      CreatedDate: moment('2024-12-31T23:30:00Z'),
    }),
    binned: deal('Binned Deal', acme, 1_000_000, '2026-03-31', 'Prospecting'),
    scrapped: deal('Scrapped Deal', delta, 5, '2026-05-05', 'Closed Lost'),
  }
}

/** Created around the nights on which clocks change, in Berlin, New York, Kolkata and Sydney. */
const caseMoments = [
  '2025-10-25T21:59:59Z',
  '2025-10-25T22:00:00Z',
  '2025-10-26T22:59:59Z',
  '2025-10-26T23:00:00Z',
  '2025-11-02T03:59:59Z',
  '2025-11-02T04:00:00Z',
  '2025-11-03T04:59:59Z',
  '2025-11-03T05:00:00Z',
  '2025-12-31T22:59:59Z',
  '2025-12-31T23:00:00Z',
  '2026-01-01T04:59:59Z',
  '2026-03-08T04:59:59Z',
  '2026-03-08T05:00:00Z',
  '2026-03-09T03:59:59Z',
  '2026-03-09T04:00:00Z',
  '2026-03-28T22:59:59Z',
  '2026-03-28T23:00:00Z',
  '2026-03-29T21:59:59Z',
  '2026-03-29T22:00:00Z',
  '2026-03-30T18:29:59Z',
  '2026-03-30T18:30:00Z',
  '2026-03-31T18:29:59Z',
  '2026-03-31T18:30:00Z',
  '2026-03-31T21:00:00Z',
  '2025-10-04T13:59:59Z',
  '2025-10-04T14:00:00Z',
  '2025-10-05T12:59:59Z',
  '2025-10-05T13:00:00Z',
]

const casesOf = (
  { integration, mira }: People,
  queue: Queue,
  accounts: Accounts,
  contacts: Contacts,
): readonly Case[] => {
  const id = numbered('500')
  const whose = [contacts.jane, contacts.omar, contacts.tom, null]
  const priorities = ['High', 'Medium', 'Low', null]
  const owners = [integration, mira, queue]
  const subjects = ['Pump leaking', 'Invoice wrong', null, 'PUMP noise', 'Portal login']
  return caseMoments.map((at, n) => {
    const Contact = whose[n % 4] ?? null
    const closed = n % 3 === 1
    return {
      Id: id(),
      CaseNumber: String(1_001 + n).padStart(8, '0'),
      Subject: subjects[n % 5] ?? null,
      Status: closed ? 'Closed' : n % 3 === 0 ? 'New' : 'Escalated',
      Priority: priorities[(n + Math.floor(n / 4)) % 4] ?? null,
      Origin: n % 2 === 0 ? 'Email' : 'Web',
      IsClosed: closed,
      ClosedDate: closed ? moment('2026-03-31T08:00:00Z') : null,
      Account: Contact?.Account ?? (n % 8 === 3 ? accounts.borealis : null),
      Contact,
      Owner: owners[n % 3] ?? integration,
      CreatedDate: moment(at),
    }
  })
}

type Leads = ReturnType<typeof leadsOf>
const leadsOf = ({ integration, lucia }: People, queue: Queue) => {
  const id = numbered('00Q')
  const lead = (FirstName: string, LastName: string, more: Partial<Lead>): Lead => ({
    Id: id(),
    FirstName,
    LastName,
    Name: `${FirstName} ${LastName}`,
    Company: 'Fjord Logistics',
    Email: null,
    Status: 'Open - Not Contacted',
    LeadSource: null,
    IsConverted: false,
    Owner: integration,
    CreatedDate: moment('2026-03-20T09:00:00Z'),
    ...more,
  })
  return {
    priya: lead('Priya', 'Nair', {
      Company: 'Eastgate Hotels',
      Email: 'priya@eastgate.example',
      LeadSource: 'Web',
    }),
    lars: lead('Lars', 'Holm', { Status: 'Working - Contacted', Owner: lucia, LeadSource: 'Trade Show' }),
    sven: lead('Sven', 'Holm', { Owner: queue, Status: 'Closed - Not Converted' }),
  }
}

const tasksOf = (
  { integration, dev }: People,
  accounts: Accounts,
  contacts: Contacts,
  deals: Deals,
  leads: Leads,
  cases: readonly Case[],
): readonly Task[] => {
  const id = numbered('00T')
  const task = (Subject: string, more: Partial<Task>): Task => ({
    Id: id(),
    Subject,
    Status: 'Not Started',
    Priority: 'Normal',
    IsClosed: false,
    ActivityDate: null,
    Who: null,
    What: null,
    Owner: integration,
    CreatedDate: moment('2026-03-25T09:00:00Z'),
    ...more,
  })
  return [
    task('Call Jane', {
      Who: contacts.jane,
      What: accounts.acme,
      Status: 'Completed',
      IsClosed: true,
      ActivityDate: '2026-03-30',
    }),
    task('Send quote', { What: deals.pilot, Priority: 'High', ActivityDate: '2026-03-31' }),
    task('Write to Lars', { Who: leads.lars, Owner: dev, ActivityDate: '2026-04-01' }),
    task('Look at leak', { What: cases[0] ?? null, Who: contacts.omar, Priority: 'Low' }),
    task('Tidy desk', { Owner: dev, ActivityDate: '2026-04-05' }),
  ]
}

const visitsOf = ({ acme, delta, labs }: Accounts): readonly Visit[] => {
  const id = numbered('a01')
  const visit = (Name: string, to: Account, topics: string | null, outcome: string | null): Visit => ({
    Id: id(),
    Name,
    Account__r: to,
    Topics__c: topics,
    Outcome__c: outcome,
    Billable__c: outcome === 'Good',
    CreatedDate: moment('2026-03-01T00:00:00Z'),
  })
  return [
    visit('V1', acme, 'Price;Service', 'Good'),
    visit('V2', acme, 'Quality', 'Bad'),
    visit('V3', delta, null, null),
    visit('V4', labs, 'Price', 'Good'),
    visit('V5', labs, 'Price;Quality;Service', null),
  ]
}

const commentsOf = (cases: readonly Case[]): readonly CaseComment[] => {
  const id = numbered('00a')
  return cases.slice(0, 3).map((Parent, n) => ({
    Id: id(),
    Parent,
    CommentBody: `Note ${n}`,
    IsPublished: n === 1,
    CreatedDate: moment('2026-03-30T10:00:00Z'),
  }))
}
