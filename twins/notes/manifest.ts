import { defineManifest } from '@diorama/twin-kit/kernel/manifest'
import { check } from './check.ts'
import { section } from './section.ts'

export const notes = defineManifest({
  kind: 'notes',
  label: 'Notes',
  aliases: ['pad'],
  icon: 'M3.5 2.500h9v11h-9z M5.5 5.500h5 M5.5 8h5 M5.5 10.500h3',
  standsFor: 'a pad of notes that exists nowhere else',
  hosts: ['notes.example', 'mcp.notes.example'],
  ports: [],
  section,
  check,
  keyNames: 'note key',
  keys: (section) => section.notes.map(({ key }) => key),
  sample: { notes: [{ key: 'welcome', text: 'Write the first note' }] },
  secrets: ['note-[a-z0-9._-]+-[0-9a-f]{16,}'],
  sampleRead: { method: 'POST', path: '/list', body: '{}', scheme: 'Bearer ' },
  primaryFields: { note: ['text', 'author'], person: ['name', 'email'] },
  noise: { note: ['at'] },
  url: import.meta.url,
})
