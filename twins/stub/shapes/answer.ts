import type { TwinReply } from '@diorama/twin-kit/kernel/twin'

/** A reply as JSON; an absent body is an empty one. */
export const answer = (status: number, body?: unknown): TwinReply => ({
  status,
  headers: body === undefined ? {} : { 'content-type': 'application/json' },
  body: body === undefined ? '' : JSON.stringify(body),
})
