import type { Twin } from '@diorama/twin-kit/kernel/twin'
import { withMcp } from '@diorama/twin-kit/wires/mcp/serve'
import { identities, token } from './actor.ts'
import { clients } from './clients.ts'
import { coverage } from './coverage.ts'
import { crmIntake } from './dataset/intake.ts'
import { personal } from './dataset/personal.ts'
import { bulkCsv, exportTree, sqlite } from './dataset/readers.ts'
import { fault } from './fault.ts'
import { crm as manifest } from './manifest.ts'
import { face } from './mcp/face.ts'
import { actsOf } from './moving/acts.ts'
import { due, nextDue } from './moving/due.ts'
import { notices } from './moving/notices.ts'
import { variationsOf } from './moving/variations.ts'
import { operations } from './operations/index.ts'
import { renameControls } from './operations/renames.ts'
import { crmControls } from './operations/settings.ts'
import { outboundChannel } from './outbound/channel.ts'
import { sendMessages } from './outbound/notify.ts'
import { fields, names, present } from './present.ts'
import type { Customization } from './schema/customization.ts'
import { organizationSchemas } from './schema/organization-schemas.ts'
import type { CrmSection } from './section.ts'
import { seed } from './seed.ts'
import { captureChanges } from './streaming/capture.ts'
import { type CrmTables, customizationTable, tables } from './tables.ts'
import { wire } from './wire.ts'

/**
 * The twin of organizations to which a deployment adds the given custom objects, fields and validation rules. What
 * depends on an organization's schema is a function of it.
 */
export const crmTwin = (added: Customization = {}): Twin<CrmSection, CrmTables> => {
  const schemas = organizationSchemas(added)
  const { standard, schemaFor, schemaIn } = schemas
  const answer = wire(schemaIn)
  const capture = captureChanges(schemaIn)
  const notify = sendMessages(schemaIn)
  const native: Twin<CrmSection, CrmTables> = {
    ...manifest,
    clients,
    tables: tables(standard),
    seedTables: (seeded) => {
      const [row] = seeded[customizationTable] ?? []
      return row ? tables(schemaFor(row)) : {}
    },
    seed: seed(schemas),
    operations: operations(schemaIn),
    controls: { ...crmControls(schemaIn), ...renameControls(schemaIn) },
    channels: { outbound_messages: outboundChannel },
    due,
    nextDue,
    acts: actsOf(standard),
    variations: variationsOf(schemaIn),
    notices,
    afterStep: (call, changes) => {
      capture(call, changes)
      notify(call, changes)
    },
    coverage,
    token,
    identities,
    wire: answer,
    fault,
    dataset: { intake: crmIntake(schemaFor), readers: [sqlite, bulkCsv, exportTree], personal },
    present: present(schemaIn),
    fields: fields(standard),
    names,
  }
  return withMcp(native, face(answer))
}

export const crm = crmTwin()
