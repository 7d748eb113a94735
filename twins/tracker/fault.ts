import type { Fault, TwinReply } from '@diorama/twin-kit/kernel/twin'
import { reply } from './shapes/reply.ts'

/** How the service says that it cannot answer at all. */
export const fault = (fault: Fault): TwinReply => {
  const known = faults[fault.kind]
  const answer = reply(
    known.status,
    {
      errors: [
        {
          message: known.message,
          extensions: {
            type: known.type,
            code: known.code,
            statusCode: known.status,
            http: { status: known.status },
          },
        },
      ],
    },
    0,
  )
  const retry = 'retryAfterSeconds' in fault ? { 'retry-after': String(fault.retryAfterSeconds) } : {}
  return { ...answer, headers: { 'content-type': 'application/json; charset=utf-8', ...retry } }
}

const faults: Record<Fault['kind'], { status: number; message: string; type: string; code: string }> = {
  unauthorized: {
    status: 401,
    message: 'Authentication required, not authenticated',
    type: 'authentication error',
    code: 'AUTHENTICATION_ERROR',
  },
  not_found: { status: 404, message: 'Not found', type: 'other', code: 'NOT_FOUND' },
  rate_limited: { status: 400, message: 'Rate limit exceeded', type: 'ratelimited', code: 'RATELIMITED' },
  internal: {
    status: 500,
    message: 'Internal server error',
    type: 'internal error',
    code: 'INTERNAL_SERVER_ERROR',
  },
  unavailable: {
    status: 503,
    message: 'Service temporarily unavailable',
    type: 'network error',
    code: 'SERVICE_UNAVAILABLE',
  },
  too_large: { status: 413, message: 'Payload too large', type: 'invalid input', code: 'INPUT_ERROR' },
}
