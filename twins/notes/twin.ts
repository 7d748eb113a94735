import type { Twin } from '@diorama/twin-kit/kernel/twin'
import { withMcp } from '@diorama/twin-kit/wires/mcp/serve'
import { identities, token } from './actor.ts'
import { clients } from './clients.ts'
import { coverage } from './coverage.ts'
import { fault } from './fault.ts'
import { notes as manifest } from './manifest.ts'
import { face } from './mcp/face.ts'
import { operations, writeReminders } from './operations/index.ts'
import { fields, present } from './present.ts'
import type { NotesSection } from './section.ts'
import { seed } from './seed.ts'
import { type NotesTables, tables } from './tables.ts'
import { wire } from './wire.ts'

/** The smallest twin there is: notes on a pad. The kernel is tested on it, and a new twin can start from it. */
const native: Twin<NotesSection, NotesTables> = {
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
  due: writeReminders,
  present,
  fields,
}

export const notes = withMcp(native, face)
