import type { Row } from '@diorama/twin-kit/kernel/table'
import { integration, type Twin } from '@diorama/twin-kit/kernel/twin'
import { withMcp } from '@diorama/twin-kit/wires/mcp/serve'
import { tokenFor } from './actor.ts'
import { clients } from './clients.ts'
import { coverage } from './coverage.ts'
import { crmIntake } from './dataset/intake.ts'
import { personal } from './dataset/personal.ts'
import { bulkCsv, exportTree, sqlite } from './dataset/readers.ts'
import { crm as manifest } from './manifest.ts'
import { crmFace } from './mcp/face.ts'
import { actsOf } from './moving/acts.ts'
import { due, nextDue } from './moving/due.ts'
import { notices } from './moving/notices.ts'
import { crmControls, oauthOperations } from './oauth/requests.ts'
import { actionOperations } from './operations/actions.ts'
import { jobOperations } from './operations/jobs.ts'
import { leadOperations } from './operations/leads.ts'
import { metadataOperations } from './operations/metadata.ts'
import { queryOperations } from './operations/queries.ts'
import { recordOperations } from './operations/records.ts'
import { searchOperations } from './operations/search.ts'
import { sessionOperations } from './operations/sessions.ts'
import { orgOf } from './records/org.ts'
import type { Customization } from './schema/customization.ts'
import { type Schema, type SchemaIn, schemaOf } from './schema/schema.ts'
import type { CrmSection } from './section.ts'
import { seedCrm } from './seed.ts'
import { captureChanges } from './streaming/capture.ts'
import { streamingOperations } from './streaming/platform-events.ts'
import { type CrmTables, customizationTable, personTable, tableOf, tablesOf } from './tables.ts'
import { crmFault, crmWire } from './wire.ts'

/** The twin of an organization with the given custom objects, fields and validation rules. */
export const crmTwin = (added: Customization = {}): Twin<CrmSection, CrmTables> => {
  const standard = schemaOf(added)
  // One schema for each customization row; a seed's row is shared by all its copies.
  const schemas = new WeakMap<object, Schema>()
  const schemaFor = (row: unknown): Schema => {
    if (typeof row !== 'object' || row === null) return standard
    const known = schemas.get(row)
    if (known) return known
    const made = schemaOf(merged(added, row as Customization))
    schemas.set(row, made)
    return made
  }
  const schemaIn: SchemaIn = (tables) => schemaFor(tables[customizationTable]?.get('customization'))
  const wire = crmWire(schemaIn)
  const native: Twin<CrmSection, CrmTables> = {
    ...manifest,
    clients,
    tables: tablesOf(standard),
    seedTables: (seeded) => {
      const [row] = seeded[customizationTable] ?? []
      return row ? tablesOf(schemaFor(row)) : {}
    },
    seed: (section, company, seeding) => seedCrm({ schemaFor, added, section, company, seeding }),
    operations: {
      ...recordOperations(schemaIn),
      ...queryOperations(schemaIn),
      ...metadataOperations(schemaIn),
      ...searchOperations(schemaIn),
      ...leadOperations(schemaIn),
      ...jobOperations(schemaIn),
      ...actionOperations(schemaIn),
      ...sessionOperations,
      ...streamingOperations,
      ...oauthOperations,
    },
    controls: crmControls,
    due,
    nextDue,
    acts: actsOf(standard),
    notices,
    afterStep: captureChanges(schemaIn),
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
    wire,
    fault: crmFault,
    dataset: { intake: crmIntake(schemaFor), readers: [sqlite, bulkCsv, exportTree], personal },
    present: (collection, row, views) => {
      const schema = schemaIn(views)
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
  return withMcp(native, crmFace(wire))
}

/** What a deployment adds to every organization, and what one organization adds. */
const merged = (one: Customization, other: Customization): Customization => ({
  objects: [...(one.objects ?? []), ...(other.objects ?? [])],
  fields: Object.fromEntries(
    [...new Set([...Object.keys(one.fields ?? {}), ...Object.keys(other.fields ?? {})])].map((object) => [
      object,
      [...(one.fields?.[object] ?? []), ...(other.fields?.[object] ?? [])],
    ]),
  ),
  validationRules: [...(one.validationRules ?? []), ...(other.validationRules ?? [])],
  recordTypes: [...(one.recordTypes ?? []), ...(other.recordTypes ?? [])],
})

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
