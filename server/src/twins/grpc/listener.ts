import { once } from 'node:events'
import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { Log } from '../../storage/log.ts'
import type { Host } from '../host.ts'
import { type Callee, codes, converse, createHold, end, maxCalls } from './conversation.ts'

export interface GrpcDeps {
  readonly host: Host
  readonly log: Log
  readonly baseUrl: () => string
}

/** Calls to twins by gRPC: HTTP/2 without TLS, behind the deployment's own proxy. */
export interface GrpcListener {
  readonly listen: (at: { readonly host: string; readonly port: number }) => Promise<number>
  readonly close: () => Promise<void>
}

export const openGrpcListener = (deps: GrpcDeps): GrpcListener => {
  const server: Http2Server = createServer({ settings: { maxConcurrentStreams: maxCalls } })
  const sessions = new Set<{ close: () => void; destroy: () => void }>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    const hold = createHold()
    session.on('stream', (stream, headers) => {
      stream.on('error', () => undefined)
      serve(deps, hold, stream, headers).catch((error: unknown) => {
        deps.log.error({ event: 'grpc.failed', error }, 'A call by gRPC failed.')
        end(stream, codes.internal, 'Internal error')
      })
    })
  })
  return {
    listen: async ({ host, port }) => {
      server.listen(port, host)
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    },
    close: async () => {
      for (const session of sessions) session.destroy()
      if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** A call names its twin by the twin's address, which is somewhere in its metadata. */
const twinIdIn = (headers: IncomingHttpHeaders): string | undefined => {
  for (const [name, value] of Object.entries(headers)) {
    const found = name.startsWith(':') ? undefined : /\/t\/(\w+)(?:\/|$)/.exec(String(value))?.[1]
    if (found !== undefined) return found
  }
  return undefined
}

const serve = async (
  deps: GrpcDeps,
  hold: Callee['hold'],
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): Promise<void> => {
  const id = twinIdIn(headers)
  const found = id === undefined ? undefined : await deps.host.find(id)
  if (!found || found.at === 'nowhere' || found.at === 'ended')
    return end(stream, codes.notFound, 'No metadata holds the address of a twin that runs')
  if (found.at !== 'here')
    return end(stream, codes.unavailable, 'The twin runs on another node; call that one')
  const baseUrl = `${deps.baseUrl()}/t/${found.twin.id}`
  await converse({ host: deps.host, twin: found.twin, baseUrl, hold }, stream, headers)
}
