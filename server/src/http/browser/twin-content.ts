import type { FastifyInstance, FastifyReply } from 'fastify'
import { setsSessionCookie, withoutSessionCookie } from './session-cookie.ts'

export interface TwinContentOptions {
  /** The origin that serves twins alone, if there is one: a page may be shown there, though it still runs nothing. */
  readonly twinOrigin: string | undefined
}

/** An opaque origin without scripts, forms, frames or subresources: a page is dead text wherever it is opened. */
const policy = "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The only types that are shown in place, with sniffing off: a browser runs nothing in them. Others are downloads. */
const inertType =
  /^(application\/(json|[\w.-]+\+json)|text\/plain|text\/csv|image\/(png|jpeg|gif|webp)|audio\/(mpeg|ogg|wav)|video\/(mp4|webm|ogg))$/

/** Every spelling of JavaScript that browsers load as a script or worker, as the HTML standard lists them. */
const scriptType = /^(application|text)\/(x-)?(java|ecma|j|live)script[\d.]*$/

/** Headers that would change how a browser treats the console, because they hold for a whole origin. */
const originWideHeaders = [
  'access-control-allow-credentials',
  'clear-site-data',
  'content-security-policy-report-only',
  'nel',
  'origin-agent-cluster',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'strict-transport-security',
]

/**
 * What an agent wrote into a twin is served beside the console. These hooks make every reply of the scope harmless to
 * a browser, and keep the console's session out of the twin's requests and out of their records.
 */
export const guardTwinContent = (scope: FastifyInstance, { twinOrigin }: TwinContentOptions): void => {
  const twinHost = twinOrigin === undefined ? undefined : new URL(twinOrigin).host
  scope.addHook('onRequest', (request, _reply, done) => {
    const { cookie } = request.headers
    if (cookie !== undefined) {
      const kept = withoutSessionCookie(cookie)
      if (kept === undefined) delete request.headers.cookie
      else request.headers.cookie = kept
    }
    done()
  })
  scope.addHook('onSend', (request, reply, payload, done) => {
    neutralize(reply)
    if (twinHost === undefined || request.headers.host?.toLowerCase() !== twinHost) downloadUnlessInert(reply)
    done(null, payload)
  })
}

const neutralize = (reply: FastifyReply): void => {
  reply.header('content-security-policy', policy)
  reply.header('x-content-type-options', 'nosniff')
  reply.header('referrer-policy', 'no-referrer')
  for (const name of originWideHeaders) if (reply.hasHeader(name)) reply.removeHeader(name)
  if (reply.hasHeader('set-cookie')) keepOtherCookies(reply, reply.getHeader('set-cookie'))
  // A script of this origin would pass the console's own policy, so no reply of a twin is one.
  if (scriptType.test(essence(reply))) reply.header('content-type', 'text/plain; charset=utf-8')
}

const downloadUnlessInert = (reply: FastifyReply): void => {
  const hasBody = reply.statusCode !== 204 && reply.statusCode !== 304
  if (hasBody && !inertType.test(essence(reply)))
    reply.header('content-disposition', asAttachment(reply.getHeader('content-disposition')))
}

const essence = (reply: FastifyReply): string => {
  const header = reply.getHeader('content-type')
  return typeof header === 'string' ? (header.split(';')[0] ?? '').trim().toLowerCase() : ''
}

/** A twin's own file name is kept; how the file is opened is not for the twin to say. */
const asAttachment = (given: unknown): string => {
  const parameters = typeof given === 'string' ? /;.*$/s.exec(given)?.[0] : undefined
  return `attachment${parameters ?? ''}`
}

const keepOtherCookies = (reply: FastifyReply, given: unknown): void => {
  const cookies = (Array.isArray(given) ? given : [given]).map(String)
  const kept = cookies.filter((cookie) => !setsSessionCookie(cookie))
  if (kept.length === cookies.length) return
  reply.removeHeader('set-cookie')
  if (kept.length > 0) reply.header('set-cookie', kept)
}
