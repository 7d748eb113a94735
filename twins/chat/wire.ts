import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import {
  integration,
  type Session,
  type TwinReply,
  type TwinRequest,
  VendorError,
} from '@diorama/twin-kit/kernel/twin'
import { credentialOf, type RpcFault, type RpcInput, readArguments } from '@diorama/twin-kit/wires/rpc'
import { authenticate, grantedScopes } from './actor.ts'
import { isAppToken } from './apps/socket-mode.ts'
import { catalogue, factsOf, type MethodFacts, scopesFor } from './methods/catalogue.ts'
import { requireLimits } from './methods/limits.ts'
import { nativeErrors } from './methods/refusals.ts'
import { operations } from './operations/index.ts'
import type { ChatTables } from './tables.ts'
import { lookup } from './values/records.ts'
import { otherPaths } from './wire/paths.ts'
import { apiReply, type Scopes } from './wire/reply.ts'

type ChatSession = Session<ChatTables>
type Body = Readonly<Record<string, unknown>>

const emulated = Object.keys(operations).filter((name) => name in catalogue)
const held = { bot: scopesFor('bot', emulated), user: scopesFor('user', emulated) }
const heldScopes = { bot: held.bot.join(','), user: held.user.join(',') }

/** Answered without a credential. */
const openToAll = new Set([
  'api.test',
  'blocks.validate',
  'oauth.v2.access',
  'oauth.v2.exchange',
  'openid.connect.token',
])

export const wire = (request: TwinRequest, session: ChatSession): TwinReply =>
  request.path.startsWith('/api/') ? api(request, session) : otherPaths(request, session)

const api = (request: TwinRequest, session: ChatSession): TwinReply => {
  const name = request.path.slice('/api/'.length).replace(/\/+$/, '')
  session.label(name)
  const facts = factsOf(name)
  const input = readArguments(request, { takesJson: facts?.json ?? true })
  const warnings = charsetWarnings(request, input)
  const reply = (body: Body, scopes?: Scopes): TwinReply =>
    apiReply(request, session.now, withWarnings(body, warnings), scopes)
  const refuse = (error: string, more: Body = {}) => reply({ ok: false, error, ...more })
  if (!facts) {
    session.notEmulated(name)
    return refuse('unknown_method', { req_method: name })
  }
  if (input.fault) return refuse(faultCodes[input.fault])
  const refusal = lookup(nativeErrors, name)
  const isOpen = openToAll.has(name) || refusal?.isOpen === true
  const credential = credentialOf(request, input.args, 'token')
  if (appMethods.has(name)) return reply(asApp(session, name, credential))
  const authFault = isOpen ? undefined : authenticate(session, credential)
  if (authFault) return refuse(authFault)
  const kind = session.actor?.subject === integration ? 'bot' : 'user'
  const granted = session.actor && grantedScopes(session, credential, kind)
  const provided = granted?.join(',') ?? heldScopes[kind]
  const scopes = session.actor && { held: provided, accepted: facts[kind].join(',') }
  const barred = barredFor(kind, facts)
  if (!Object.hasOwn(operations, name)) {
    session.notEmulated(name)
    if (refusal) return reply({ ok: false, error: refusal.error(input.args) }, scopes)
    return reply(barred ? { ok: false, error: barred } : missingScope(kind, facts, provided), scopes)
  }
  if (barred) return reply({ ok: false, error: barred }, scopes)
  if (granted && facts[kind].length > 0 && !facts[kind].some((scope) => granted.includes(scope)))
    return reply(missingScope(kind, facts, provided), scopes)
  const { token: _, ...args } = input.args
  const own = ownArguments(name, credential)
  return reply(run(session, name, { ...clientOf(request), ...args, ...input.files, ...own }), scopes)
}

/** Arguments that methods about tokens get besides the client's: the hash and scopes of the request's own token. */
const ownArguments = (name: string, credential: string | undefined): Body => {
  const token_hash = sha256(credential ?? '')
  if (name === 'oauth.v2.exchange') return { token_hash, held_scopes: held }
  return name === 'auth.revoke' ? { token_hash } : {}
}

/** Methods of the app itself, which take its own token. */
const appMethods = new Set(['apps.connections.open'])

const asApp = (session: ChatSession, name: string, credential: string | undefined): Body => {
  if (credential === undefined) return { ok: false, error: 'not_authed' }
  if (isAppToken(session.views, session.principals, credential)) return run(session, name, {})
  const isOther = session.principals.some(({ token }) => token === credential)
  return { ok: false, error: isOther ? 'not_allowed_token_type' : 'invalid_auth' }
}

const run = (session: ChatSession, name: string, args: Body): Body => {
  try {
    requireLimits(name, args)
    return { ok: true, ...session.call<Body>(name, args) }
  } catch (error) {
    if (error instanceof VendorError) return { ok: false, error: error.code, ...error.data }
    throw error
  }
}

/** A client may send its id and secret as HTTP's own credentials. */
const clientOf = ({ headers, path }: TwinRequest): Body => {
  const packed = /^Basic (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (packed === undefined || !/\/(?:oauth|openid)\./.test(path)) return {}
  const [client_id = '', client_secret = ''] = Buffer.from(packed, 'base64').toString('utf8').split(':')
  return { client_id, client_secret }
}

const faultCodes: Readonly<Record<RpcFault, string>> = {
  missing_type: 'missing_post_type',
  unknown_type: 'invalid_post_type',
  bad_json: 'invalid_json',
  json_not_object: 'json_not_object',
  bad_form: 'invalid_form_data',
}

/** Methods that this kind of token may never call. */
const barredFor = (kind: 'bot' | 'user', facts: MethodFacts): string | undefined => {
  const other = kind === 'bot' ? 'user' : 'bot'
  return facts[kind].length > 0 || facts[other].length === 0 ? undefined : 'not_allowed_token_type'
}

/** The answer to a method that exists and that the twin does not have: true of any token without its scope. */
const missingScope = (kind: 'bot' | 'user', facts: MethodFacts, provided: string): Body => {
  const needed = facts[kind].join(',')
  if (needed === '') return { ok: false, error: 'not_allowed_token_type' }
  return { ok: false, error: 'missing_scope', needed, provided }
}

const charsetWarnings = (request: TwinRequest, input: RpcInput): string[] => {
  if (request.method === 'GET' || request.body.length === 0) return []
  if (input.encoding === 'json' && !input.charset) return ['missing_charset']
  if (input.encoding === 'form' && input.charset) return ['superfluous_charset']
  return []
}

const withWarnings = (body: Body, warnings: readonly string[]): Body => {
  if (warnings.length === 0) return body
  const own = typeof body.warning === 'string' ? body.warning.split(',') : []
  const all = [...own, ...warnings]
  const metadata = body.response_metadata
  return {
    ...body,
    warning: all.join(','),
    response_metadata: { ...(typeof metadata === 'object' ? metadata : {}), warnings: all },
  }
}
