import type { Principal, Step, TwinReply, TwinRequest } from '@diorama/twin-kit/kernel/twin'

const maxBytes = 65_536
/** A secret that begins before the cut is found whole when this much behind the cut is looked at as well. */
const maxSecretLength = 2_048
const redacted = '[redacted]'
const secretHeaders = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-csrf-token',
  'apikey',
])

/** What is kept of a request and its reply: bounded, and without any credential of the twin. */
export interface Recording {
  readonly request: RecordedPayload & { readonly query: string }
  readonly response: RecordedPayload
}

export interface RecordedPayload extends RecordedBody {
  readonly headers: Readonly<Record<string, string>>
}

export interface RecordedBody {
  readonly body: string
  readonly encoding: 'text' | 'base64'
  readonly size: number
  readonly truncated: boolean
}

/** Of what the world does on its own no headers are kept: no client sent any, and the reply reaches none. */
export const recordingOf = (
  { request, reply }: Step,
  principals: readonly Principal[],
  { isOwn = false }: { readonly isOwn?: boolean } = {},
): Recording => {
  const redact = redactorOf(principals)
  const kept = (message: TwinRequest | TwinReply): RecordedPayload => ({
    headers: isOwn ? {} : keptHeaders(message, redact),
    ...recordedBody(message.body, redact),
  })
  return { request: { query: redact(request.query), ...kept(request) }, response: kept(reply) }
}

const prefixLength = 6
const redactors = new WeakMap<readonly Principal[], (text: string) => string>()

/** Replaces every credential of the twin, also where it is percent-encoded. Memoised for each twin. */
export const redactorOf = (principals: readonly Principal[]): ((text: string) => string) => {
  const known = redactors.get(principals)
  if (known) return known
  const secrets = principals.flatMap(({ token }) => [token, encodeURIComponent(token)]).filter(Boolean)
  secrets.sort((a, b) => b.length - a.length)
  const any = new RegExp(secrets.map((secret) => secret.replaceAll(/\W/g, '\\$&')).join('|'), 'g')
  // Nearly no text holds a secret, and looking for the few prefixes of secrets is much quicker than looking for each.
  const prefixes = [...new Set(secrets.map((secret) => secret.slice(0, prefixLength)))]
  const redact = (text: string) =>
    prefixes.some((prefix) => text.includes(prefix)) ? text.replace(any, redacted) : text
  redactors.set(principals, redact)
  return redact
}

const keptHeaders = (
  { headers }: TwinRequest | TwinReply,
  redact: (text: string) => string,
): RecordedPayload['headers'] => {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    kept[name] = secretHeaders.has(name.toLowerCase())
      ? redacted
      : redact(typeof value === 'string' ? value : value.join(', '))
  return kept
}

/** Looks at no more of a body than can be kept of it, so that a page of megabytes costs what a short one does. */
const recordedBody = (body: string | Uint8Array, redact: (text: string) => string): RecordedBody => {
  const size = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  const truncated = isTruncated(size)
  const text =
    typeof body === 'string' ? body.slice(0, maxBytes + maxSecretLength).toWellFormed() : decoded(body)
  if (text !== undefined && !text.includes('\0'))
    return { body: cut(redact(text)), encoding: 'text', size, truncated }
  const head = typeof body === 'string' ? body.slice(0, maxBytes) : body.subarray(0, maxBytes)
  return {
    body: Buffer.from(head).subarray(0, maxBytes).toString('base64'),
    encoding: 'base64',
    size,
    truncated,
  }
}

/** Whether a body of this size is kept in part. */
export const isTruncated = (size: number): boolean => size > maxBytes

/** The text that the bytes begin with; undefined where they are none. A character that the cut splits is left out. */
const decoded = (bytes: Uint8Array): string | undefined => {
  const isCut = bytes.length > maxBytes + maxSecretLength
  const head = isCut ? bytes.subarray(0, maxBytes + maxSecretLength) : bytes
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: isCut })
  } catch {
    return undefined
  }
}

/** Cuts at a whole character. */
const cut = (text: string): string => {
  if (text.length <= maxBytes) return text
  const head = text.slice(0, maxBytes)
  return head.isWellFormed() ? head : head.slice(0, -1)
}
