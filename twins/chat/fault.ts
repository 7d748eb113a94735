import type { Fault, TwinReply } from '@diorama/twin-kit/kernel/twin'
import { nativeJson } from './wire/native.ts'

/** Only limits and absence are reported by status; any other failure is an answer, or clients would retry it for long. */
export const fault = (fault: Fault): TwinReply => {
  const answer = (status: number, error: string, headers: Record<string, string> = {}): TwinReply => ({
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-slack-failure': error,
      ...headers,
    },
    body: nativeJson({ ok: false, error }),
  })
  switch (fault.kind) {
    case 'unauthorized':
      return answer(200, 'invalid_auth')
    case 'not_found':
      return answer(200, 'unknown_method')
    case 'too_large':
      return answer(200, 'invalid_form_data')
    case 'internal':
      return answer(200, 'internal_error')
    case 'rate_limited':
      return answer(429, 'ratelimited', {
        'retry-after': String(Math.max(1, Math.ceil(fault.retryAfterSeconds))),
      })
    case 'unavailable':
      return answer(503, 'service_unavailable', {
        'retry-after': String(Math.max(1, Math.ceil(fault.retryAfterSeconds))),
      })
  }
}
