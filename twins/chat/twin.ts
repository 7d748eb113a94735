import type { Twin } from '@diorama/twin-kit/kernel/twin'
import { withMcp } from '@diorama/twin-kit/wires/mcp/serve'
import { identities, token } from './actor.ts'
import { readSettings, writeSettings } from './apps/app.ts'
import { channels } from './apps/channels.ts'
import { emitEvents } from './apps/events.ts'
import { interact } from './apps/interact.ts'
import { socketRules } from './apps/socket-mode.ts'
import { clients } from './clients.ts'
import { coverage } from './coverage.ts'
import { exportZip } from './dataset/export-zip.ts'
import { chatIntake } from './dataset/intake.ts'
import { personal } from './dataset/personal.ts'
import { tableDump } from './dataset/table-dump.ts'
import { threads } from './dataset/threads.ts'
import { fault } from './fault.ts'
import { chat as manifest } from './manifest.ts'
import { face } from './mcp/face.ts'
import { acts } from './moving/acts.ts'
import { due, nextDue } from './moving/due.ts'
import { notices } from './moving/notices.ts'
import { variations } from './moving/variations.ts'
import { operations } from './operations/index.ts'
import { fields, names, present } from './present.ts'
import type { ChatSection } from './section.ts'
import { seed } from './seed.ts'
import { type ChatTables, tables } from './tables.ts'
import { wire } from './wire.ts'

const native: Twin<ChatSection, ChatTables> = {
  ...manifest,
  clients,
  tables,
  seed,
  operations,
  coverage,
  token,
  identities,
  wire,
  fault,
  due,
  nextDue,
  acts,
  variations,
  notices,
  dataset: { intake: chatIntake, groups: { message: threads }, readers: [exportZip, tableDump], personal },
  afterStep: emitEvents,
  channels,
  sockets: socketRules,
  controls: { readSettings, writeSettings, interact },
  present,
  fields,
  names,
}

export const chat = withMcp(native, face)
