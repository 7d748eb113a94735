import type { FastifyInstance, FastifyRequest } from 'fastify'
import { consoleHeader } from './session-cookie.ts'

const probes = ['/healthz', '/readyz']

/**
 * With an origin for twins, each side of the service is served under its own host name alone: a page of a twin is
 * never of the console's origin, whatever a proxy in front routes here. The console's own scripts may still fetch a
 * twin's files; a page that is opened or embedded cannot send their header.
 */
export const separateTwinOrigin = (edge: FastifyInstance, twinOrigin: string): void => {
  const { host } = new URL(twinOrigin)
  edge.addHook('onRequest', (request, reply, done) => {
    const path = pathOf(request)
    const isTwin = path === '/t' || path.startsWith('/t/')
    const onTwinHost = request.headers.host?.toLowerCase() === host
    const isConsole = isTwin && request.headers[consoleHeader] !== undefined
    if (isTwin === onTwinHost || isConsole || probes.includes(path)) return done()
    const error = isTwin ? `Twins are served at ${twinOrigin}.` : 'Only twins are served here.'
    void reply
      .status(404)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify({ error, code: 'not_found', request_id: request.id }))
  })
}

const pathOf = (request: FastifyRequest): string => {
  const url = request.raw.url ?? '/'
  const mark = url.indexOf('?')
  return mark === -1 ? url : url.slice(0, mark)
}
