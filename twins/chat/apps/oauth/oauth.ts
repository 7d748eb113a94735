import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import { integration, operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import type { Chat, ChatTables } from '../../tables.ts'
import { appOf } from '../app.ts'
import { exchange, expireReplaced } from './exchange.ts'
import { clientOf, type Exchange, grant, installed, requireClient } from './grants.ts'
import { idToken } from './openid.ts'

const codeMs = 10 * 60_000

/** A request for consent, as the page has it. */
export interface Consent {
  readonly client_id: string
  readonly scope: string
  readonly user_scope: string
  readonly redirect_uri: string
  readonly nonce: string
  readonly code_challenge: string
  /** The token of the person who consents: it takes the place of a login. */
  readonly credential: string
  readonly isOpenId: boolean
}

/** The operations behind the install flow. */
export const consent = 'POST /oauth/v2/authorize'

const listed = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

/** The address must begin with one that the manifest names; an app that names none may use any. */
export const redirectFor = (
  call: Pick<Chat, 'tables'> & Pick<Chat, 'actor' | 'now' | 'baseUrl'>,
  given: string,
): string => {
  const known = appOf(call)?.manifest.oauth_config.redirect_urls ?? []
  const wanted = given === '' ? known[0] : given
  if (wanted === undefined || !URL.canParse(wanted)) throw new VendorError('bad_redirect_uri')
  if (known.length > 0 && !known.some((one) => wanted.startsWith(one)))
    throw new VendorError('bad_redirect_uri')
  return wanted
}

const agree = (call: Chat, given: Consent): { redirect: string; code: string } => {
  if (given.client_id !== clientOf(call).client_id) throw new VendorError('invalid_client_id')
  const principal = call.principals.find(({ token }) => token === given.credential)
  const user = principal && call.tables.user.first('subject', principal.subject)
  if (!user || user.is_bot || user.deleted) throw new VendorError('invalid_auth')
  const [bot, person] = [listed(given.scope), listed(given.user_scope)]
  if (bot.length + person.length === 0) throw new VendorError('no_scopes')
  const redirect = redirectFor(call, given.redirect_uri)
  const code = `${call.draw('oauth code').slice(0, 12)}.${call.draw('oauth code').slice(0, 32)}`
  call.tables.oauth_code.insert({
    id: sha256(code),
    user: user.id,
    bot_scopes: given.isOpenId ? [] : bot,
    user_scopes: given.isOpenId ? bot : person,
    redirect_uri: given.redirect_uri,
    nonce: given.nonce,
    code_challenge: given.code_challenge,
    expires: call.now + codeMs,
  })
  return { redirect, code }
}

const challengeOf = (verifier: string): string => Buffer.from(sha256(verifier), 'hex').toString('base64url')

/** A code is good once: the second use takes away what the first has given. */
const redeem = (call: Chat, given: Exchange) => {
  const id = sha256(given.code ?? '')
  const row = call.tables.oauth_code.get(id)
  if (!row || row.expires < call.now) throw new VendorError('invalid_code')
  if ((given.redirect_uri ?? '') !== row.redirect_uri) throw new VendorError('bad_redirect_uri')
  if (row.code_challenge !== '' && challengeOf(given.code_verifier ?? '') !== row.code_challenge)
    throw new VendorError('invalid_code_verifier')
  call.tables.oauth_code.delete(id)
  return row
}

/** A refresh token is used up; the access token before lives on until its own time. */
const rotate = (call: Chat, { refresh_token = '' }: Exchange) => {
  const row =
    refresh_token === '' ? undefined : call.tables.oauth_token.first('refresh', sha256(refresh_token))
  if (!row) throw new VendorError('invalid_refresh_token')
  call.tables.oauth_token.update(row.id, { refresh: '' })
  expireReplaced(call, row.replaces)
  const user = call.tables.user.first('subject', row.subject)
  const isBot = row.prefix === 'xoxb'
  return installed(
    call,
    { bot: isBot ? row.scopes : [], user: isBot ? [] : row.scopes },
    { user: isBot ? undefined : user },
  )
}

const grants = ['authorization_code', 'refresh_token']

const access = (call: Chat, given: Exchange) => {
  if (given.grant_type !== undefined && !grants.includes(given.grant_type))
    throw new VendorError('invalid_grant_type')
  requireClient(call, given)
  if (given.grant_type === 'refresh_token') return rotate(call, given)
  const row = redeem(call, given)
  return installed(
    call,
    { bot: row.bot_scopes, user: row.user_scopes },
    { user: call.tables.user.get(row.user) },
  )
}

const signIn = (call: Chat, given: Exchange) => {
  requireClient(call, given)
  const row = redeem(call, given)
  const user = call.tables.user.get(row.user)
  const { access_token } = grant(call, {
    subject: user?.subject ?? '',
    scopes: row.user_scopes,
    prefix: 'xoxp',
  })
  const claims = { aud: given.client_id, ...(row.nonce !== '' && { nonce: row.nonce }) }
  return { access_token, token_type: 'Bearer', id_token: idToken(call, user, { access_token, claims }) }
}

interface Revocation {
  readonly test?: unknown
  /** Of the credential that asks, from the wire. */
  readonly token_hash?: string | undefined
}

/** A token of the install flow is revoked alone, with its refresh token. */
const revoke = (call: Chat, { test, token_hash = '' }: Revocation) => {
  if (test === true || test === 1 || /^(1|true|yes|on)$/i.test(String(test))) return { revoked: false }
  const granted = call.tables.oauth_token.get(token_hash)
  if (granted) call.tables.oauth_token.update(granted.id, { refresh: '' })
  call.tables.revoked_token.insert({ subject: granted?.id ?? call.actor?.subject ?? integration })
  return { revoked: true }
}

export const oauthMethods = {
  'auth.revoke': operation<ChatTables, Revocation>({ effect: 'write', run: revoke }),
  [consent]: operation<ChatTables, Consent>({ effect: 'write', run: agree }),
  'oauth.v2.access': operation<ChatTables, Exchange>({ effect: 'write', run: access }),
  'oauth.v2.exchange': operation<ChatTables, Exchange>({ effect: 'write', run: exchange }),
  'openid.connect.token': operation<ChatTables, Exchange>({ effect: 'write', run: signIn }),
}
