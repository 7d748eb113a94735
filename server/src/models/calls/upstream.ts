import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isPrivateAddress, publicLookup } from '@diorama/sandbox/gateway/addresses'
import type { Provider } from '../providers/provider.ts'
import { endpoints } from '../wires/endpoints.ts'

export interface UpstreamOrder {
  readonly provider: Provider
  /** Path and query below the base URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly signal: AbortSignal
}

export interface UpstreamReply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Throws when the provider breaks off or falls silent. */
  readonly chunks: AsyncIterable<Buffer>
}

/** A provider that was not reached, fell silent or broke off. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure'
  readonly timedOut: boolean
  constructor(message: string, { timedOut, cause }: { timedOut: boolean; cause?: unknown }) {
    super(message, { cause })
    this.timedOut = timedOut
  }
}

/** The way to providers. Redirects are not followed: they would lead a key elsewhere. */
export interface Upstream {
  send(order: UpstreamOrder): Promise<UpstreamReply>
  close(): void
}

export const openUpstream = ({ timeoutMs }: { timeoutMs: number }): Upstream => {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true, maxSockets: 256 }),
    'https:': new HttpsAgent({ keepAlive: true, maxSockets: 256 }),
  }
  return {
    send: async ({ provider, path, headers, body, signal }) => {
      const base = new URL(provider.baseUrl ?? endpoints[provider.wire].baseUrl)
      const host = base.hostname.replace(/^\[|\]$/g, '')
      if (!provider.allowPrivate && isPrivateAddress(host))
        throw new UpstreamFailure(`${host} is a private address.`, { timedOut: false })
      const send = base.protocol === 'https:' ? httpsRequest : httpRequest
      const silent = () =>
        new UpstreamFailure(`${host} was silent for ${timeoutMs / 1_000} seconds.`, { timedOut: true })
      const reply = await new Promise<IncomingMessage>((resolve, reject) => {
        const outgoing = send({
          hostname: host,
          port: base.port || (base.protocol === 'https:' ? 443 : 80),
          method: 'POST',
          path: `${base.pathname.replace(/\/+$/, '')}${path}`,
          headers: { ...headers, host: base.host, 'content-length': String(body.length) },
          agent: base.protocol === 'https:' ? agents['https:'] : agents['http:'],
          signal,
          ...(provider.allowPrivate ? {} : { lookup: publicLookup }),
        })
        const timer = setTimeout(() => outgoing.destroy(silent()), timeoutMs)
        outgoing.once('response', (answered) => {
          clearTimeout(timer)
          resolve(answered)
        })
        outgoing.once('error', (error) => {
          clearTimeout(timer)
          reject(failure(error, host))
        })
        outgoing.end(body)
      })
      return {
        status: reply.statusCode ?? 502,
        headers: reply.headers,
        chunks: read(reply, { host, timeoutMs }),
      }
    },
    close: () => {
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

async function* read(
  reply: IncomingMessage,
  { host, timeoutMs }: { host: string; timeoutMs: number },
): AsyncGenerator<Buffer> {
  const silence = () => {
    reply.destroy(
      new UpstreamFailure(`${host} was silent for ${timeoutMs / 1_000} seconds.`, { timedOut: true }),
    )
  }
  let timer = setTimeout(silence, timeoutMs)
  try {
    for await (const chunk of reply) {
      clearTimeout(timer)
      yield chunk
      timer = setTimeout(silence, timeoutMs)
    }
    if (!reply.complete) throw new UpstreamFailure(`${host} broke off its reply.`, { timedOut: false })
  } catch (error) {
    throw failure(error, host)
  } finally {
    clearTimeout(timer)
  }
}

const failure = (error: unknown, host: string): UpstreamFailure => {
  if (error instanceof UpstreamFailure) return error
  const said = error instanceof Error ? error.message : String(error)
  return new UpstreamFailure(`${host} could not be reached or broke off: ${said}`, {
    timedOut: false,
    cause: error,
  })
}
