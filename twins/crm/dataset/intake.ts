import type { Adding, DatasetCompany, DatasetIntake } from '@diorama/twin-kit/datasets/dataset'
import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import type { Row } from '@diorama/twin-kit/kernel/table'
import { integration, type Person } from '@diorama/twin-kit/kernel/twin'
import { firstSeeded, makeId, podOf } from '../ids.ts'
import type { Schema } from '../schema/schema.ts'
import { type SeedContext, seedOrganization, seedUsers, seedValues } from '../seed/organization.ts'
import { standardValues } from '../seed/spellings.ts'
import { customizationTable, personTable } from '../tables.ts'

/** Follows the records of an organization, and adds what every organization has: itself, its users and its values. */
export const crmIntake =
  (schemaFor: (row: unknown) => Schema) =>
  (company: DatasetCompany): DatasetIntake => {
    const seen = new Set<string>()
    const users: Row[] = []
    let customization: Row | undefined
    let organizationId: string | undefined
    return {
      row: (collection, row) => {
        seen.add(collection)
        if (collection === 'User') {
          const { Id, Username, Email, Alias, IsActive } = row
          users.push({ Id, Username, Email, Alias, IsActive })
        } else if (collection === 'Organization') organizationId ??= String(row.Id)
        else if (collection === customizationTable) customization = row
      },
      end: (adding) => {
        const context = contextOf(company, schemaFor(customization), adding, organizationId)
        if (organizationId === undefined) seedOrganization(context, context.organizationId)
        if (users.length === 0) seedUsers(context)
        else if (!seen.has(personTable)) addPeople(company, users, adding)
        const hasValues = Object.keys(standardValues).some((name) => seen.has(name))
        if (!hasValues && !seen.has('Pricebook2')) seedValues(context)
      },
    }
  }

const nobody: Person = {
  handle: 'owner',
  firstName: '',
  lastName: 'Owner',
  name: 'Owner',
  email: '',
  title: '',
  department: '',
  timezone: 'Etc/UTC',
}

const contextOf = (
  company: DatasetCompany,
  schema: Schema,
  adding: Adding,
  given: string | undefined,
): SeedContext & { organizationId: string } => {
  const digest = (...parts: readonly string[]) =>
    sha256(JSON.stringify(['crm dataset', company.organization.slug, ...parts]))
  const organizationId = given ?? makeId('00D', 'DS0', firstSeeded)
  const pod = podOf(organizationId)
  return {
    schema,
    organizationId,
    company: { ...company, apiOwner: company.people[0] ?? nobody },
    pod,
    counters: new Map(),
    users: new Map(),
    keyed: new Map(),
    integrationId: makeId('005', pod, firstSeeded),
    seeding: {
      insert: (collection, row) => {
        adding.insert(collection, row)
        return row
      },
      get: () => undefined,
      key: () => {},
      digest,
      warn: (_pointer, message) => adding.warn(message),
    },
  }
}

/** Every user can be acted as, by the part of the username before the at sign; the token acts as the one named. */
const addPeople = (company: DatasetCompany, users: readonly Row[], adding: Adding): void => {
  const named = (user: Row) => [user.Id, user.Username, user.Email, user.Alias]
  const active = users.filter(({ IsActive }) => IsActive !== false)
  const acting =
    company.actsAs === undefined ? undefined : active.find((user) => named(user).includes(company.actsAs))
  if (company.actsAs !== undefined && !acting)
    adding.warn(`nobody is ${company.actsAs}; the token acts as the first user`)
  const own = acting ?? active[0] ?? users[0]
  if (own) adding.insert(personTable, { subject: integration, userId: String(own.Id) })
  const taken = new Set([integration])
  for (const user of active) {
    const short = String(user.Username ?? user.Email ?? user.Id).split('@')[0] ?? ''
    const subject = taken.has(short) || short === '' ? String(user.Id) : short
    taken.add(subject)
    adding.insert(personTable, { subject, userId: String(user.Id) })
  }
}
