import { hash } from 'node:crypto'
import type { Principal } from '../../kernel/twin.ts'

type Caller = Pick<Principal, 'token'>

/**
 * Tokens against forged requests, without a table of sessions: a session names the moment it began and proves it with
 * a hash that only this twin can make, and its token is a hash of the session. So a token fits its own cookie alone,
 * ends with its session, and a request that fetches one changes nothing.
 */
export interface Sessions {
  /** The cookie that carries the session. */
  readonly cookie: string
  readonly lifetimeMs: number
}

export const tokenHeader = 'x-csrf-token'

/** A new session of a caller, whose credential is the secret behind it. */
export const openSession = ({ token: secret }: Caller, now: number): string => {
  const began = Math.floor(now).toString(36)
  return `${began}-${proof(secret, began)}`
}

const proof = (secret: string, began: string): string =>
  hash('sha256', `session:${secret}:${began}`).slice(0, 40)

/** The last session that a caller has proved, with its token: callers keep to one, and proofs cost more than a change. */
const proved = new WeakMap<Caller, { readonly session: string; readonly token: string }>()

const isProved = (session: string, caller: Caller): boolean => {
  if (proved.get(caller)?.session === session) return true
  const [began = '', given = ''] = session.split('-')
  if (given !== proof(caller.token, began)) return false
  proved.set(caller, { session, token: makeToken(session, caller.token) })
  return true
}

export const csrfToken = (session: string, caller: Caller): string => {
  const known = proved.get(caller)
  return known?.session === session ? known.token : makeToken(session, caller.token)
}

const makeToken = (session: string, secret: string): string =>
  hash('sha256', `token:${secret}:${session}`, 'buffer').subarray(0, 18).toString('base64url')

/** The session that a request's cookies name, if it is this caller's and has not ended. */
export const sessionOf = (
  cookies: string | undefined,
  caller: Caller,
  now: number,
  { cookie, lifetimeMs }: Sessions,
): string | undefined => {
  for (const pair of (cookies ?? '').split(/[;,]\s*/)) {
    const equals = pair.indexOf('=')
    if (pair.slice(0, equals).trim() !== cookie) continue
    const session = decodeLoosely(pair.slice(equals + 1).trim())
    const age = now - Number.parseInt(session.split('-')[0] ?? '', 36)
    if (age >= 0 && age < lifetimeMs && isProved(session, caller)) return session
  }
  return undefined
}

const decodeLoosely = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
