import type { Twin } from '@diorama/twin-kit/kernel/twin'
import { withMcp } from '@diorama/twin-kit/wires/mcp/serve'
import { makeToken } from './actor.ts'
import { coverage } from './coverage.ts'
import { fault } from './fault.ts'
import { notes as manifest } from './manifest.ts'
import { face } from './mcp/face.ts'
import { operations, writeReminders } from './operations/index.ts'
import type { NotesSection } from './section.ts'
import { seed } from './seed.ts'
import { type NotesTables, tables } from './tables.ts'
import { wire } from './wire.ts'

/** The smallest twin there is: notes on a pad. The kernel is tested on it, and a new twin can start from it. */
const native: Twin<NotesSection, NotesTables> = {
  ...manifest,
  clients: ({ token }) => ({
    hosts: ['notes.example', 'mcp.notes.example'],
    baseUrl: 'http://notes.example',
    mcpUrl: 'http://mcp.notes.example/mcp',
    variables: { NOTES_TOKEN: token },
  }),
  tables,
  seed,
  operations,
  coverage,
  token: makeToken,
  identities: (views) =>
    [...views.person.all()].map(({ id, name, email }) => ({ subject: id, nativeId: id, name, email })),
  wire,
  fault,
  due: writeReminders,
}

export const notes = withMcp(native, face)
