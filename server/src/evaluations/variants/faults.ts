import { createHash } from 'node:crypto'
import type { GatewayRequest } from '@diorama/sandbox/gateway/options'

/** What goes wrong with a request, as it does in production. */
export const faultKinds = [
  'rate_limited',
  'unavailable',
  'internal',
  'slow',
  'dropped',
  'reply_lost',
  'stale',
] as const
export type FaultKind = (typeof faultKinds)[number]

/** The share of calls that go wrong. A call after one that went wrong goes well, so a client that retries gets on. */
const share = 0.25
const maxRemembered = 500

/**
 * Faults of one trial. They depend on the seed, the operation and how often it was called, and on nothing else: the same
 * requests meet the same faults, whichever agent makes them.
 */
export interface Faults {
  readonly draw: (request: GatewayRequest) => FaultKind | undefined
  /** An earlier reply to the same read, for one that is answered by a replica that lags behind. */
  readonly earlier: (request: GatewayRequest) => StaleReply | undefined
  readonly remember: (request: GatewayRequest, reply: StaleReply) => void
}

export interface StaleReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Uint8Array | string
}

export const createFaults = (seed: string): Faults => {
  const calls = new Map<string, { count: number; failed: boolean }>()
  const replies = new Map<string, StaleReply>()

  const draw: Faults['draw'] = (request) => {
    const operation = operationOf(request)
    const call = calls.get(operation) ?? { count: 0, failed: false }
    calls.set(operation, call)
    call.count++
    const digest = createHash('sha256').update(`${seed} ${operation} ${call.count}`).digest()
    const isFault = !call.failed && digest.readUInt32BE(0) / 2 ** 32 < share
    call.failed = isFault
    if (!isFault) return undefined
    const kind = faultKinds[digest.readUInt32BE(4) % faultKinds.length]
    return kind === 'stale' && !replies.has(readKey(request)) ? 'rate_limited' : kind
  }
  return {
    draw,
    earlier: (request) => replies.get(readKey(request)),
    remember: (request, reply) => {
      if (replies.size < maxRemembered) replies.set(readKey(request), reply)
    },
  }
}

/** The operation as far as the request shows it before it is answered: ids do not make it another one. */
export const operationOf = ({ service, method, path, body }: GatewayRequest): string => {
  const [route = ''] = path.split('?')
  const general = route.replaceAll(/\/[^/]*\d[^/]*/g, '/*').replaceAll(/\([^)]*\)/g, '(*)')
  const start = body.subarray(0, 4_096).toString('utf8')
  const field = /"query"\s*:\s*"[^{]*\{(?:\\n|\s)*(\w+)/.exec(start)?.[1]
  const tool = /"jsonrpc"/.test(start)
    ? /"method"\s*:\s*"tools\/call".*?"name"\s*:\s*"([\w.-]+)"/s.exec(start)?.[1]
    : undefined
  const part = field ?? tool
  return `${service} ${method} ${general}${part === undefined ? '' : ` ${part}`}`
}

const readKey = ({ service, method, path, body }: GatewayRequest): string =>
  `${service} ${method} ${path} ${createHash('sha256').update(body).digest('hex')}`
