import type { clockRoutes } from '@diorama/contract/world-clock'
import { ApiError } from '../../http/api-error.ts'
import { Answer, type Handlers, type Incoming } from '../../http/handler.ts'
import { forwardedHeader, type OtherNodes } from '../../twins/placement/other-nodes.ts'
import type { RunBy, WorldTime } from './world-time.ts'

/** A move may have thousands of events on its way. */
const timeoutMs = 300_000

/** The time of a world is answered for by the node that runs it; another node sends the request on. */
export const clockHandlers = (time: WorldTime, nodes: OtherNodes): Handlers<typeof clockRoutes> => ({
  readWorldClock: async (incoming) => {
    const { caller, params } = incoming
    return answered(nodes, await time.read(caller, params.worldId), incoming, 'GET', 'clock')
  },
  moveWorldClock: async (incoming) => {
    const { caller, params, body } = incoming
    return answered(nodes, await time.move(caller, params.worldId, body), incoming, 'POST', 'clock')
  },
  listWorldEvents: async (incoming) => {
    const { caller, params } = incoming
    return answered(nodes, await time.events(caller, params.worldId), incoming, 'GET', 'events')
  },
  addWorldEvent: async (incoming) => {
    const { caller, params, body } = incoming
    return answered(
      nodes,
      await time.addEvent(caller, params.worldId, body.event),
      incoming,
      'POST',
      'events',
    )
  },
})

const answered = async <T>(
  nodes: OtherNodes,
  by: RunBy<T>,
  { params, headers, bytes }: Pick<Incoming, 'headers' | 'bytes'> & { params: { worldId: string } },
  method: 'GET' | 'POST',
  what: 'clock' | 'events',
): Promise<T | Answer<Uint8Array>> => {
  if ('here' in by) return by.here
  if (headers[forwardedHeader] !== undefined)
    throw new ApiError('unavailable', 'The world is moving to another node.', { retryAfterSeconds: 1 })
  const url = `/v1/builder/worlds/${encodeURIComponent(params.worldId)}/${what}`
  // The bytes come without the encoding in which they were sent.
  const { 'content-encoding': _, 'accept-encoding': __, ...rest } = headers
  const there = await nodes.forward(by.at, { method, url, headers: rest, body: bytes, timeoutMs })
  return new Answer(there.status, there.body, { 'content-type': 'application/json; charset=utf-8' })
}
