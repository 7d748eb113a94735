import { createHash, createPublicKey, verify } from 'node:crypto'
import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import { integration, type Principal, type Session } from '@diorama/twin-kit/kernel/twin'
import { readJson } from '@diorama/twin-kit/wires/rest'
import { actor, holderOf } from '../actor.ts'
import type { CrmTables } from '../tables.ts'
import { type AuthorizationRow, appsIn, authorizationsIn, type ConnectedApp } from './requests.ts'

export type CrmSession = Session<CrmTables>
export type Form = ReadonlyMap<string, string>

/** A refusal of the token endpoint: the error's code and its words. */
export interface OAuthRefusal {
  readonly error: string
  readonly description: string
}
export const refusal = (error: string, description: string): OAuthRefusal => ({ error, description })

/** The account of a user name. */
export const byUsername = (username: string, session: CrmSession): Principal | undefined =>
  session.principals.find(({ subject }) => {
    const caller = actor(subject, session.views)
    const user = caller && session.views.User?.get(caller.id)
    return user !== undefined && String(user.Username).toLowerCase() === username.toLowerCase()
  })

/** Whether an app may be used: where the organization knows apps, it must be one of them. */
export const appOf = (clientId: string, { views }: CrmSession): ConnectedApp | 'any' | undefined =>
  appsIn(views).size() === 0 ? 'any' : appsIn(views).get(clientId)

/** A secret that nobody can guess who does not know the twin's own token. */
export const newCode = (session: CrmSession): string => {
  const own = session.principals.find(({ subject }) => subject === integration)?.token ?? ''
  return sha256(`${own} ${session.call<string>('draw authorization', {})}`).slice(0, 48)
}

/** The token that an authorization leads to, which can be fetched once. */
export const redeem = (
  kind: AuthorizationRow['kind'],
  form: Form,
  session: CrmSession,
): Principal | OAuthRefusal => {
  const row = authorizationsIn(session.views).get(sha256(form.get('code') ?? ''))
  const clientId = form.get('client_id') ?? ''
  if (!row || row.kind !== kind || row.clientId !== clientId)
    return refusal('invalid_grant', kind === 'device' ? 'invalid device code' : 'invalid authorization code')
  if (row.expiresAt <= session.now)
    return refusal('invalid_grant', kind === 'device' ? 'device code expired' : 'expired authorization code')
  if (row.subject === '') return refusal('authorization_pending', 'user has not yet approved the device')
  if (kind === 'code' && row.redirectUri !== form.get('redirect_uri'))
    return refusal('redirect_uri_mismatch', 'redirect_uri must match configuration')
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  if (row.challenge !== '' && row.challenge !== challenge)
    return refusal('invalid_grant', 'invalid code verifier')
  const app = appOf(clientId, session)
  const secret = form.get('client_secret')
  if (typeof app === 'object' && app.clientSecret !== null && kind === 'code') {
    const wrong = secret === undefined ? row.challenge === '' : secret !== app.clientSecret
    if (wrong) return refusal('invalid_client', 'invalid client credentials')
  }
  const principal = session.principals.find(({ subject }) => subject === row.subject)
  if (!principal) return refusal('invalid_grant', 'authentication failure')
  session.call('spend authorization', { id: row.id })
  return principal
}

/** Client credentials act as the user that the app runs as; without known apps, the secret of a token is one. */
export const byClientCredentials = (form: Form, session: CrmSession): Principal | OAuthRefusal => {
  const app = appOf(form.get('client_id') ?? '', session)
  const secret = form.get('client_secret') ?? ''
  if (typeof app === 'object' && app.runAs !== null)
    return secret !== '' && app.clientSecret === secret
      ? (byUsername(app.runAs, session) ?? refusal('invalid_grant', 'no client credentials user enabled'))
      : refusal('invalid_client', 'invalid client credentials')
  return (
    (secret === '' ? undefined : holderOf(secret, session.principals)) ??
    refusal('invalid_grant', 'invalid client credentials')
  )
}

/**
 * A signed assertion: by the certificate of a connected app, or, where the app has none, with the secret of the user's
 * token as its consumer key. Its times are those of the caller's clock and are not held against the story's.
 */
export const byAssertion = (
  assertion: string,
  session: CrmSession,
  byPassword: (username: string, secret: string) => Principal | undefined,
): Principal | OAuthRefusal => {
  const [head = '', body = '', signature = ''] = assertion.split('.')
  const claims = readJson(Buffer.from(body, 'base64url'))
  if (!claims.ok || typeof claims.value !== 'object' || claims.value === null)
    return refusal('invalid_grant', 'invalid assertion')
  const { iss, sub, prn } = claims.value as Record<string, unknown>
  const username = String(sub ?? prn ?? '')
  const app = appOf(String(iss), session)
  if (typeof app === 'object' && app.certificate !== null) {
    if (!isSigned(`${head}.${body}`, signature, app.certificate))
      return refusal('invalid_grant', 'invalid assertion')
    return byUsername(username, session) ?? refusal('invalid_grant', "user hasn't approved this consumer")
  }
  return byPassword(username, String(iss ?? '')) ?? refusal('invalid_grant', 'invalid assertion')
}

const isSigned = (text: string, signature: string, certificate: string): boolean => {
  try {
    return verify(
      'RSA-SHA256',
      Buffer.from(text),
      createPublicKey(certificate),
      Buffer.from(signature, 'base64url'),
    )
  } catch {
    return false
  }
}
