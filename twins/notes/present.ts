import { shapeOf } from '@diorama/twin-kit/kernel/record-fields'
import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Views } from '@diorama/twin-kit/kernel/twin'
import { type NotesTables, tables } from './tables.ts'

export const fields = (collection: string): readonly string[] =>
  collection === 'note' ? [...shapeOf(tables.note), 'author_name'] : []

/** A record as scorers and people read it: with the author's name beside the id. */
export const present = (collection: string, row: Row, views: Views<NotesTables>): Row => {
  const author = collection === 'note' ? views.person.get(String(row.author)) : undefined
  return author ? { ...row, author_name: author.name } : row
}
