import { performServerHandshake } from 'node:http2'
import type { GatewayHttp2 } from '@diorama/sandbox/gateway/options'
import { type Callee, codes, converse, end, maxCalls } from '../../../twins/grpc/conversation.ts'
import type { TwinRuntime } from '../../../twins/open.ts'
import type { TwinRow } from '../../../twins/store.ts'
import type { RequestLog } from '../request-log.ts'
import { stepOf } from '../twin-answers.ts'

interface GrpcDeps {
  readonly runtime: TwinRuntime
  readonly settings: readonly { readonly row: TwinRow }[]
  readonly log: RequestLog
  readonly now: () => number
  /** The limit on what all calls of the trial may make the service keep. */
  readonly hold: Callee['hold']
  /** Called when the agent has sent something: the answer to it is on its way. */
  readonly spoke: () => void
}

/** Calls by gRPC to a real host name, answered by this trial's twin of that service; each message is a step. */
export const connectGrpc = (
  { runtime, settings, log, now, hold, spoke }: GrpcDeps,
  { host, service, socket }: GatewayHttp2,
): void => {
  const session = performServerHandshake(socket, { settings: { maxConcurrentStreams: maxCalls } })
  const lost = (reason: string) => log.stop({ by: 'platform', reason })
  session.on('error', () => socket.destroy())
  session.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    const answered = async (): Promise<void> => {
      const placed = settings.find(({ row }) => row.service === service)
      if (!placed) return end(stream, codes.unimplemented, 'The service has no calls by gRPC')
      const found = await runtime.host.find(placed.row.id)
      if (found.at !== 'here') {
        lost(`The ${service} twin was gone.`)
        return end(stream, codes.unavailable, 'The service is not available')
      }
      let began = now()
      const { twin } = found
      await converse(
        {
          ...{ host: runtime.host, twin, baseUrl: `https://${host}`, hold },
          admit: (bytes) => {
            spoke()
            began = now()
            return log.admit(bytes)
          },
          handled: (handled, path) => {
            if (handled.isPlatformFault) lost('A step could not be written to the ledger.')
            const request = { service, host, method: 'POST', path }
            log.add(stepOf({ handled, request, twinId: twin.id, began, now: now() }))
            began = now()
          },
        },
        stream,
        headers,
      )
    }
    answered().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      lost(`The ${service} twin could not answer: ${reason}`)
      end(stream, codes.internal, 'Internal error')
    })
  })
}
