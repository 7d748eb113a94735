import { createHash } from 'node:crypto'
import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import { integration, type Operation, operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { find, type TrackerCall } from '../context.ts'
import type { OAuthApplicationRow, OAuthCodeRow, OAuthTokenRow } from '../rows.ts'
import type { TrackerTables } from '../tables.ts'
import { day, iso, minute } from '../values/times.ts'
import { clientSecret, installApplication, uninstallApplication } from './applications.ts'
import { readScopes } from './scopes.ts'

const accessMs = day
const clientCredentialsMs = 30 * day
const codeMs = 10 * minute
/** How long a refresh token that was used gives the same answer again. */
const replayMs = 30 * minute

/** A refusal in the words of OAuth. */
export const oauthError = (error: string, description: string, status = 400): VendorError =>
  new VendorError(error, description, { status })

/** Tokens follow from the authorization, how often it was refreshed, and the twin's own token. */
const tokenOf = (
  call: TrackerCall,
  kind: 'access' | 'refresh',
  grantId: string,
  generation: number,
): string => {
  const own = call.principals.find(({ subject }) => subject === integration)?.token ?? ''
  const secret = sha256(JSON.stringify([own, kind, grantId, generation]))
  return kind === 'access' ? `lin_oauth_${secret}` : `lin_refresh_${secret}`
}

interface Authorized {
  readonly clientId: string
  readonly userId: string
  readonly actor: 'user' | 'app'
  readonly scopes: readonly string[]
  readonly isPkce?: boolean | undefined
}

const issue = (
  call: TrackerCall,
  authorized: Authorized,
  {
    grantId,
    generation = 0,
    lifetime = accessMs,
    refreshable = true,
  }: {
    grantId: string
    generation?: number
    lifetime?: number
    refreshable?: boolean
  },
) => {
  const access = tokenOf(call, 'access', grantId, generation)
  const refresh = tokenOf(call, 'refresh', grantId, generation)
  const id = sha256(access)
  if (!call.tables.oauthToken.has(id))
    call.tables.oauthToken.insert({
      id,
      refreshId: refreshable ? sha256(refresh) : null,
      clientId: authorized.clientId,
      userId: authorized.userId,
      actor: authorized.actor,
      scopes: [...authorized.scopes],
      expiresAt: iso(call.now + lifetime),
      refreshedAt: null,
      grantId,
      generation,
      ...(authorized.isPkce ? { isPkce: true } : {}),
    })
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: Math.floor(lifetime / 1000) - 1,
    scope: authorized.scopes.join(' '),
    ...(refreshable ? { refresh_token: refresh } : {}),
  }
}

export type Fields = Readonly<Record<string, string>>

/** The client of a request; public clients that prove themselves with PKCE send no secret. */
const needClient = (
  call: TrackerCall,
  fields: Fields,
  secret: 'needed' | 'optional',
): OAuthApplicationRow => {
  const app = call.tables.OAuthApplication.first('clientId', fields.client_id ?? '')
  if (!app || app.archivedAt) throw oauthError('invalid_client', 'Invalid client: client is invalid', 401)
  const given = fields.client_secret
  if (given === undefined ? secret === 'needed' : given !== clientSecret(call, app))
    throw oauthError('invalid_client', 'Invalid client: client is invalid', 401)
  return app
}

const verifierFits = (
  { codeChallenge, codeChallengeMethod }: OAuthCodeRow,
  verifier: string | undefined,
): boolean => {
  if (codeChallenge === null) return true
  if (verifier === undefined) return false
  const shown =
    codeChallengeMethod === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url')
  return shown === codeChallenge
}

const exchangeCode = (call: TrackerCall, fields: Fields) => {
  const code = call.tables.oauthCode.get(sha256(fields.code ?? ''))
  const app = needClient(call, fields, code && code.codeChallenge !== null ? 'optional' : 'needed')
  const bad = (why: string) => oauthError('invalid_grant', `Invalid grant: ${why}`)
  if (!code || code.clientId !== app.clientId || code.expiresAt <= iso(call.now))
    throw bad('authorization code is invalid or has expired')
  if (code.grantId !== null) throw bad('authorization code has already been used')
  if (code.redirectUri !== fields.redirect_uri) throw bad('redirect_uri does not match')
  if (!verifierFits(code, fields.code_verifier)) throw bad('code verifier is invalid')
  const grantId = call.draw('oauth grant')
  call.tables.oauthCode.update(code.id, { grantId })
  const installed = code.actor === 'app' ? installApplication(call, app, code.scopes) : app
  const userId = code.actor === 'app' ? (installed.appUserId ?? code.userId) : code.userId
  return issue(call, { ...code, userId, isPkce: code.codeChallenge !== null }, { grantId })
}

const refresh = (call: TrackerCall, fields: Fields) => {
  const row = call.tables.oauthToken.first('refreshId', sha256(fields.refresh_token ?? ''))
  const app = needClient(call, fields, row?.isPkce ? 'optional' : 'needed')
  const replayed = row?.refreshedAt && Date.parse(row.refreshedAt) + replayMs <= call.now
  if (!row || row.clientId !== app.clientId || replayed)
    throw oauthError('invalid_grant', 'Invalid grant: refresh token is invalid')
  if (row.refreshedAt === null) call.tables.oauthToken.update(row.id, { refreshedAt: iso(call.now) })
  return issue(call, row, { grantId: row.grantId, generation: row.generation + 1 })
}

const clientCredentials = (call: TrackerCall, fields: Fields) => {
  const app = needClient(call, fields, 'needed')
  if (!app.grantTypes.includes('client_credentials'))
    throw oauthError('unauthorized_client', 'Unauthorized client: client credentials are not enabled')
  const asked = readScopes(fields.scope ?? '')
  if ('unknown' in asked) throw oauthError('invalid_scope', `Invalid scope: ${asked.unknown}`)
  const installed = installApplication(call, app, asked.scopes)
  const authorized = {
    clientId: app.clientId,
    userId: installed.appUserId ?? '',
    actor: 'app' as const,
    scopes: asked.scopes,
  }
  return issue(call, authorized, {
    grantId: call.draw('oauth grant'),
    lifetime: clientCredentialsMs,
    refreshable: false,
  })
}

const token: Operation = operation<TrackerTables, Fields>({
  effect: 'write',
  run: (call, fields) => {
    sweep(call)
    switch (fields.grant_type) {
      case 'authorization_code':
        return exchangeCode(call, fields)
      case 'refresh_token':
        return refresh(call, fields)
      case 'client_credentials':
        return clientCredentials(call, fields)
      case undefined:
        throw oauthError('invalid_request', 'Missing parameter: `grant_type`')
      default:
        throw oauthError('unsupported_grant_type', 'Unsupported grant type: `grant_type` is invalid')
    }
  },
})

/** Codes and tokens that can no longer be used are not kept. */
const sweep = (call: TrackerCall): void => {
  const now = iso(call.now)
  for (const code of [...call.tables.oauthCode.all()])
    if (code.expiresAt <= now) call.tables.oauthCode.delete(code.id)
  for (const row of [...call.tables.oauthToken.all()]) {
    const spent =
      row.refreshId === null ||
      (row.refreshedAt !== null && Date.parse(row.refreshedAt) + replayMs <= call.now)
    if (row.expiresAt <= now && spent) call.tables.oauthToken.delete(row.id)
  }
}

export interface Consent extends Authorized {
  readonly redirectUri: string
  readonly codeChallenge: string | null
  readonly codeChallengeMethod: 'S256' | 'plain'
}

const authorize: Operation = operation<TrackerTables, Consent>({
  effect: 'write',
  run: (call, consent) => {
    const own = call.principals.find(({ subject }) => subject === integration)?.token ?? ''
    const code = sha256(`${own} ${call.draw('oauth code')}`).slice(0, 40)
    call.tables.oauthCode.insert({
      ...consent,
      scopes: [...consent.scopes],
      id: sha256(code),
      expiresAt: iso(call.now + codeMs),
      grantId: null,
    })
    return code
  },
})

/** Ends an authorization: the token, those it was refreshed from, and those it was refreshed to. */
const revoke: Operation = operation<TrackerTables, { token: string }>({
  effect: 'write',
  run: (call, { token: given }) => {
    const digest = sha256(given)
    const row: OAuthTokenRow | undefined =
      call.tables.oauthToken.get(digest) ?? call.tables.oauthToken.first('refreshId', digest)
    if (!row) throw oauthError('invalid_request', 'The token is invalid or was revoked already')
    for (const other of [...call.tables.oauthToken.find('clientId', row.clientId)])
      if (other.grantId === row.grantId) call.tables.oauthToken.delete(other.id)
    const app = call.tables.OAuthApplication.first('clientId', row.clientId)
    if (app && row.actor === 'app' && call.tables.oauthToken.count('clientId', row.clientId) === 0)
      uninstallApplication(call, app)
    return { user: find(call, 'User', row.userId)?.id ?? null }
  },
})

export const oauthOperations = {
  'oauth authorize': authorize,
  'oauth token': token,
  'oauth revoke': revoke,
} as const
