import type { Row } from '../kernel/table.ts'
import { integration, type Twin } from '../kernel/twin.ts'
import { tokenFor } from './actor.ts'
import { clients } from './clients.ts'
import { coverage } from './coverage.ts'
import { crm as manifest } from './manifest.ts'
import { jobOperations } from './operations/jobs.ts'
import { leadOperations } from './operations/leads.ts'
import { metadataOperations } from './operations/metadata.ts'
import { queryOperations } from './operations/queries.ts'
import { recordOperations } from './operations/records.ts'
import { searchOperations } from './operations/search.ts'
import { sessionOperations } from './operations/sessions.ts'
import { orgOf } from './records/org.ts'
import type { Customization } from './schema/customization.ts'
import { schemaOf } from './schema/schema.ts'
import type { CrmSection } from './section.ts'
import { seedCrm } from './seed.ts'
import { type CrmTables, personTable, tableOf, tablesOf } from './tables.ts'
import { crmFault, crmWire } from './wire.ts'

/** The twin of an organization with custom objects, custom fields or validation rules of its own. */
export const crmTwin = (added: Customization = {}): Twin<CrmSection, CrmTables> => {
  const schema = schemaOf(added)
  return {
    ...manifest,
    clients,
    tables: tablesOf(schema),
    seed: (section, company, seeding) => seedCrm(schema, added, section, company, seeding),
    operations: {
      ...recordOperations(schema),
      ...queryOperations(schema),
      ...metadataOperations(schema),
      ...searchOperations(schema),
      ...leadOperations(schema),
      ...jobOperations(schema),
      ...sessionOperations,
    },
    coverage,
    token: (_subject, secret, views) => tokenFor(secret, views),
    identities: (views) =>
      [...tableOf(views, personTable).all()].map(({ subject, userId }) => {
        const user = tableOf(views, 'User').get(String(userId))
        return {
          subject: String(subject),
          nativeId: String(userId),
          name: String(user?.Name),
          email: String(user?.Email),
        }
      }),
    wire: crmWire(schema),
    fault: crmFault,
    present: (collection, row, views) => {
      const object = schema.object(collection)
      if (!object) return row
      const userId = String(tableOf(views, personTable).get(integration)?.userId)
      const org = orgOf({ schema, tables: views, now: 0, userId, baseUrl: '', asSystem: true })
      return present(org, object, row)
    },
    // Cases, orders and contracts carry numbers, under the name of what they are.
    names: (collection, row) => {
      const number = row[`${collection}Number`]
      return typeof number === 'string' ? [number] : []
    },
  }
}

/** A record as graders see it: every field of the object, with null where there is nothing. */
const present = (
  org: ReturnType<typeof orgOf>,
  object: NonNullable<ReturnType<ReturnType<typeof schemaOf>['object']>>,
  row: Row,
): Row =>
  Object.fromEntries(
    object.fields
      .filter((field) => field.type !== 'address')
      .map((field) => [field.name, row[field.name] ?? org.read(object, field)(row)]),
  )

export const crm = crmTwin()
