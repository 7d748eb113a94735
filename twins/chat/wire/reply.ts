import { hash } from 'node:crypto'
import type { TwinReply, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { nativeAnswer } from './native.ts'

export interface Scopes {
  readonly held: string
  readonly accepted: string
}

/** An answer of a method. It is HTTP 200 whatever it says; clients retry anything else for half an hour. */
export const apiReply = (
  request: TwinRequest,
  now: number,
  body: Readonly<Record<string, unknown>>,
  scopes?: Scopes,
): TwinReply => ({
  status: 200,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-cache, no-store, must-revalidate',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'x-slack-req-id, retry-after',
    'x-content-type-options': 'nosniff',
    'x-slack-req-id': requestId(request, now),
    ...(body.ok === false && failureHeader(body.error)),
    ...(scopes && { 'x-oauth-scopes': scopes.held, 'x-accepted-oauth-scopes': scopes.accepted }),
  },
  body: nativeAnswer(body),
})

/** `api.test` echoes any error, and not every text is allowed in a header. */
const failureHeader = (error: unknown): Record<string, string> =>
  typeof error === 'string' && /^[\w.-]{1,100}$/.test(error) ? { 'x-slack-failure': error } : {}

/** The same in every copy of the world, since it depends on the request and the clock alone. */
const requestId = (request: TwinRequest, now: number): string => {
  const start = Buffer.from(request.body.subarray(0, 512)).toString('latin1')
  return hash('md5', `${now} ${request.method} ${request.path} ${request.query} ${start}`)
}

export const textReply = (
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): TwinReply => ({ status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body: text })

export const bytesReply = (type: string, bytes: Uint8Array): TwinReply => ({
  status: 200,
  headers: {
    'content-type': type,
    'cache-control': 'private, no-cache, no-store',
    'x-content-type-options': 'nosniff',
  },
  body: bytes,
})

/** Types that a browser shows without running anything in them. */
const inert = /^(?:image\/(?:png|jpeg|gif|webp)|audio\/|video\/|text\/(?:plain|csv)|application\/pdf)/

export interface FileReply {
  readonly bytes: Uint8Array
  readonly type: string
  readonly name: string
  /** Whether the address asks for a download rather than for a look. */
  readonly isDownload: boolean
}

/** A file, never as something that a browser would run: other types than the inert ones are always downloaded. */
export const fileReply = ({ bytes, type, name, isDownload }: FileReply): TwinReply => {
  const { headers, ...reply } = bytesReply(type, bytes)
  const kind = isDownload || !inert.test(type) ? 'attachment' : 'inline'
  const plain = name.replace(/[^\w.() -]/g, '_')
  return {
    ...reply,
    headers: {
      ...headers,
      'content-disposition': `${kind}; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
  }
}
