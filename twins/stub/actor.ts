import {
  type Actor,
  integration,
  type Session,
  type TwinIdentity,
  type TwinRequest,
  type Views,
} from '@diorama/twin-kit/kernel/twin'
import type { StubTables } from './tables.ts'

/** A credential for any of the services. */
export const token = (subject: string, secret: string): string => `stub-${subject}-${secret}`

/** Who a subject acts as: the twin's own token acts as an integration. */
export const actor = (subject: string, views: Views<StubTables>): Actor | undefined => {
  if (subject === integration) return { id: integration, name: integration, subject }
  const person = views.person.get(subject)
  return person && { id: person.id, name: person.name, subject }
}

/** The account of each person. */
export const identities = (views: Views<StubTables>): readonly TwinIdentity[] =>
  [...views.person.all()].map(({ id, name, email }) => ({ subject: id, nativeId: id, name, email }))

/** Reports who is calling. Services differ in where they take a credential: any header or query parameter will do. */
export const authenticate = (request: TwinRequest, session: Session<StubTables>): boolean => {
  const sent = [
    ...Object.values(request.headers),
    request.query,
    basicOf(request.headers.authorization),
  ].join(' ')
  const credential = /stub-[a-z0-9._-]+-[0-9a-f]{16,}/.exec(sent)?.[0]
  const principal = session.principals.find((one) => one.token === credential)
  const caller = principal && actor(principal.subject, session.views)
  session.authenticate(caller)
  return caller !== undefined
}

const basicOf = (authorization = ''): string => {
  const encoded = /^Basic +([\w+/=]+)$/i.exec(authorization)?.[1]
  try {
    return encoded === undefined ? '' : atob(encoded)
  } catch {
    return ''
  }
}
