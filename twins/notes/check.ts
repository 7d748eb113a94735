import { known, unique } from '@diorama/twin-kit/kernel/findings'
import type { CheckContext } from '@diorama/twin-kit/kernel/manifest'
import type { NotesSection } from './section.ts'

export const check = ({ notes }: NotesSection, { findings, handles }: CheckContext): void => {
  unique(
    findings,
    notes.map(({ key }, n) => ({ name: key, pointer: `/notes/${n}/key` })),
    'key',
  )
  notes.forEach(({ author }, n) =>
    known(findings, { name: author, pointer: `/notes/${n}/author` }, handles, 'identity'),
  )
}
