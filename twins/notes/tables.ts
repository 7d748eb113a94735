import { table } from '@diorama/twin-kit/kernel/table'
import { z } from 'zod'

const Note = z.object({ id: z.string(), text: z.string(), author: z.string(), at: z.number() })

export const tables = {
  note: table({
    key: 'id',
    row: Note,
    indexes: { author: { by: (note: z.infer<typeof Note>) => note.author, order: (note) => note.at } },
  }),
  person: table({ key: 'id', row: z.object({ id: z.string(), name: z.string(), email: z.string() }) }),
  reminder: table({
    key: 'id',
    row: z.object({ id: z.string(), text: z.string(), at: z.number() }),
    internal: true,
  }),
}
export type NotesTables = typeof tables
