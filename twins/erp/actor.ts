import type { TableView } from '@diorama/twin-kit/kernel/table'
import { type Actor, integration, type Principal, type Session } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow } from '@diorama/twin-kit/wires/odata/model'
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

/** The user that a principal acts as. */
export const actorOf = (users: TableView<EdmRow>, { subject }: Principal): Actor => {
  if (subject === integration) return { id: integrationUser, name: 'integration', subject }
  for (const { id, handle, name } of users.all())
    if (handle === subject) return { id, name: String(name), subject }
  return { id: integrationUser, name: subject, subject }
}
