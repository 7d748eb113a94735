import { type Actor, integration, type Session, type TwinRequest } from '@diorama/twin-kit/kernel/twin'
import type { NotesTables } from './tables.ts'

/** The person that a credential acts as: the pad's own token acts as the first person. */
export const actorOf = (request: TwinRequest, session: Session<NotesTables>): Actor | undefined => {
  const credential = (request.headers.authorization ?? '').replace(/^Bearer /, '')
  const principal = session.principals.find(({ token }) => token === credential)
  if (!principal) return undefined
  const [first] = session.views.person.all()
  const id = principal.subject === integration ? (first?.id ?? '') : principal.subject
  return { id, name: id, subject: principal.subject }
}

export const makeToken = (subject: string, secret: string): string => `note-${subject}-${secret}`
