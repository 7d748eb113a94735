import { hash } from 'node:crypto'

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

/** A new session of a caller, from a secret that the caller's credential is. */
export const openSession = (secret: string, now: number): string => {
  const began = Math.floor(now).toString(36)
  return `${began}-${proof(secret, began)}`
}

const proof = (secret: string, began: string): string =>
  hash('sha256', `session:${secret}:${began}`).slice(0, 40)

export const csrfToken = (session: string, secret: string): string =>
  Buffer.from(hash('sha256', `token:${secret}:${session}`).slice(0, 36), 'hex').toString('base64url')

/** The session that a request's cookies name, if it is this caller's and has not ended. */
export const sessionOf = (
  cookies: string | undefined,
  secret: string,
  now: number,
  { cookie, lifetimeMs }: Sessions,
): string | undefined => {
  for (const pair of (cookies ?? '').split(/[;,]\s*/)) {
    const equals = pair.indexOf('=')
    if (pair.slice(0, equals).trim() !== cookie) continue
    const session = decodeLoosely(pair.slice(equals + 1).trim())
    const [began = '', given = ''] = session.split('-')
    const age = now - Number.parseInt(began, 36)
    if (given === proof(secret, began) && age >= 0 && age < lifetimeMs) return session
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
