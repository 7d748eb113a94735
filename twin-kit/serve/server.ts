import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Instance } from '../kernel/instance.ts'
import { compileSeed, freezeSeed } from '../kernel/seed.ts'
import { type AnyTwin, type Company, integration, type Step, type TwinRequest } from '../kernel/twin.ts'
import { toTwinRequest } from '../wires/twin-request.ts'
import { holdReplies } from './holding.ts'

const maxBodyBytes = 64 * 2 ** 20

export interface ServedTwin {
  readonly baseUrl: string
  /** A credential for each person, by handle, and for the integration. */
  readonly tokens: Readonly<Record<string, string>>
  close(): Promise<void>
}

export interface ServeOptions {
  readonly twin: AnyTwin
  readonly section: unknown
  readonly company: Company
  readonly port: number
  readonly now: () => number
  /** Makes the secret part of each token. */
  readonly secret: () => string
  readonly onStep?: (step: Step) => void
  readonly onFailure?: (error: unknown) => void
}

/** One twin alone on loopback, with nothing recorded: for writing a twin, and for trying a client against it. */
export const serveTwin = async (options: ServeOptions): Promise<ServedTwin> => {
  const { twin, section, company } = options
  const seed = freezeSeed(twin, compileSeed(twin, section, company).seed)
  const { tables } = new Instance({ seed, principals: [] })
  const principals = [integration, ...company.people.map(({ handle }) => handle)].map((subject) => ({
    subject,
    token: twin.token(subject, options.secret(), tables),
  }))
  const instance = new Instance({ seed, principals })
  const started = options.now()
  const holding = holdReplies()
  const reply = async (request: TwinRequest, until = Number.POSITIVE_INFINITY): Promise<Step> => {
    const { step, failure } = instance.handle(request, company.clock + options.now() - started)
    if (failure !== undefined) options.onFailure?.(failure)
    if (step.reply.hold && step.changes.length === 0) {
      const end = Math.min(until, options.now() + step.reply.hold.maxMs)
      const inTime = await holding.wait(end - options.now())
      return reply(inTime ? request : { ...request, waited: true }, end)
    }
    options.onStep?.(step)
    if (step.changes.length > 0) holding.wake()
    return step
  }
  const server = createServer((incoming, outgoing) => {
    const answer = async () => {
      const body = await readBody(incoming)
      if (!body) return send(twin.fault({ kind: 'too_large' }, requestFrom(incoming, baseUrl)), outgoing)
      send((await reply(requestFrom(incoming, baseUrl, body))).reply, outgoing)
    }
    answer().catch((error: unknown) => {
      options.onFailure?.(error)
      outgoing.destroy()
    })
  })
  const baseUrl = await listen(server, options.port)
  return {
    baseUrl,
    tokens: Object.fromEntries(principals.map(({ subject, token }) => [subject, token])),
    close: async () => {
      holding.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const listen = (server: Server, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address() as AddressInfo
      resolve(`http://127.0.0.1:${address.port}`)
    })
  })

/** Undefined when it is longer than the limit. */
const readBody = async (incoming: IncomingMessage): Promise<Uint8Array | undefined> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const requestFrom = (incoming: IncomingMessage, baseUrl: string, body?: Uint8Array): TwinRequest =>
  toTwinRequest({
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    headers: incoming.headers,
    body,
    baseUrl,
  })

const send = ({ status, headers, body }: Step['reply'], outgoing: ServerResponse): void => {
  outgoing.writeHead(status, { ...(headers as Record<string, string | string[]>) })
  outgoing.end(outgoing.req.method === 'HEAD' ? undefined : body)
}
