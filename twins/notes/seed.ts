import type { Company, Seeding } from '@diorama/twin-kit/kernel/twin'
import type { NotesSection } from './section.ts'

export const seed = ({ notes }: NotesSection, company: Company, seeding: Seeding): void => {
  for (const { handle, name, email } of company.people) seeding.insert('person', { id: handle, name, email })
  for (const { key, text, author } of notes) {
    const id = `s${seeding.digest(key).slice(0, 8)}`
    seeding.insert('note', { id, text, author: author ?? company.apiOwner.handle, at: company.clock })
    seeding.key('note', key, id)
  }
}
