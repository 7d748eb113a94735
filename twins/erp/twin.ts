import type { Twin } from '@diorama/twin-kit/kernel/twin'
import { withMcp } from '@diorama/twin-kit/wires/mcp/serve'
import { identities, token } from './actor.ts'
import { clients } from './clients.ts'
import { coverage } from './coverage.ts'
import { erpIntake } from './dataset/intake.ts'
import { odataPages } from './dataset/odata-pages.ts'
import { personal } from './dataset/personal.ts'
import { raiseEvents } from './events/raise.ts'
import { erpControls, eventChannel } from './events/webhooks.ts'
import { fault } from './fault.ts'
import { erp as manifest } from './manifest.ts'
import { face } from './mcp/face.ts'
import { acts } from './moving/acts.ts'
import { variations } from './moving/variations.ts'
import { operations } from './operations/index.ts'
import { fields, present } from './present.ts'
import type { ErpSection } from './section.ts'
import { seed } from './seed.ts'
import { type ErpTables, tables } from './tables.ts'
import { wire } from './wire.ts'

/** SAP S/4HANA's OData v2 services for sales orders and business partners, as the Gateway speaks them. */
const twin: Twin<ErpSection, ErpTables> = {
  ...manifest,
  clients,
  tables,
  seed,
  operations,
  coverage,
  afterStep: raiseEvents,
  channels: { events: eventChannel },
  controls: erpControls,
  acts,
  dataset: { intake: erpIntake, readers: [odataPages], personal },
  variations,
  token,
  identities,
  wire,
  fault,
  present,
  fields,
}

export const erp = withMcp(twin, face)
