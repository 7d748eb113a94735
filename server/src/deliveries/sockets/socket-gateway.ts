import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TwinReply, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { toTwinRequest } from '@diorama/twin-kit/wires/twin-request'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Log } from '../../storage/log.ts'
import type { Host } from '../../twins/host.ts'
import { forwardedHeader } from '../../twins/placement/other-nodes.ts'
import type { PlacedTwin } from '../../twins/placement/placed-twin.ts'
import { beatByTheWall, type Heartbeat, heartbeatOf } from './heartbeat.ts'
import type { Sockets } from './sockets.ts'

export interface SocketGatewayDeps {
  readonly host: Host
  readonly sockets: Sockets
  /** Where twins are reached. */
  readonly baseUrl: () => string
  readonly log: Log
}

/** Takes requests to upgrade that are below `/t/{twinId}`. */
export interface SocketGateway {
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** The same for a socket that came by another way, such as a trial's own gateway, with the host that it asked for. */
  readonly accept: (arrival: Arrival) => Promise<void>
  readonly close: () => void
}

export interface Arrival {
  readonly twin: PlacedTwin
  readonly incoming: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  readonly request: TwinRequest
  /** For a client that lives by another clock than ours: who lets it be pinged, and hears of what it says. */
  readonly owner?: SocketOwner
}

export interface SocketOwner {
  readonly opened: (heartbeat: Heartbeat) => void
  /** The time by the client's clock. */
  readonly now: () => number
  /** The client has sent a message; pings are none. */
  readonly heard: () => void
}

const maxMessageBytes = 1 << 20
const maxSockets = 5_000
const maxBufferedBytes = 4 << 20

export const createSocketGateway = ({ host, sockets, baseUrl, log }: SocketGatewayDeps): SocketGateway => {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
  })

  const accept = async ({ twin, incoming, socket, head, request, owner }: Arrival): Promise<void> => {
    if (sockets.size >= maxSockets) {
      refuse(socket, { status: 503, headers: { 'retry-after': '1' }, body: 'Too many sockets are open.' })
      return
    }
    const { reply } = await host.handle(twin, request)
    const rules = twin.model.sockets
    const { socket: opening } = reply
    if (!opening || !rules) {
      refuse(socket, reply.status === 101 ? { status: 426, headers: {}, body: '' } : reply)
      return
    }
    server.handleUpgrade(incoming, socket, head, (client) => {
      const heartbeat = owner && heartbeatOf(client, socket, owner.now)
      const open = sockets.open({ id: twin.id, rules }, opening, {
        send: (text) => {
          // A receiver that does not read is cut off rather than buffered for.
          if (client.bufferedAmount > maxBufferedBytes) client.terminate()
          else if (heartbeat) heartbeat.send(text, owner.now())
          else client.send(text)
        },
        close: (code, reason) => client.close(code, reason),
      })
      watch(client, open)
      if (!heartbeat) beatByTheWall(client)
      else {
        client.on('message', owner.heard)
        owner.opened(heartbeat)
      }
    })
  }

  const upgrade = async (incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const url = incoming.url ?? '/'
    const twinId = /^\/t\/([\w-]+)(?=[/?]|$)/.exec(url)?.[1]
    const found = twinId === undefined ? undefined : await host.find(twinId)
    if (found?.at === 'elsewhere' && incoming.headers[forwardedHeader] === undefined) {
      forwardUpgrade((onConnected) => host.nodes.connect(found.address, onConnected), incoming, socket, head)
      return
    }
    if (found?.at !== 'here' || twinId === undefined) {
      const status = found?.at === 'ended' ? 410 : found?.at === 'moving' ? 503 : 404
      refuse(socket, { status, headers: {}, body: 'There is no such twin.' })
      return
    }
    const request = toTwinRequest({
      method: incoming.method ?? 'GET',
      target: url.slice(`/t/${twinId}`.length),
      headers: incoming.headers,
      baseUrl: `${baseUrl()}/t/${twinId}`,
    })
    await accept({ twin: found.twin, incoming, socket, head, request })
  }

  return {
    accept,
    upgrade: (incoming, socket, head) => {
      socket.on('error', () => socket.destroy())
      upgrade(incoming, socket, head).catch((error) => {
        log.warn({ event: 'socket.failed', error }, 'A socket could not be opened.')
        socket.destroy()
      })
    },
    close: () => {
      for (const client of server.clients) client.terminate()
      server.close()
    },
  }
}

const watch = (
  client: WebSocket,
  { heard, ended }: { heard: (text: string) => void; ended: () => void },
): void => {
  client.on('message', (data, isBinary) => {
    if (!isBinary) heard(data.toString())
  })
  client.on('error', () => client.terminate())
  client.on('close', ended)
}

const refuse = (socket: Duplex, { status, headers, body }: TwinReply): void => {
  const bytes = Buffer.from(body)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
  const head = [
    `HTTP/1.1 ${status} Refused`,
    ...lines,
    'connection: close',
    `content-length: ${bytes.length}`,
  ]
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]))
}

/** Hands the connection on to the node that runs the twin, byte by byte. */
const forwardUpgrade = (
  connect: (onConnected: () => void) => Socket,
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void => {
  const onward = connect(() => {
    const lines = [`GET ${incoming.url ?? '/'} HTTP/1.1`, `${forwardedHeader}: 1`]
    for (let n = 0; n + 1 < incoming.rawHeaders.length; n += 2)
      lines.push(`${incoming.rawHeaders[n]}: ${incoming.rawHeaders[n + 1]}`)
    onward.write(`${lines.join('\r\n')}\r\n\r\n`)
    onward.write(head)
    onward.pipe(socket).pipe(onward)
  })
  onward.on('error', () => socket.destroy())
  socket.on('close', () => onward.destroy())
  onward.on('close', () => socket.destroy())
}
