import type { TwinReply } from '@diorama/twin-kit/kernel/twin'

/** Every reply of the pad is JSON. */
export const answer = (status: number, body: unknown): TwinReply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
