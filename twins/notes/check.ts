import { known, unique } from '../kernel/findings.ts'
import type { CheckContext } from '../kernel/manifest.ts'
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
