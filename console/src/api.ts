import routes from 'virtual:routes'
import type { BodyOf, RouteName, RouteSpec, Routes } from '@diorama/contract'
import { addressOf } from '@diorama/sdk/core/address'
import { DioramaError, readRefusal } from '@diorama/sdk/core/error'
import { now } from './clock.ts'

export type OperationName = RouteName
export type Reply<K extends OperationName> = Routes[K] extends {
  readonly reply: { readonly _output: infer R }
}
  ? R
  : undefined
type Sent<K extends OperationName> = Routes[K] extends { readonly body: unknown }
  ? Partial<BodyOf<Routes[K] & RouteSpec>>
  : undefined

export interface Call<K extends OperationName> {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: Sent<K>
  readonly signal?: AbortSignal
}

export { addressOf, DioramaError as ApiError }

/** Sent with every request: without it the session's cookie counts for nothing. */
export const markHeaders = { 'x-diorama-console': '1' }

/** Calls one operation of the service and gives its reply. */
export const call = async <K extends OperationName>(name: K, options: Call<K> = {}): Promise<Reply<K>> => {
  const [method, path] = routes[name]
  const reply = await fetch(addressOf(path, options.params, options.query), {
    method,
    headers: {
      ...markHeaders,
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    credentials: 'same-origin',
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    ...(options.signal ? { signal: options.signal } : {}),
  }).catch((cause: unknown) => {
    if (options.signal?.aborted) throw cause
    throw new DioramaError('The service cannot be reached. Is it running?', {
      status: 0,
      code: 'network_error',
      cause,
    })
  })
  if (!reply.ok) throw await readRefusal(reply, now())
  const text = await reply.text()
  const parsed: Reply<K> = text === '' ? undefined : JSON.parse(text)
  return parsed
}

const sendSession = async (method: 'POST' | 'DELETE', body?: object): Promise<void> => {
  const reply = await fetch('/console/session', {
    method,
    headers: { ...markHeaders, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!reply.ok) throw await readRefusal(reply, now())
}
export const signIn = (key: string): Promise<void> => sendSession('POST', { key })
export const signOut = (): Promise<void> => sendSession('DELETE')
