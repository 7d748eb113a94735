import { setTimeout as delay } from 'node:timers/promises'
import type { TrialStep } from '@diorama/contract'
import type { GatewayReply, GatewayRequest } from '@diorama/sandbox/gateway/options'
import type { AnyTwin, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { headOf } from '../storable.ts'
import type { RequestLog } from '../trial/request-log.ts'
import type { FaultKind, Faults } from './faults.ts'

const slowMs = 1_500
const retryAfterSeconds = 2

/** A request on its way to a twin, and how it is answered when nothing goes wrong. */
export interface FaultyExchange {
  readonly request: GatewayRequest
  readonly message: TwinRequest
  readonly twin: Pick<AnyTwin, 'fault'>
  readonly log: Pick<RequestLog, 'add' | 'steps'>
  readonly now: () => number
  readonly plain: () => Promise<GatewayReply>
}

/** Answers as the service does on a bad day: in the vendor's own words, or not at all. */
export const answerWithFaults = async (faults: Faults, exchange: FaultyExchange): Promise<GatewayReply> => {
  const { request, message, twin, log, plain } = exchange
  const onFault = (fault: FaultKind, status: number) => log.add(faultStep(exchange, fault, status))
  const kind = faults.draw(request)
  if (kind === 'rate_limited' || kind === 'unavailable' || kind === 'internal') {
    const fault = kind === 'internal' ? { kind } : { kind, retryAfterSeconds }
    const { status, headers, body } = twin.fault(fault, message)
    onFault(kind, status)
    const plain = Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : [...value],
    ])
    return { status, headers: Object.fromEntries(plain), body }
  }
  if (kind === 'dropped') {
    onFault(kind, 0)
    return dropped
  }
  if (kind === 'stale') {
    const earlier = faults.earlier(request)
    if (earlier) {
      onFault(kind, earlier.status)
      return earlier
    }
  }
  if (kind === 'slow') await delay(slowMs)
  const before = log.steps.length
  const reply = await plain()
  if (reply.status < 400 && !changedSomething(log.steps.slice(before), message))
    faults.remember(request, reply)
  if (kind === 'slow') onFault(kind, reply.status)
  if (kind !== 'reply_lost') return reply
  onFault(kind, 0)
  return dropped
}

const changedSomething = (steps: readonly TrialStep[], { path }: TwinRequest): boolean =>
  steps.some(({ detail }) => detail?.path === path && (detail.mutations as unknown[] | undefined)?.length)

/** Stands among the agent's steps, so that everybody sees what it met. */
const faultStep = (
  { request, message, now }: FaultyExchange,
  fault: FaultKind,
  status: number,
): TrialStep => ({
  kind: 'tool_call',
  name: `fault: ${fault}`,
  status: 'failed',
  started_at: new Date(now()).toISOString(),
  duration_ms: 0,
  detail: {
    service: request.service,
    method: request.method,
    path: headOf(message.path, 2_000),
    status,
    fault,
  },
})

const dropped: GatewayReply = { status: 0, headers: {}, body: '', isDropped: true }
