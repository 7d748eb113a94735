import type { Fault, TwinReply } from '@diorama/twin-kit/kernel/twin'
import { type RestReply, toReply } from '@diorama/twin-kit/wires/rest'
import { noResource } from './records/refusals.ts'
import { errorReply } from './shapes/errors.ts'

export const json = { 'content-type': 'application/json;charset=UTF-8' }

export const sessionRefused: RestReply = {
  status: 401,
  body: [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }],
}

/** How the service says that it cannot answer at all. */
export const fault = (fault: Fault): TwinReply => {
  const entry = (errorCode: string, message: string): unknown => [{ message, errorCode }]
  const replies: Record<Fault['kind'], RestReply> = {
    unauthorized: sessionRefused,
    not_found: errorReply(noResource(), ''),
    rate_limited: { status: 403, body: entry('REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.') },
    internal: {
      status: 500,
      body: entry(
        'UNKNOWN_EXCEPTION',
        'An unexpected error occurred. Please include this ErrorId if you contact support',
      ),
    },
    unavailable: {
      status: 503,
      body: entry('SERVER_UNAVAILABLE', 'Server is unavailable, please try again'),
    },
    too_large: { status: 413, body: entry('REQUEST_TOO_LARGE', 'The request is larger than allowed') },
  }
  const retry = 'retryAfterSeconds' in fault ? { 'retry-after': String(fault.retryAfterSeconds) } : {}
  return toReply(replies[fault.kind], { ...json, ...retry })
}
