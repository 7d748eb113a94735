import type { Fault, TwinReply, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { errorAnswer } from './shapes/error.ts'
import { unauthorized } from './shapes/replies.ts'

const faults: Readonly<
  Record<Exclude<Fault['kind'], 'unauthorized'>, readonly [status: number, code: string, text: string]>
> = {
  not_found: [404, '/IWFND/CM_MGW/002', 'Resource not found'],
  rate_limited: [429, '/IWFND/CM_MGW/429', 'Too many requests'],
  internal: [500, '/IWFND/CM_BEC/026', 'Internal error while processing the request'],
  unavailable: [503, '/IWFND/CM_MGW/503', 'The service is temporarily not available'],
  too_large: [413, '/IWFND/CM_MGW/413', 'The request entity is too large'],
}

/** How the Gateway answers when its host cannot. The transaction's id is made from the request. */
export const fault = (fault: Fault, { method, path }: TwinRequest): TwinReply => {
  const trace = `${method} ${path}`
  if (fault.kind === 'unauthorized') return unauthorized()
  const [status, code, text] = faults[fault.kind]
  const complaint = { code, text, status, business: false, target: '' }
  const { headers, body } = errorAnswer(complaint, 'json', { service: undefined, now: 0, trace })
  const retry = 'retryAfterSeconds' in fault ? { 'retry-after': String(fault.retryAfterSeconds) } : {}
  return { status, headers: { ...headers, ...retry }, body }
}
