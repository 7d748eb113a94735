import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import {
  type Actor,
  integration,
  type Session,
  type TwinIdentity,
  type TwinRequest,
  type Views,
} from '@diorama/twin-kit/kernel/twin'
import { organizationOf } from './context.ts'
import type { Grant } from './oauth/scopes.ts'
import type { UserRow } from './rows.ts'
import type { TrackerTables } from './tables.ts'
import { iso } from './values/times.ts'

/** Who is calling, and with what an application was granted, where it is one. */
export interface Caller {
  readonly grant: Grant | undefined
}

/** API keys are sent bare, tokens of applications as bearers; either is taken for the account it was made for. */
export const authenticate = (request: TwinRequest, session: Session<TrackerTables>): Caller | undefined => {
  const credential = (request.headers.authorization ?? '').replace(/^Bearer\s+/i, '').trim()
  if (credential === '') return undefined
  const principal = session.principals.find((one) => one.token === credential)
  const issued = principal ? undefined : session.views.oauthToken.get(sha256(credential))
  if (issued && issued.expiresAt <= iso(session.now)) return undefined
  const user = principal
    ? userOf(principal.subject, session.views)
    : session.views.User.get(issued?.userId ?? '')
  if (!user?.active) return undefined
  session.authenticate({ id: user.id, name: user.name, subject: principal?.subject ?? user.handle })
  return { grant: issued ?? grantOfApplication(user, session.views) }
}

/** The token that comes with a seeded application carries what the workspace granted it. */
const grantOfApplication = (user: UserRow, views: Views<TrackerTables>): Grant | undefined => {
  const app = user.app === true ? views.OAuthApplication.get(String(user.oauthClientId)) : undefined
  return app && { clientId: app.clientId, actor: 'app', scopes: app.scopes }
}

/** The account that a subject acts as. */
export const actor = (subject: string, views: Views<TrackerTables>): Actor | undefined => {
  const user = userOf(subject, views)
  return user && { id: user.id, name: user.name, subject }
}

/** The native account of each person. */
export const identities = (views: Views<TrackerTables>): readonly TwinIdentity[] =>
  [...views.User.all()].map(({ id, handle, name, email }) => ({ subject: handle, nativeId: id, name, email }))

/** The twin's own token acts as the API's owner. */
export const userOf = (subject: string, views: Views<TrackerTables>): UserRow | undefined => {
  const handle = subject === integration ? organizationOf({ tables: views }).apiOwner : subject
  return typeof handle === 'string' ? views.User.first('handle', handle) : undefined
}

/** In the shape that clients check: a prefix and forty characters. */
export const token = (subject: string, secret: string): string =>
  `${subject.startsWith('app:') ? 'lin_oauth' : 'lin_api'}_${secret.padEnd(40, '0').slice(0, 40)}`
