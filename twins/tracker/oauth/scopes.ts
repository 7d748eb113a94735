import { knownScopes } from '../section.ts'
import { forbidden } from '../shapes/refusals.ts'

/** What a token of an application may do. */
export interface Grant {
  readonly clientId: string
  readonly actor: 'user' | 'app'
  readonly scopes: readonly string[]
}

/** Scopes are written with commas or spaces between them; undefined where one of them is not known. */
export const readScopes = (text: string): { scopes: string[] } | { unknown: string } => {
  const asked = text.split(/[\s,]+/).filter((one) => one !== '')
  const unknown = asked.find((one) => !knownScopes.some((known) => known === one))
  return unknown === undefined ? { scopes: [...new Set(['read', ...asked])] } : { unknown }
}

/** Mutations that a narrower scope permits as well as `write`. */
const narrower: readonly (readonly [RegExp, string])[] = [
  [/^(issueCreate|issueBatchCreate|attachment\w+)$/, 'issues:create'],
  [/^commentCreate$/, 'comments:create'],
  [/^timeSchedule/, 'timeSchedule:write'],
  [/^customer/, 'customer:write'],
  [/^initiative/, 'initiative:write'],
]
const adminMutations = /^(webhook\w+|organization(?!Invite)\w+|userSuspend|userUnsuspend|userChangeRole)$/
const adminQueries = /^(webhooks?|failuresForOauthWebhooks|auditEntries)$/

/** Any one of these scopes permits the field. */
const permitting = (root: 'query' | 'mutation', field: string): readonly string[] => {
  if (root === 'query') return adminQueries.test(field) ? ['admin'] : ['read']
  if (adminMutations.test(field)) return ['admin']
  return ['write', ...narrower.flatMap(([fields, scope]) => (fields.test(field) ? [scope] : []))]
}

/** Keys of people may do what the people may; tokens of applications only what they were granted. */
export const checkScope = (root: 'query' | 'mutation', field: string, grant: Grant | undefined): void => {
  if (!grant || field.startsWith('_')) return
  const needed = permitting(root, field)
  if (needed.some((scope) => grant.scopes.includes(scope))) return
  throw forbidden(
    `The token was granted ${grant.scopes.join(', ')}; ${field} needs ${needed.join(' or ')}.`,
    `Invalid scope: \`${needed[0]}\` required`,
  )
}
