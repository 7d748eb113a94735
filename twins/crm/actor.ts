import type { TableView } from '@diorama/twin-kit/kernel/table'
import type { Actor, Principal, TwinIdentity } from '@diorama/twin-kit/kernel/twin'
import { endedTable, personTable, tableOf } from './tables.ts'

type CrmViews = Readonly<Record<string, TableView>>

export const organizationId = (views: CrmViews): string => {
  const [organization] = tableOf(views, 'Organization').all()
  return String(organization?.Id)
}

/** The session id that a subject's calls carry: the organization, then a secret. */
export const token = (_subject: string, secret: string, views: CrmViews): string =>
  `${organizationId(views).slice(0, 15)}!AQEAQ${secret.slice(0, 12)}.${secret.slice(12)}`

/** What of a token is secret: it serves as password, client secret and refresh token, too. */
export const secretOf = (sessionId: string): string => sessionId.slice(sessionId.indexOf('!') + 1)

/** The user that a subject acts as. */
export const actor = (subject: string, views: CrmViews): Actor | undefined => {
  const userId = tableOf(views, personTable).get(subject)?.userId
  const user = typeof userId === 'string' ? tableOf(views, 'User').get(userId) : undefined
  return user && user.IsActive !== false
    ? { id: String(user.Id), name: String(user.Name), subject }
    : undefined
}

/** Whose session it is, unless it was ended. */
export const subjectOf = (
  sessionId: string,
  principals: readonly Principal[],
  views: CrmViews,
): string | undefined => {
  const principal = principals.find((one) => one.token === sessionId)
  return principal && !tableOf(views, endedTable).has(principal.subject) ? principal.subject : undefined
}

/** Whose secret it is: a token, its secret part, or either with a security token behind it. */
export const holderOf = (secret: string, principals: readonly Principal[]): Principal | undefined =>
  principals.find((one) => secret.startsWith(one.token) || secret.startsWith(secretOf(one.token)))

/** The native account of each person, and that of the integration. */
export const identities = (views: CrmViews): readonly TwinIdentity[] =>
  [...tableOf(views, personTable).all()].map(({ subject, userId }) => {
    const user = tableOf(views, 'User').get(String(userId))
    return {
      subject: String(subject),
      nativeId: String(userId),
      name: String(user?.Name),
      email: String(user?.Email),
    }
  })
