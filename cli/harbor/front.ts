import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { request as secureRequest } from 'node:https'

/** A service of the world, as the front leads to it. */
export interface FrontService {
  readonly service: string
  readonly baseUrl: string
  readonly mcpUrl: string | null
  readonly token: string
}

/** Headers that belong to one connection, and are not passed on. */
const connectionHeaders = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'host',
]

/**
 * The way from the agent's container to the twins, under names that are known before the world exists:
 * `/<service>/…` is the service's own API and `/mcp/<service>` its MCP server. A request without a credential gets the
 * twin's: only the containers of one task reach the front.
 */
export const createFront = (services: readonly FrontService[]): Server =>
  createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/'
    if (path === '/healthz') {
      outgoing.writeHead(200).end('ok\n')
      return
    }
    const target = targetOf(services, path)
    if (target) forward(incoming, outgoing, target)
    else outgoing.writeHead(404).end(`There is no service at ${path.slice(0, 200)}\n`)
  })

interface Target {
  readonly url: URL
  readonly token: string
}

const targetOf = (services: readonly FrontService[], path: string): Target | undefined => {
  const [, first = '', second = ''] = path.split(/[/?]/)
  const find = (name: string) => services.find(({ service }) => service === name)
  if (first === 'mcp') {
    const found = find(second)
    const rest = path.slice(`/mcp/${second}`.length)
    return found?.mcpUrl ? { url: new URL(`${found.mcpUrl}${rest}`), token: found.token } : undefined
  }
  const found = find(first)
  return found && { url: new URL(`${found.baseUrl}${path.slice(first.length + 1)}`), token: found.token }
}

const forward = (incoming: IncomingMessage, outgoing: ServerResponse, { url, token }: Target): void => {
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).filter(([name]) => !connectionHeaders.includes(name)),
  )
  const send = url.protocol === 'https:' ? secureRequest : request
  const passed = send(url, {
    method: incoming.method ?? 'GET',
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  passed.on('response', (reply) => {
    const sent = Object.entries(reply.headers).filter(([name]) => !connectionHeaders.includes(name))
    outgoing.writeHead(reply.statusCode ?? 502, Object.fromEntries(sent))
    reply.pipe(outgoing)
  })
  passed.on('error', (error) => {
    if (outgoing.headersSent) outgoing.destroy()
    else outgoing.writeHead(502).end(`The twin could not be reached: ${error.message}\n`)
  })
  outgoing.on('close', () => passed.destroy())
  incoming.pipe(passed)
}
