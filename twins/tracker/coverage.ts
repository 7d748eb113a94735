import type { Coverage } from '@diorama/twin-kit/kernel/twin'
import { rules } from './data/rules.ts'
import { rootFields } from './graphql/engine.ts'
import { fallbackOf, operationName } from './graphql/resolvers.ts'
import { operations } from './operations/index.ts'

/** What is left out of operations that are not whole. */
const partial: Readonly<Record<string, string>> = {
  'query SemanticSearch': 'finds words, not meanings',
  'query RateLimitStatus': 'nothing is throttled: the allowance is always full',
  'mutation OrganizationInviteCreate': 'no e-mail is sent',
  'mutation AgentActivityCreatePrompt': 'prompts cannot be queued',
  'mutation OauthApplicationCreate': 'an administrator’s key may call it too, in place of the settings page',
}

/** Behaviour that someone has seen in the real service; the rest follows its documentation. */
const observed = new Set([
  'query Issue',
  'query Issues',
  'query Project',
  'query Viewer',
  'mutation IssueCreate',
  'mutation IssueUpdate',
  'mutation AttachmentLinkURL',
])

/** What each root field of the schema is, all of them. */
export const coverage = (): readonly Coverage[] => {
  const roots = [
    ...rootFields('Query').map((field) => ({ root: 'query' as const, field })),
    ...rootFields('Mutation').map((field) => ({ root: 'mutation' as const, field })),
  ]
  const covered = roots.map(({ root, field }): Coverage => {
    const operation = operationName(root, field.name)
    if (!(operation in operations)) {
      const fallback = fallbackOf(root, field)
      return fallback === 'not emulated'
        ? { operation, status: 'not emulated' }
        : {
            operation,
            status: 'partial',
            missing: 'no such records: always empty or not found',
            evidence: 'chosen',
          }
    }
    const missing = partial[operation]
    const evidence = observed.has(operation) ? 'observed' : 'documented'
    return missing
      ? { operation, status: 'partial', missing, evidence }
      : { operation, status: 'done', evidence }
  })
  return [
    ...covered,
    // The real service serves them to its own application by a protocol that is not documented.
    ...rootFields('Subscription').map(
      ({ name }): Coverage => ({ operation: operationName('subscription', name), status: 'not emulated' }),
    ),
    { operation: 'put file', status: 'done', evidence: 'documented' },
    ...oauthCoverage,
    ...webhookCoverage,
    ...ruleCoverage,
  ]
}

const oauthCoverage: readonly Coverage[] = [
  {
    operation: 'oauth authorize',
    status: 'partial',
    missing: 'consent is asked each time, and a key of the person takes the place of a login',
    evidence: 'documented',
  },
  { operation: 'oauth token', status: 'done', evidence: 'documented' },
  { operation: 'oauth revoke', status: 'done', evidence: 'documented' },
]

/** What is sent by webhooks. */
const webhookCoverage: readonly Coverage[] = [
  { operation: 'webhook data changes', status: 'done', evidence: 'documented' },
  { operation: 'webhook AgentSessionEvent', status: 'done', evidence: 'documented' },
  { operation: 'webhook AppUserNotification', status: 'done', evidence: 'documented' },
  { operation: 'webhook IssueSLA', status: 'done', evidence: 'documented' },
  {
    operation: 'webhook OAuthApp',
    status: 'partial',
    missing: 'sent when the last token of an application is revoked, or it is archived',
    evidence: 'documented',
  },
  {
    operation: 'webhook retries',
    status: 'partial',
    missing: 'a webhook is disabled after three deliveries failed within a day; the real number is not known',
    evidence: 'documented',
  },
  { operation: 'webhook OAuthAuthorization', status: 'not emulated' },
  { operation: 'webhook PermissionChange', status: 'not emulated' },
  { operation: 'webhook Release and ReleaseNote', status: 'not emulated' },
]

/** What each rule is that the service states; a test runs the case of each one that is claimed. */
const ruleCoverage: readonly Coverage[] = rules.map(({ id, status, evidence, missing }) => ({
  operation: `rule ${id}`,
  status,
  ...(status === 'partial' && missing !== undefined ? { missing } : {}),
  evidence,
}))
