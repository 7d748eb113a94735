import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Company, Person, Seeding } from '@diorama/twin-kit/kernel/twin'
import { integration } from '@diorama/twin-kit/kernel/twin'
import { nativeSecond } from '../dates.ts'
import { firstSeeded, makeId } from '../ids.ts'
import { type Draft, withoutNulls } from '../records/writing.ts'
import type { ObjectSchema, Schema } from '../schema/schema.ts'
import type { CrmSecurity } from '../section.ts'
import { personTable } from '../tables.ts'
import { standardValues } from './spellings.ts'

export const dayMs = 86_400_000

/** What every part of the seed is written with. */
export interface SeedContext {
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
export const seedRow = (
  context: SeedContext,
  name: string,
  fields: Draft,
  created: number,
  changed = created,
): Row => {
  const object = context.schema.object(name)
  if (!object) throw new Error(`the crm has no object ${name}`)
  const id = typeof fields.Id === 'string' ? fields.Id : nextId(context, object)
  const by = typeof fields.CreatedById === 'string' ? fields.CreatedById : context.integrationId
  const has = (field: string) => object.field(field) !== undefined
  const stamps: Draft = {
    CreatedDate: nativeSecond(created),
    CreatedById: by,
    LastModifiedDate: nativeSecond(changed),
    LastModifiedById: by,
    SystemModstamp: nativeSecond(changed),
  }
  const kept = Object.fromEntries(Object.entries({ ...stamps, ...fields }).filter(([field]) => has(field)))
  return context.seeding.insert(object.name, withoutNulls({ ...kept, Id: id }))
}

const nextId = (context: SeedContext, object: ObjectSchema): string => {
  const prefix = object.prefix ?? '000'
  const number = (context.counters.get(prefix) ?? 0) + 1
  context.counters.set(prefix, number)
  return makeId(prefix, context.pod, firstSeeded + number)
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

export const seedOrganization = (context: SeedContext, id: string, security?: CrmSecurity): void => {
  const { organization, clock, apiOwner } = context.company
  const [city, ...region] = (organization.headquarters ?? '').split(',').map((part) => part.trim())
  seedRow(
    context,
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
      InstanceName: `NA${200 + (Number.parseInt(context.seeding.digest('instance').slice(0, 4), 16) % 60)}`,
      IsSandbox: false,
      IsReadOnly: false,
      ...defaultAccess(security),
      UiSkin: 'Theme3',
    },
    clock - longAgo * dayMs,
  )
}

export const seedUsers = (context: SeedContext, security?: CrmSecurity): void => {
  const { company, seeding } = context
  const at = company.clock - longAgo * dayMs
  const profile = (name: string) =>
    String(seedRow(context, 'Profile', { Name: name, UserType: 'Standard' }, at).Id)
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
      roles.set(department, String(seedRow(context, 'UserRole', role, at).Id))
    }
  const places = security ? seedPlaces(context, security, at) : undefined
  const zone = company.apiOwner.timezone
  seedRow(
    context,
    'User',
    {
      Id: context.integrationId,
      ...userFields({ name: 'Integration User', first: 'Integration', last: 'User', zone }),
      Username: `integration@${company.organization.slug}.${company.organization.emailDomain}`,
      Email: `integration@${company.organization.emailDomain}`,
      Alias: 'integ',
      ProfileId: profiles.admin,
    },
    at,
  )
  seeding.insert(personTable, { subject: integration, userId: context.integrationId })
  context.users.set(integration, context.integrationId)
  for (const person of company.people) {
    const owner = person.handle === company.apiOwner.handle
    const row = seedRow(
      context,
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
    context.users.set(person.handle, String(row.Id))
    seeding.insert(personTable, { subject: person.handle, userId: String(row.Id) })
  }
}

/** The profiles and roles that the blueprint writes, and whose they are. */
const seedPlaces = (context: SeedContext, { profiles, roles }: CrmSecurity, at: number) => {
  const ids = new Map<string, string>()
  for (const { key, name } of profiles)
    ids.set(
      `profile ${key}`,
      String(seedRow(context, 'Profile', { Name: name, UserType: 'Standard' }, at).Id),
    )
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
            seedRow(
              context,
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
    context.seeding.warn('/security/roles', `${name} (${key}) is below itself; it is left out`)
  for (const [place, id] of ids) {
    const object = place.startsWith('role ') ? 'UserRole' : 'Profile'
    const key = place.replace(/^\w+ /, '')
    context.keyed.set(`${object} ${key}`, id)
    context.seeding.key(object, key, id)
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
export const seedValues = (context: SeedContext): void => {
  const at = context.company.clock - longAgo * dayMs
  for (const [object, rows] of Object.entries(standardValues))
    for (const [position, row] of rows.entries())
      seedRow(context, object, { ...row, ApiName: row.MasterLabel, SortOrder: position + 1 }, at)
  seedRow(context, 'Pricebook2', { Name: 'Standard Price Book', IsStandard: true, IsActive: true }, at)
}
