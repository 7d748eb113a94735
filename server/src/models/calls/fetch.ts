import { Readable } from 'node:stream'
import type { Provider } from '../providers/provider.ts'
import { operationAt } from '../wires/operations.ts'
import type { CallSource } from './call.ts'
import type { ModelSession } from './session.ts'

export interface SessionFetchParts {
  readonly session: ModelSession
  readonly source: CallSource
  readonly name: string
  readonly settings: Provider
}

const never = new AbortController().signal

/** A `fetch` for clients of model endpoints that sends their requests by a session. */
export const sessionFetch =
  ({ session, source, name, settings }: SessionFetchParts): typeof globalThis.fetch =>
  async (input, init = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    const found = operationAt(init.method ?? 'GET', `${pathname}${search}`)
    if (!found || typeof init.body !== 'string') throw new Error(`not a call of a model: ${pathname}`)
    const reply = await session.exchange({
      source,
      name,
      provider: settings,
      credential: 'provider',
      found,
      headers: Object.fromEntries(new Headers(init.headers)),
      body: Buffer.from(init.body),
      signal: init.signal ?? never,
    })
    const body = Readable.toWeb(Readable.from(reply.body)) as ReadableStream
    return new Response(body, { status: reply.status, headers: reply.headers })
  }
