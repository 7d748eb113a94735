import type { TwinReply } from '@diorama/twin-kit/kernel/twin'
import { hourly } from '../graphql/complexity.ts'
import { hour } from '../values/times.ts'

/**
 * Every answer says what it cost and what is left. A twin counts each request against a full allowance: nothing is
 * throttled, and a read leaves no trace in the world.
 */
export const reply = (status: number, body: unknown, now: number, cost = 0): TwinReply => ({
  status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-complexity': String(Math.ceil(cost)),
    'x-ratelimit-requests-limit': String(hourly.requests),
    'x-ratelimit-requests-remaining': String(hourly.requests - 1),
    'x-ratelimit-requests-reset': String(now + hour),
    'x-ratelimit-complexity-limit': String(hourly.complexity),
    'x-ratelimit-complexity-remaining': String(hourly.complexity - Math.ceil(cost)),
    'x-ratelimit-complexity-reset': String(now + hour),
  },
  body: body === undefined ? '' : JSON.stringify(body),
})
