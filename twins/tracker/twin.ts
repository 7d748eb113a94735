import type { Coverage, Twin } from '@diorama/twin-kit/kernel/twin'
import { withMcp } from '@diorama/twin-kit/wires/mcp/serve'
import { identities, token } from './actor.ts'
import { clients } from './clients.ts'
import { coverage } from './coverage.ts'
import { csvExport } from './dataset/csv.ts'
import { trackerIntake } from './dataset/intake.ts'
import { personal } from './dataset/personal.ts'
import { tableDump } from './dataset/table-dump.ts'
import { fault } from './fault.ts'
import { trackerSchema } from './graphql/engine.ts'
import { tracker as manifest } from './manifest.ts'
import { face } from './mcp/face.ts'
import { acts } from './moving/acts.ts'
import { nextDue } from './moving/due.ts'
import { notices } from './moving/notices.ts'
import { variations } from './moving/variations.ts'
import { due } from './operations/due.ts'
import { operations } from './operations/index.ts'
import { fields, names, present } from './present.ts'
import type { TrackerSection } from './section.ts'
import { seed } from './seed.ts'
import { type TrackerTables, tables } from './tables.ts'
import { webhookChannel } from './webhooks/channel.ts'
import { emitEvents } from './webhooks/events.ts'
import { trackerControls } from './webhooks/settings.ts'
import { wire } from './wire.ts'

const native: Twin<TrackerSection, TrackerTables> = {
  ...manifest,
  clients,
  tables,
  seed,
  operations,
  due,
  afterStep: emitEvents,
  channels: { webhooks: webhookChannel },
  controls: trackerControls,
  nextDue,
  acts,
  variations,
  notices,
  /** Read from the schema, which is made when first needed. */
  get coverage(): readonly Coverage[] {
    return coverage()
  },
  token,
  identities,
  wire,
  fault,
  dataset: { intake: trackerIntake, readers: [csvExport, tableDump], personal },
  present,
  fields,
  names,
  useCache: (folder) => trackerSchema.useCache(folder),
}

export const tracker = withMcp(native, face)
