import {
  type Actor,
  integration,
  type Session,
  type TwinIdentity,
  type TwinRequest,
  type Views,
} from '@diorama/twin-kit/kernel/twin'
import type { NotesTables } from './tables.ts'

/** A credential in the shape that the pad's clients send. */
export const token = (subject: string, secret: string): string => `note-${subject}-${secret}`

/** The person that a subject acts as: the pad's own token acts as the first person. */
export const actor = (subject: string, views: Views<NotesTables>): Actor | undefined => {
  const [first] = views.person.all()
  const person = subject === integration ? first : views.person.get(subject)
  return person && { id: person.id, name: person.name, subject }
}

/** The native account of each person. */
export const identities = (views: Views<NotesTables>): readonly TwinIdentity[] =>
  [...views.person.all()].map(({ id, name, email }) => ({ subject: id, nativeId: id, name, email }))

/** Reports to the session who is calling; false where the credential is not valid. */
export const authenticate = (request: TwinRequest, session: Session<NotesTables>): boolean => {
  const credential = (request.headers.authorization ?? '').replace(/^Bearer /, '')
  const principal = session.principals.find((one) => one.token === credential)
  const caller = principal && actor(principal.subject, session.views)
  session.authenticate(caller)
  return caller !== undefined
}
