/** The console's session. Its name is known here so that no twin can read, set or overwrite it. */
export const sessionCookie = 'diorama_session'

/** The only paths that need it; a browser sends it nowhere else, least of all to a twin. */
export const sessionCookiePath = '/v1'

const nameOf = (cookie: string): string => cookie.slice(0, cookie.indexOf('=')).trim()

/** The value of the session cookie in a `Cookie` header. */
export const readSessionCookie = (header: string | undefined): string | undefined =>
  header
    ?.split(';')
    .find((cookie) => nameOf(cookie) === sessionCookie)
    ?.replace(/^[^=]*=/, '')
    .trim()

/** A `Cookie` header without the session; undefined when nothing else is left. */
export const withoutSessionCookie = (header: string): string | undefined =>
  header
    .split(';')
    .filter((cookie) => nameOf(cookie) !== sessionCookie)
    .join(';')
    .trim() || undefined

/** Whether a `Set-Cookie` header would write the session. */
export const setsSessionCookie = (header: string): boolean => nameOf(header) === sessionCookie

/** A page of another origin cannot send this header without being asked first, and it would be refused then. */
export const consoleHeader = 'x-diorama-console'
