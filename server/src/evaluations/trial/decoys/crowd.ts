import type { GatewayReply, GatewayRequest } from '@diorama/sandbox/gateway/options'
import { headOf } from '../../storable.ts'
import type { RequestLog } from '../request-log.ts'
import { maxPathCharacters, messageOf } from '../twin-answers.ts'
import { decoys } from './catalog.ts'
import { answerDecoy } from './decoy-server.ts'

/** By which the gateway knows requests to decoys from those to twins. */
const decoyService = 'decoy'
const maxArgumentCharacters = 2_000
const hostOf = (name: string): string => `mcp.${name}.example`

interface DecoyAddress {
  readonly service: string
  readonly url: string
  readonly token: string
}

/** What scorers see of a call, beside the requests to the twins. */
export interface RecordedDecoyCall {
  readonly service: string
  readonly decoy: true
  readonly operation: string
  readonly arguments: string
  readonly at: string
  readonly mutations: readonly never[]
  readonly [field: string]: unknown
}

/** Decoy servers beside the twins of a trial, whose calls are recorded and do nothing. */
export interface Crowd {
  readonly service: string
  readonly hosts: readonly string[]
  readonly servers: readonly DecoyAddress[]
  readonly variables: Readonly<Record<string, string>>
  readonly answer: (request: Omit<GatewayRequest, 'service'>) => GatewayReply
  readonly calls: () => readonly RecordedDecoyCall[]
}

export const createCrowd = (
  size: number,
  { log, token, now }: { log: RequestLog; token: string; now: () => number },
): Crowd => {
  const present = decoys.slice(0, size)
  const calls: RecordedDecoyCall[] = []
  const servers = present.map(({ name }) => ({ service: name, url: `https://${hostOf(name)}/mcp`, token }))
  return {
    service: decoyService,
    hosts: present.map(({ name }) => hostOf(name)),
    servers,
    variables: Object.fromEntries(
      servers.flatMap(({ service, url }) => [
        [`SVC_${service.toUpperCase()}_MCP_URL`, url],
        [`SVC_${service.toUpperCase()}_TOKEN`, token],
      ]),
    ),
    answer: (request) => {
      const decoy = present.find(({ name }) => hostOf(name) === request.host)
      if (!decoy || !log.admit(request.body.length)) return { status: 429, headers: {}, body: '' }
      const message = messageOf(request)
      const { reply, operation, call } = answerDecoy(decoy, token, message)
      const at = new Date(now()).toISOString()
      const { name: service } = decoy
      const asked = call ? headOf(JSON.stringify(call.arguments), maxArgumentCharacters) : ''
      log.add({
        kind: 'tool_call',
        name: headOf(operation, 300),
        status: reply.status < 400 && !call?.failed ? 'succeeded' : 'failed',
        started_at: at,
        duration_ms: 0,
        detail: {
          service,
          decoy: true,
          host: request.host,
          method: request.method,
          path: headOf(message.path, maxPathCharacters),
          status: reply.status,
          ...(call ? { arguments: asked } : {}),
        },
      })
      if (call) calls.push({ service, decoy: true, operation, arguments: asked, at, mutations: [] })
      return { status: reply.status, headers: headersOf(reply.headers), body: reply.body }
    },
    calls: () => calls,
  }
}

const headersOf = (headers: Readonly<Record<string, string | readonly string[]>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )
