import type { Company } from '@diorama/twin-kit/kernel/twin'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import type { Customization } from '../../schema/customization.ts'
import { crmTwin } from '../../twin.ts'
import { requestOf } from '../setup.ts'
import { customization, emptySection } from '../world.ts'
import type { Known } from './known.ts'
import { organizationOf } from './organization.ts'
import { type People, rowOf, type User } from './records.ts'

const userOf = (Id: string, FirstName: string, LastName: string, alias: string, zone: string): User => ({
  Id,
  FirstName,
  LastName,
  Name: `${FirstName} ${LastName}`,
  Alias: alias,
  Email: `${alias === 'integ' ? 'integration' : alias}@northwind.example`,
  Title: null,
  TimeZoneSidKey: zone,
  IsActive: true,
})

/** Only the ids of the users are the twin's own; who they are is written here. */
const peopleOf = (added: Customization): People => {
  const { instance, twin } = open(added)
  const idOf = (subject: string): string =>
    twin.identities(instance.tables).find((one) => one.subject === subject)?.nativeId ?? ''
  return {
    integration: userOf(idOf('integration'), 'Integration', 'User', 'integ', 'Europe/Berlin'),
    mira: userOf(idOf('mira'), 'Mira', 'Okafor', 'mira', 'Europe/Berlin'),
    dev: userOf(idOf('dev'), 'Dev', 'Sharma', 'dev', 'Asia/Kolkata'),
    lucia: userOf(idOf('lucia'), 'Lucía', 'Fernández', 'lucia', 'America/New_York'),
    sid: userOf(idOf('sid'), 'Sid', 'Ng', 'sid', 'Australia/Sydney'),
  }
}

/** With somebody in Sydney, where the clocks change after the day of Greenwich has, and before ours. */
const company: Company = {
  ...testCompany,
  people: [
    ...testCompany.people,
    {
      handle: 'sid',
      firstName: 'Sid',
      lastName: 'Ng',
      name: 'Sid Ng',
      email: 'sid@northwind.example',
      title: 'Buyer',
      department: 'operations',
      timezone: 'Australia/Sydney',
    },
  ],
}

const open = (added: Customization) => {
  const twin = crmTwin(added)
  return { twin, ...startInstance(seedFor(twin, emptySection, company), company) }
}

const now = '2026-03-31T21:30:00Z'

/** The organization of the known answers: as plain records, and as a twin to be asked. */
export const knownOrganization = () => {
  const organization = organizationOf(peopleOf(customization))
  const { Group, Account, Contact, Campaign, Opportunity, deleted, Lead, Task, Visit, CaseComment } =
    organization
  const records = Object.fromEntries(
    Object.entries({
      Group,
      Account,
      Contact,
      Campaign,
      Opportunity: [...Opportunity, ...deleted],
      Case: organization.Case,
      Lead,
      Task,
      Visit__c: Visit,
      CaseComment,
    }).map(([object, all]) => [object, all.map((one) => rowOf({ ...one }))]),
  )
  const { instance, token, tokens } = open({ ...customization, records })
  for (const { Id } of deleted)
    instance.handle(requestOf('DELETE', `/sobjects/Opportunity/${Id}`, token), testCompany.clock)
  const ask = ({ soql, as, at, all }: Known): { status: number; body: unknown } => {
    const path = `/${all ? 'queryAll' : 'query'}?q=${encodeURIComponent(soql)}`
    const asked = requestOf('GET', path, as ? (tokens[as] ?? '') : token)
    const { step, failure } = instance.handle(asked, Date.parse(at ?? now))
    if (failure !== undefined) throw failure
    return { status: step.reply.status, body: JSON.parse(String(step.reply.body)) }
  }
  return { organization, ask }
}

type Json = Readonly<Record<string, unknown>>

/** An answer without addresses and page marks: records, their parents, and their children as a list. */
export const bare = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(bare)
  if (typeof value !== 'object' || value === null) return value
  const record = value as Json
  if (Array.isArray(record.records)) return bare(record.records)
  return Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => name !== 'attributes')
      .map(([name, one]) => [name, bare(one)]),
  )
}

/** Whether the outermost query says in which order its records come. */
export const isOrdered = (soql: string): boolean => {
  let text = soql
  for (let round = 0; round < 9; round++) text = text.replace(/\([^()]*\)/g, '')
  return /\bORDER BY\b/i.test(text)
}
