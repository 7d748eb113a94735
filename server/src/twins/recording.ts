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

/** Replaces every credential of the twin, also where it stands percent-encoded. */
export const hiding = (principals: readonly Principal[]): ((text: string) => string) => {
  const secrets = principals.flatMap(({ token }) => {
    const encoded = encodeURIComponent(token)
    return encoded === token ? [token] : [token, encoded]
  })
  return (text) => {
    let hidden = text
    for (const secret of secrets) if (hidden.includes(secret)) hidden = hidden.replaceAll(secret, redacted)
    return hidden
  }
}

const payload = (message: TwinRequest | TwinReply, hide: (text: string) => string): RecordedPayload => {
  const whole = typeof message.body === 'string' ? Buffer.from(message.body) : Buffer.from(message.body)
  const text = readable(whole)
  const truncated = whole.length > mostBytes
  return {
    headers: Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [
        name,
        secretHeaders.has(name.toLowerCase())
          ? redacted
          : hide(typeof value === 'string' ? value : value.join(', ')),
      ]),
    ),
    body: text === undefined ? whole.subarray(0, mostBytes).toString('base64') : cut(hide(text)),
    encoding: text === undefined ? 'base64' : 'text',
    size: whole.length,
    truncated,
  }
}

const strict = new TextDecoder('utf-8', { fatal: true })

/** The body as text that the database can hold, if it is such. */
const readable = (bytes: Buffer): string | undefined => {
  try {
    const text = strict.decode(bytes)
    return text.includes('\0') ? undefined : text
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
