import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { AddressRefused, type AddressRules, hostOf, portOf } from './address-rules.ts'
import { maxAnswerBytes, type Outcome, type Transport } from './transport.ts'

export interface HttpTransport extends Transport {
  readonly close: () => void
}

const maxSocketsPerHost = 64
const maxSockets = 1_024
const idleSocketMs = 30_000

/** Sends by HTTP to addresses that the deployment allows. Redirects are not followed: each would be another address. */
export const openHttpTransport = (rules: AddressRules): HttpTransport => {
  const pooling = {
    keepAlive: true,
    maxSockets: maxSocketsPerHost,
    maxTotalSockets: maxSockets,
    timeout: idleSocketMs,
  }
  const agents = { 'http:': new HttpAgent(pooling), 'https:': new HttpsAgent(pooling) }
  return {
    send: async ({ emission, channel, request }) => {
      const url = URL.parse(emission.url ?? '')
      if (!url) return { fault: 'refused', message: `${emission.url} is not an address.` }
      const refusal = rules.refusal(url)
      if (refusal !== undefined) return { fault: 'refused', message: `Not sent: ${refusal}.` }
      const isSecure = url.protocol === 'https:'
      return exchange(
        (isSecure ? httpsRequest : httpRequest)(url, {
          method: request.method,
          headers: { ...request.headers, 'content-length': Buffer.byteLength(request.body) },
          agent: isSecure ? agents['https:'] : agents['http:'],
          lookup: rules.lookupFor(`${hostOf(url)} ${portOf(url)}`),
        }),
        { body: request.body, timeoutMs: channel.timeoutMs },
      )
    },
    close: () => {
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

/** Sends a body and waits for the whole answer; the time limit covers all of it. */
export const exchange = (
  outgoing: ClientRequest,
  { body, timeoutMs }: { body: string | Uint8Array; timeoutMs: number },
): Promise<Outcome> =>
  new Promise((resolve) => {
    const end = (outcome: Outcome) => {
      clearTimeout(timer)
      resolve(outcome)
    }
    const timer = setTimeout(() => {
      end({ fault: 'timeout', message: `No answer within ${timeoutMs} ms.` })
      outgoing.destroy()
    }, timeoutMs)
    outgoing.on('response', (incoming) => {
      void read(incoming).then(end, (error) => end(failure(error)))
    })
    outgoing.on('error', (error) => end(failure(error)))
    outgoing.end(body)
  })

const read = async (incoming: IncomingMessage): Promise<Outcome> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxAnswerBytes) {
      chunks.push(chunk.subarray(0, maxAnswerBytes - size))
      incoming.destroy()
      break
    }
    chunks.push(chunk)
  }
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ')
  const body = Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\ufffd')
  return { answer: { status: incoming.statusCode ?? 0, headers, body } }
}

const failure = (error: unknown): Outcome => {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (error instanceof AddressRefused) return { fault: 'refused', message: `Not sent: ${message}.` }
  const isTls = /^ERR_(TLS|SSL)|CERT|SELF_SIGNED|UNABLE_TO_VERIFY|^EPROTO$/.test(code)
  return { fault: isTls ? 'tls' : 'connection', message: `${code || 'error'}: ${message}` }
}
