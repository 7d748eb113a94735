import type { Fault, TwinReply } from '@diorama/twin-kit/kernel/twin'
import { answer } from './shapes/answer.ts'

const statuses = {
  unauthorized: 401,
  not_found: 404,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
  too_large: 413,
}

/** How a service answers when its host cannot. */
export const fault = ({ kind }: Fault): TwinReply => answer(statuses[kind], { error: kind })
