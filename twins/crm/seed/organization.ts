import type { Row } from '../../kernel/table.ts'
import type { Company, Person, Seeding } from '../../kernel/twin.ts'
import { integration } from '../../kernel/twin.ts'
import { nativeSecond } from '../dates.ts'
import { firstSeeded, makeId } from '../ids.ts'
import { type Draft, withoutNulls } from '../records/writing.ts'
import type { ObjectSchema, Schema } from '../schema/schema.ts'
import type { CrmSecurity } from '../section.ts'
import { personTable } from '../tables.ts'
import { standardValues } from './spellings.ts'

export const dayMs = 86_400_000

/** What every part of the seed is written with. */
export interface Sowing {
  readonly schema: Schema
  readonly seeding: Seeding
  readonly company: Company
  readonly pod: string
  readonly counters: Map<string, number>
  readonly users: Map<string, string>
  /** Ids of what other parts of the seed name, by object and key. */
  readonly keyed: Map<string, string>
  readonly integrationId: string
}

/** Puts one record in place, with its id and its times. */
export const sow = (sowing: Sowing, name: string, fields: Draft, created: number, changed = created): Row => {
  const object = sowing.schema.object(name)
  if (!object) throw new Error(`the crm has no object ${name}`)
  const id = typeof fields.Id === 'string' ? fields.Id : nextId(sowing, object)
  const by = typeof fields.CreatedById === 'string' ? fields.CreatedById : sowing.integrationId
  const has = (field: string) => object.field(field) !== undefined
  const stamps: Draft = {
    CreatedDate: nativeSecond(created),
    CreatedById: by,
    LastModifiedDate: nativeSecond(changed),
    LastModifiedById: by,
    SystemModstamp: nativeSecond(changed),
  }
  const kept = Object.fromEntries(Object.entries({ ...stamps, ...fields }).filter(([field]) => has(field)))
  return sowing.seeding.insert(object.name, withoutNulls({ ...kept, Id: id }))
}

const nextId = (sowing: Sowing, object: ObjectSchema): string => {
  const prefix = object.prefix ?? '000'
  const number = (sowing.counters.get(prefix) ?? 0) + 1
  sowing.counters.set(prefix, number)
  return makeId(prefix, sowing.pod, firstSeeded + number)
}

const longAgo = 540

const accessWords = {
  private: 'None',
  public_read: 'Read',
  public_read_write: 'Edit',
  public_read_write_transfer: 'ReadEditTransfer',
  controlled_by_parent: 'ControlledByParent',
} as const

/** The access that everybody has to everybody's records. */
const defaultAccess = (security: CrmSecurity | undefined): Draft => {
  const { organizationDefaults: given } = security ?? {}
  const word = (chosen: keyof typeof accessWords | undefined, usual: string): string =>
    chosen ? accessWords[chosen] : usual
  return {
    DefaultAccountAccess: word(given?.account, 'Edit'),
    DefaultContactAccess: word(given?.contact, 'ControlledByParent'),
    DefaultOpportunityAccess: word(given?.opportunity, 'Edit'),
    DefaultLeadAccess: word(given?.lead, 'ReadEditTransfer'),
    DefaultCaseAccess: word(given?.case, 'ReadEditTransfer'),
  }
}

export const sowOrganization = (sowing: Sowing, id: string, security?: CrmSecurity): void => {
  const { organization, clock, apiOwner } = sowing.company
  const [city, ...region] = (organization.headquarters ?? '').split(',').map((part) => part.trim())
  sow(
    sowing,
    'Organization',
    {
      Id: id,
      Name: organization.name,
      City: city || null,
      State: region.join(', ') || null,
      PrimaryContact: apiOwner.name,
      DefaultLocaleSidKey: 'en_US',
      LanguageLocaleKey: 'en_US',
      TimeZoneSidKey: apiOwner.timezone,
      FiscalYearStartMonth: 1,
      OrganizationType: 'Enterprise Edition',
      InstanceName: `NA${200 + (Number.parseInt(sowing.seeding.digest('instance').slice(0, 4), 16) % 60)}`,
      IsSandbox: false,
      IsReadOnly: false,
      ...defaultAccess(security),
      UiSkin: 'Theme3',
    },
    clock - longAgo * dayMs,
  )
}

export const sowUsers = (sowing: Sowing, security?: CrmSecurity): void => {
  const { company, seeding } = sowing
  const at = company.clock - longAgo * dayMs
  const profile = (name: string) =>
    String(sow(sowing, 'Profile', { Name: name, UserType: 'Standard' }, at).Id)
  const profiles = { admin: profile('System Administrator'), standard: profile('Standard User') }
  const roles = new Map<string, string>()
  for (const { department } of company.people)
    if (!roles.has(department)) {
      const name = department.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase())
      const role = {
        Name: name,
        DeveloperName: name.replaceAll(' ', '_'),
        OpportunityAccessForAccountOwner: 'Edit',
      }
      roles.set(department, String(sow(sowing, 'UserRole', role, at).Id))
    }
  const places = security ? sowPlaces(sowing, security, at) : undefined
  const zone = company.apiOwner.timezone
  sow(
    sowing,
    'User',
    {
      Id: sowing.integrationId,
      ...userFields({ name: 'Integration User', first: 'Integration', last: 'User', zone }),
      Username: `integration@${company.organization.slug}.${company.organization.emailDomain}`,
      Email: `integration@${company.organization.emailDomain}`,
      Alias: 'integ',
      ProfileId: profiles.admin,
    },
    at,
  )
  seeding.insert(personTable, { subject: integration, userId: sowing.integrationId })
  sowing.users.set(integration, sowing.integrationId)
  for (const person of company.people) {
    const owner = person.handle === company.apiOwner.handle
    const row = sow(
      sowing,
      'User',
      {
        ...userFields({
          name: person.name,
          first: person.firstName,
          last: person.lastName,
          zone: person.timezone,
        }),
        ...personal(company, person),
        ProfileId: places?.profileOf(person.handle) ?? (owner ? profiles.admin : profiles.standard),
        UserRoleId: places ? places.roleOf(person.handle) : roles.get(person.department),
      },
      at,
    )
    sowing.users.set(person.handle, String(row.Id))
    seeding.insert(personTable, { subject: person.handle, userId: String(row.Id) })
  }
}

/** The profiles and roles that the blueprint writes, and whose they are. */
const sowPlaces = (sowing: Sowing, { profiles, roles }: CrmSecurity, at: number) => {
  const ids = new Map<string, string>()
  for (const { key, name } of profiles)
    ids.set(`profile ${key}`, String(sow(sowing, 'Profile', { Name: name, UserType: 'Standard' }, at).Id))
  const pending = [...roles]
  // Roles may be written in any order; each round places those whose parent is there.
  for (let round = 0; round < roles.length && pending.length > 0; round++)
    for (const role of pending.splice(0)) {
      const parent = role.parent === null ? null : ids.get(`role ${role.parent}`)
      if (parent === undefined) pending.push(role)
      else
        ids.set(
          `role ${role.key}`,
          String(
            sow(
              sowing,
              'UserRole',
              {
                Name: role.name,
                DeveloperName: role.name.replaceAll(/\W+/g, '_'),
                ParentRoleId: parent,
                OpportunityAccessForAccountOwner: 'Read',
                CaseAccessForAccountOwner: 'Read',
                ContactAccessForAccountOwner: 'Edit',
              },
              at,
            ).Id,
          ),
        )
    }
  for (const { key, name } of pending)
    sowing.seeding.warn('/security/roles', `${name} (${key}) is below itself; it is left out`)
  for (const [place, id] of ids) {
    const object = place.startsWith('role ') ? 'UserRole' : 'Profile'
    const key = place.replace(/^\w+ /, '')
    sowing.keyed.set(`${object} ${key}`, id)
    sowing.seeding.key(object, key, id)
  }
  const placeOf =
    (kind: string, list: readonly { key: string; people: readonly string[] }[]) => (handle: string) =>
      ids.get(`${kind} ${list.find(({ people }) => people.includes(handle))?.key}`)
  return { profileOf: placeOf('profile', profiles), roleOf: placeOf('role', roles) }
}

const userFields = (user: { name: string; first: string; last: string; zone: string }): Draft => ({
  FirstName: user.first,
  LastName: user.last,
  Name: user.name,
  IsActive: true,
  UserType: 'Standard',
  TimeZoneSidKey: user.zone,
  LocaleSidKey: 'en_US',
  LanguageLocaleKey: 'en_US',
  EmailEncodingKey: 'UTF-8',
  ReceivesInfoEmails: false,
})

const personal = (company: Company, person: Person): Draft => ({
  Username: person.email,
  Email: person.email,
  Title: person.title,
  Department: person.department.replaceAll('_', ' '),
  CompanyName: company.organization.name,
  Alias: person.handle.replaceAll(/[^a-z0-9]/g, '').slice(0, 8),
  CommunityNickname: person.handle.slice(0, 40),
})

/** The organization's statuses, stages and price book. */
export const sowValues = (sowing: Sowing): void => {
  const at = sowing.company.clock - longAgo * dayMs
  for (const [object, rows] of Object.entries(standardValues))
    for (const [position, row] of rows.entries())
      sow(sowing, object, { ...row, ApiName: row.MasterLabel, SortOrder: position + 1 }, at)
  sow(sowing, 'Pricebook2', { Name: 'Standard Price Book', IsStandard: true, IsActive: true }, at)
}
