import type { Principal, Step, TwinReply, TwinRequest } from '@diorama/twins/kernel/twin'

const mostBytes = 65_536
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

export interface RecordedPayload {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly encoding: 'text' | 'base64'
  readonly size: number
  readonly truncated: boolean
}

export const recordingOf = (step: Step, principals: readonly Principal[]): Recording => {
  const hide = hiding(principals)
  return {
    request: { query: hide(step.request.query), ...payload(step.request, hide) },
    response: payload(step.reply, hide),
  }
}

const startLength = 6
const hidings = new WeakMap<readonly Principal[], (text: string) => string>()

/** Replaces every credential of the twin, also where it stands percent-encoded. Made once for each twin. */
export const hiding = (principals: readonly Principal[]): ((text: string) => string) => {
  const known = hidings.get(principals)
  if (known) return known
  const secrets = principals.flatMap(({ token }) => [token, encodeURIComponent(token)]).filter(Boolean)
  secrets.sort((a, b) => b.length - a.length)
  const any = new RegExp(secrets.map((secret) => secret.replaceAll(/\W/g, '\\$&')).join('|'), 'g')
  // Nearly no text holds a secret, and looking for how secrets begin is much quicker than looking for each.
  const starts = [...new Set(secrets.map((secret) => secret.slice(0, startLength)))]
  const hide = (text: string) =>
    starts.some((start) => text.includes(start)) ? text.replace(any, redacted) : text
  hidings.set(principals, hide)
  return hide
}

const payload = (message: TwinRequest | TwinReply, hide: (text: string) => string): RecordedPayload => {
  const { headers, body } = message
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    kept[name] = secretHeaders.has(name.toLowerCase())
      ? redacted
      : hide(typeof value === 'string' ? value : value.join(', '))
  const size = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  const text = typeof body === 'string' ? body.toWellFormed() : decoded(body)
  const shown =
    text === undefined || text.includes('\0')
      ? { body: Buffer.from(body).subarray(0, mostBytes).toString('base64'), encoding: 'base64' as const }
      : { body: cut(hide(text)), encoding: 'text' as const }
  return { headers: kept, ...shown, size, truncated: size > mostBytes }
}

const strict = new TextDecoder('utf-8', { fatal: true })

const decoded = (bytes: Uint8Array): string | undefined => {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** Cuts at a whole character. */
const cut = (text: string): string => {
  if (text.length <= mostBytes) return text
  const head = text.slice(0, mostBytes)
  return head.isWellFormed() ? head : head.slice(0, -1)
}
