import {
  type Actor,
  integration,
  type Principal,
  type Session,
  type TwinIdentity,
  type Views,
} from '@diorama/twin-kit/kernel/twin'
import { integrationUser } from './seed.ts'
import type { ErpTables } from './tables.ts'

/** The credential that a request carries, whichever of the system's ways it is sent by. */
export const credentialOf = (headers: Readonly<Record<string, string>>): string | undefined => {
  const { authorization } = headers
  if (authorization !== undefined) {
    const [scheme = '', value = ''] = authorization.trim().split(/\s+/, 2)
    if (/^bearer$/i.test(scheme)) return value
    if (/^basic$/i.test(scheme)) {
      const text = Buffer.from(value, 'base64').toString('utf8')
      const colon = text.indexOf(':')
      return colon === -1 ? undefined : text.slice(colon + 1)
    }
  }
  return headers.apikey
}

export const principalOf = (
  session: Session<ErpTables>,
  credential: string | undefined,
): Principal | undefined =>
  credential === undefined || credential === ''
    ? undefined
    : session.principals.find(({ token }) => token === credential)

/** The system's users have passwords of any shape. */
export const token = (_subject: string, secret: string): string => secret

/** The user that a subject acts as. */
export const actor = (subject: string, views: Views<ErpTables>): Actor | undefined => {
  if (!views.user) return undefined
  if (subject === integration) return { id: integrationUser, name: 'integration', subject }
  for (const { id, handle, name } of views.user.all())
    if (handle === subject) return { id, name: String(name), subject }
  return { id: integrationUser, name: subject, subject }
}

/** The native account of each person, and that of the integration. */
export const identities = (views: Views<ErpTables>): readonly TwinIdentity[] =>
  [...(views.user?.all() ?? [])].map(({ id, handle, name, email }) => ({
    subject: id === integrationUser ? integration : String(handle),
    nativeId: id,
    name: String(name),
    email: String(email),
  }))
