import { integration, type Session, type TwinRequest, type Views } from '@diorama/twin-kit/kernel/twin'
import { organizationOf } from './context.ts'
import type { UserRow } from './rows.ts'
import type { TrackerTables } from './tables.ts'

/** API keys are sent bare, tokens of applications as bearers; either is taken for the account it was made for. */
export const authenticate = (request: TwinRequest, session: Session<TrackerTables>): boolean => {
  const credential = (request.headers.authorization ?? '').replace(/^Bearer\s+/i, '').trim()
  const principal =
    credential === '' ? undefined : session.principals.find(({ token }) => token === credential)
  const user = principal && userOf(principal.subject, session.views)
  if (!principal || !user?.active) return false
  session.authenticate({ id: user.id, name: user.name, subject: principal.subject })
  return true
}

/** The twin's own token acts as the API's owner. */
export const userOf = (subject: string, views: Views<TrackerTables>): UserRow | undefined => {
  const handle = subject === integration ? organizationOf({ tables: views }).apiOwner : subject
  return typeof handle === 'string' ? views.User.first('handle', handle) : undefined
}

/** In the shape that clients check: a prefix and forty characters. */
export const token = (_subject: string, secret: string): string =>
  `lin_api_${secret.padEnd(40, '0').slice(0, 40)}`
