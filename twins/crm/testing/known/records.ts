/**
 * The organization of the known answers, as plain objects that point at each other. Derived fields are written out by
 * hand, and nothing here comes from the twin: a query's answer is stated over these objects alone.
 */

export interface User {
  readonly Id: string
  readonly Name: string
  readonly FirstName: string
  readonly LastName: string
  readonly Alias: string
  readonly Email: string
  readonly Title: string | null
  readonly TimeZoneSidKey: string
  readonly IsActive: boolean
}
export interface People {
  readonly integration: User
  readonly mira: User
  readonly dev: User
  readonly lucia: User
  readonly sid: User
}

export interface Queue {
  readonly Id: string
  readonly Name: string
  readonly DeveloperName: string
  readonly Type: 'Queue'
}
export interface Account {
  readonly Id: string
  readonly Name: string
  readonly Type: string | null
  readonly Industry: string | null
  readonly Rating: string | null
  readonly AnnualRevenue: number | null
  readonly NumberOfEmployees: number | null
  readonly BillingCity: string | null
  readonly BillingState: string | null
  readonly Phone: string | null
  readonly Owner: User
  readonly Parent: Account | null
  readonly Region__c: string | null
  readonly Score__c: number | null
  readonly CreatedDate: string
}
export interface Contact {
  readonly Id: string
  readonly FirstName: string | null
  readonly LastName: string
  readonly Name: string
  readonly Email: string | null
  readonly Title: string | null
  readonly Department: string | null
  readonly MailingCity: string | null
  readonly Birthdate: string | null
  readonly Account: Account | null
  readonly ReportsTo: Contact | null
  readonly Owner: User
  readonly CreatedDate: string
}
export interface Opportunity {
  readonly Id: string
  readonly Name: string
  readonly Account: Account | null
  readonly Amount: number | null
  readonly CloseDate: string
  readonly StageName: string
  readonly Probability: number
  readonly IsClosed: boolean
  readonly IsWon: boolean
  readonly ForecastCategory: string
  readonly Type: string | null
  readonly LeadSource: string | null
  readonly Campaign: Campaign | null
  readonly Owner: User
  readonly CreatedDate: string
}
export interface Case {
  readonly Id: string
  readonly CaseNumber: string
  readonly Subject: string | null
  readonly Status: string
  readonly Priority: string | null
  readonly Origin: string | null
  readonly IsClosed: boolean
  readonly ClosedDate: string | null
  readonly Account: Account | null
  readonly Contact: Contact | null
  readonly Owner: User | Queue
  readonly CreatedDate: string
}
export interface Lead {
  readonly Id: string
  readonly FirstName: string | null
  readonly LastName: string
  readonly Name: string
  readonly Company: string
  readonly Email: string | null
  readonly Status: string
  readonly LeadSource: string | null
  readonly IsConverted: boolean
  readonly Owner: User | Queue
  readonly CreatedDate: string
}
export interface Task {
  readonly Id: string
  readonly Subject: string
  readonly Status: string
  readonly Priority: string
  readonly IsClosed: boolean
  readonly ActivityDate: string | null
  readonly Who: Contact | Lead | null
  readonly What: Account | Opportunity | Case | null
  readonly Owner: User
  readonly CreatedDate: string
}
export interface Campaign {
  readonly Id: string
  readonly Name: string
  readonly IsActive: boolean
  readonly Owner: User
  readonly CreatedDate: string
}
export interface Visit {
  readonly Id: string
  readonly Name: string
  readonly Account__r: Account
  readonly Topics__c: string | null
  readonly Outcome__c: string | null
  readonly Billable__c: boolean
  readonly CreatedDate: string
}
export interface CaseComment {
  readonly Id: string
  readonly Parent: Case
  readonly CommentBody: string
  readonly IsPublished: boolean
  readonly CreatedDate: string
}

/** A moment as the service writes it. */
export const moment = (utc: string): string => utc.replace('Z', '.000+0000')

/** The eighteen characters of an id: for each five, a sign that tells which of them are capitals. */
export const longId = (short: string): string => {
  const signs = [0, 5, 10].map((from) => {
    let place = 0
    for (let at = 0; at < 5; at++) if (/[A-Z]/.test(short.charAt(from + at))) place += 2 ** at
    return 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345'.charAt(place)
  })
  return short + signs.join('')
}

/** Ids that come in pairs which differ by the case of one letter. */
export const numbered = (prefix: string): (() => string) => {
  let count = 0
  return () => {
    const pair = Math.floor(count / 2)
    const letter = count++ % 2 === 0 ? 'q' : 'Q'
    return longId(`${prefix}Kz${String(pair).padStart(9, '0')}${letter}`)
  }
}

type Plain = Readonly<Record<string, unknown>>

/** A record as a row to be stored: who it points at becomes an id, what is empty is left out. */
export const rowOf = (record: Plain): Plain =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      if (value === null) return []
      if (typeof value !== 'object') return [[name, value]]
      const key = name.endsWith('__r') ? name.replace('__r', '__c') : `${name}Id`
      return [[key, (value as { Id: string }).Id]]
    }),
  )
