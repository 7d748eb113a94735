import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const closeWithinMs = 10_000
/** A request may be on its way on a connection that was just opened. */
const unusedForMs = 100

/**
 * Lets running requests finish. Clients and browsers open connections ahead of need, and a server waits for those as if
 * a request were running on them: here they are closed. Connections that do not end on their own are cut after a while.
 */
export const edgeCloser = (edge: FastifyInstance): (() => Promise<void>) => {
  const unused = new Set<Socket>()
  edge.server.on('connection', (socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  const used = ({ socket }: { socket: Socket }) => unused.delete(socket)
  edge.server.prependListener('request', used)
  edge.server.prependListener('upgrade', used)
  return async () => {
    const timers = [
      setTimeout(() => {
        for (const socket of unused) if (socket.bytesRead === 0) socket.destroy()
      }, unusedForMs),
      setTimeout(() => edge.server.closeAllConnections(), closeWithinMs),
    ]
    try {
      await edge.close()
    } finally {
      for (const timer of timers) clearTimeout(timer)
    }
  }
}
