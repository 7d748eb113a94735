import { type Session, type TwinReply, type TwinRequest, VendorError } from '@diorama/twin-kit/kernel/twin'
import { readQueryString } from '@diorama/twin-kit/wires/rest'
import { actor, userOf } from '../actor.ts'
import { isAdmin } from '../rules/access.ts'
import type { TrackerTables } from '../tables.ts'
import { type Asked, consentPage, errorPage } from './page.ts'
import { readScopes } from './scopes.ts'
import type { Fields } from './tokens.ts'

type TrackerSession = Session<TrackerTables>

const json = (status: number, body: unknown): TwinReply => ({
  status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    pragma: 'no-cache',
    ...(status === 401 ? { 'www-authenticate': 'Basic realm="oauth"' } : {}),
  },
  body: JSON.stringify(body),
})

const html = (status: number, body: string): TwinReply => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'x-frame-options': 'DENY',
  },
  body,
})

/** The authorization page and the endpoints beside it; undefined where the path is none of them. */
export const answerOAuth = (request: TwinRequest, session: TrackerSession): TwinReply | undefined => {
  const path = request.path.replace(/\/+$/, '')
  if (path === '/oauth/authorize') return authorize(request, session)
  if (path !== '/oauth/token' && path !== '/oauth/revoke') return undefined
  if (request.method !== 'POST') return json(405, { error: 'invalid_request', error_description: 'Use POST' })
  try {
    const fields = withBasic(request, bodyOf(request))
    return path === '/oauth/token' ? exchange(fields, session) : revoke(request, fields, session)
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    return json(error.status, { error: error.code, error_description: error.message })
  }
}

const exchange = (fields: Fields, session: TrackerSession): TwinReply => {
  session.label(`oauth token ${fields.grant_type ?? ''}`.trim())
  return json(200, session.call('oauth token', fields))
}

/** The token to end is named in the body, or is the one that the request carries. */
const revoke = (request: TwinRequest, fields: Fields, session: TrackerSession): TwinReply => {
  session.label('oauth revoke')
  const bearer = /^Bearer\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const token = fields.token ?? fields.access_token ?? fields.refresh_token ?? bearer
  if (!token) return json(401, { error: 'invalid_request', error_description: 'No token was given' })
  session.call('oauth revoke', { token })
  return json(200, { success: true })
}

/** Bodies are forms; JSON is taken as well. */
const bodyOf = ({ body, headers }: TwinRequest): Fields => {
  const text = new TextDecoder().decode(body)
  if (!(headers['content-type'] ?? '').includes('json')) return Object.fromEntries(readQueryString(text))
  try {
    const parsed: unknown = JSON.parse(text)
    const entries = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []
    return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
  } catch {
    throw new VendorError('invalid_request', 'The body is not valid JSON')
  }
}

const withBasic = ({ headers }: TwinRequest, fields: Fields): Fields => {
  const encoded = /^Basic\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (encoded === undefined) return fields
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':')
  return { ...fields, client_id: decoded(id), client_secret: decoded(secret.join(':')) }
}
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Leads back to the application, with an answer or with what is wrong. */
const back = (redirectUri: string, answer: Record<string, string | undefined>): TwinReply => {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(answer))
    if (value !== undefined) url.searchParams.set(name, value)
  return { status: 302, headers: { location: url.href, 'cache-control': 'no-store' }, body: '' }
}

/** A client or an address that is not known is shown as an error; anything else leads back to the client. */
const readAsked = (fields: Fields, session: TrackerSession): Asked | TwinReply => {
  const app = session.views.OAuthApplication.first('clientId', fields.client_id ?? '')
  if (!app || app.archivedAt)
    return html(400, errorPage('Invalid client_id', 'No application has this client id.'))
  const redirectUri = fields.redirect_uri ?? ''
  if (!app.redirectUris.includes(redirectUri))
    return html(400, errorPage('Invalid redirect_uri', 'The address is not one of the application’s.'))
  const { state } = fields
  const refuse = (error: string, description: string) =>
    back(redirectUri, { error, error_description: description, state })
  if (fields.response_type !== 'code')
    return refuse('unsupported_response_type', 'Unsupported response type: response_type must be code')
  const asked = readScopes(fields.scope ?? '')
  if ('unknown' in asked) return refuse('invalid_scope', `Invalid scope: ${asked.unknown}`)
  const actor = fields.actor ?? 'user'
  if (actor !== 'user' && actor !== 'app' && actor !== 'application')
    return refuse('invalid_request', 'Invalid actor: actor must be user or app')
  const codeChallengeMethod = fields.code_challenge_method ?? 'plain'
  if (codeChallengeMethod !== 'plain' && codeChallengeMethod !== 'S256')
    return refuse('invalid_request', 'Invalid code_challenge_method')
  const acting = asked.scopes.some((scope) => scope.startsWith('app:'))
  if (actor === 'user' && acting)
    return refuse('invalid_scope', 'Invalid scope: app:assignable and app:mentionable need actor=app')
  if (actor !== 'user' && asked.scopes.includes('admin'))
    return refuse('invalid_scope', 'Invalid scope: admin cannot be requested with actor=app')
  return {
    app,
    redirectUri,
    state,
    actor: actor === 'user' ? 'user' : 'app',
    scopes: asked.scopes,
    codeChallenge: fields.code_challenge ?? null,
    codeChallengeMethod,
  }
}

const authorize = (request: TwinRequest, session: TrackerSession): TwinReply => {
  session.label('oauth authorize')
  const posted = request.method === 'POST'
  const fields: Fields = {
    ...Object.fromEntries(readQueryString(request.query)),
    ...(posted ? bodyOf(request) : {}),
  }
  const asked = readAsked(fields, session)
  if ('status' in asked) return asked
  const page = (complaint?: string) =>
    html(complaint ? 403 : 200, consentPage({ asked, fields, session, ...(complaint ? { complaint } : {}) }))
  if (!posted) return page()
  if (fields.decision === 'deny')
    return back(asked.redirectUri, { error: 'access_denied', state: asked.state })
  const principal = session.principals.find(({ token }) => token === (fields.credential ?? '').trim())
  const user = principal && userOf(principal.subject, session.views)
  if (!principal || !user?.active || user.app === true) return page('This key belongs to nobody here.')
  session.authenticate(actor(principal.subject, session.views))
  if (asked.actor === 'app' && !isAdmin({ tables: session.views, actor: session.actor }))
    return page('Only an administrator can install an application that acts as itself.')
  const { app, state, ...rest } = asked
  const code = session.call<string>('oauth authorize', { ...rest, clientId: app.clientId, userId: user.id })
  return back(asked.redirectUri, { code, state })
}
