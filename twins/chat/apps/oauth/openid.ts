import { createHash, createPrivateKey, sign } from 'node:crypto'
import { operation, type TwinReply } from '@diorama/twin-kit/kernel/twin'
import { teamOf } from '../../access.ts'
import type { Chat, ChatTables, UserRow } from '../../tables.ts'
import { openIdKey } from './openid-key.ts'

const issuer = 'https://slack.com'
const idTokenSeconds = 300
const signingKey = createPrivateKey({ key: openIdKey, format: 'jwk' })

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The left half of the hash of an access token, by which an id token is bound to it. */
const halfHash = (token: string): string =>
  createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url')

/** A signed statement of who has signed in. */
export const idToken = (
  call: Chat,
  user: UserRow | undefined,
  { access_token, claims }: { access_token: string; claims: object },
): string => {
  const at = Math.floor(call.now / 1_000)
  const stated = {
    iss: issuer,
    sub: user?.id ?? '',
    ...claims,
    exp: at + idTokenSeconds,
    iat: at,
    auth_time: at,
    at_hash: halfHash(access_token),
    ...claimsOf(call, user),
  }
  const text = `${encoded({ typ: 'JWT', alg: 'RS256', kid: openIdKey.kid })}.${encoded(stated)}`
  return `${text}.${sign('sha256', Buffer.from(text), signingKey).toString('base64url')}`
}

const claimsOf = (call: Chat, user: UserRow | undefined) => {
  const team = teamOf(call)
  return {
    'https://slack.com/team_id': team.id,
    'https://slack.com/user_id': user?.id ?? '',
    email: user?.profile.email ?? '',
    email_verified: true,
    name: user?.real_name ?? '',
    given_name: user?.profile.first_name ?? '',
    family_name: user?.profile.last_name ?? '',
    locale: 'en-US',
    'https://slack.com/team_name': team.name,
    'https://slack.com/team_domain': team.domain,
  }
}

export const openIdMethods = {
  'openid.connect.userInfo': operation<ChatTables, unknown>({
    effect: 'read',
    run: (call) => {
      const user = call.tables.user.get(call.actor?.id ?? '')
      return { sub: user?.id ?? '', ...claimsOf(call, user) }
    },
  }),
}

const { kty, n, e, kid } = openIdKey

/** The documents by which clients find the endpoints and check id tokens. */
export const openIdDocument = (path: string, baseUrl: string): TwinReply | undefined => {
  const documents: Readonly<Record<string, object>> = {
    '/openid/connect/keys': { keys: [{ kty, n, e, kid, alg: 'RS256', use: 'sig' }] },
    '/.well-known/openid-configuration': {
      issuer,
      authorization_endpoint: `${baseUrl}/openid/connect/authorize`,
      token_endpoint: `${baseUrl}/api/openid.connect.token`,
      userinfo_endpoint: `${baseUrl}/api/openid.connect.userInfo`,
      jwks_uri: `${baseUrl}/openid/connect/keys`,
      scopes_supported: ['openid', 'profile', 'email'],
      response_types_supported: ['code'],
      response_modes_supported: ['form_post'],
      grant_types_supported: ['authorization_code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      claims_supported: ['sub', 'auth_time', 'iss'],
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    },
  }
  if (!Object.hasOwn(documents, path)) return undefined
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(documents[path]),
  }
}
