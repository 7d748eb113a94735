import type { deliveryRoutes } from '@diorama/contract/deliveries'
import type { Handlers } from '../http/handler.ts'
import type { Metrics } from '../http/metrics.ts'
import { every } from '../http/schedule.ts'
import type { Log } from '../storage/log.ts'
import type { Storage } from '../storage/storage.ts'
import type { TwinRuntime } from '../twins/open.ts'
import { createAddressRules } from './address-rules.ts'
import { createControls } from './controls.ts'
import { type Dispatcher, openDispatcher } from './dispatcher.ts'
import { createForwarders } from './forwarders.ts'
import { openHttpTransport } from './http-transport.ts'
import { createIngresses, type Ingresses } from './ingresses.ts'
import { type DeliveryRouteDeps, deliveryHandlers } from './routes.ts'
import { createSocketGateway, type SocketGateway } from './sockets/socket-gateway.ts'
import { createSockets } from './sockets/sockets.ts'
import { deliveryStore } from './store.ts'

export interface DeliveryDeps {
  readonly storage: Storage
  readonly runtime: TwinRuntime
  /** Where deliveries outside trials may go. */
  readonly allow: readonly string[]
  /** Of what waits for one receiver. */
  readonly maxPending: number
  /** Where twins are reached. */
  readonly baseUrl: () => string
  readonly holder: string
  readonly metrics: Metrics
  readonly log: Log
  readonly now: () => number
}

/** What twins send on their own: the outbox, its dispatcher and its routes. */
export interface Deliveries {
  readonly handlers: Handlers<typeof deliveryRoutes>
  readonly dispatcher: Dispatcher
  /** The agents of trials that can be called. */
  readonly ingresses: Ingresses
  readonly sockets: SocketGateway
  /** What these twins still have to send: nothing is due when `count` is 0. For callers that wait until a world is quiet. */
  readonly pendingWork: (twinIds: readonly string[]) => Promise<PendingWork>
  readonly start: () => void
  readonly close: () => Promise<void>
}

export interface PendingWork {
  readonly count: number
  /** When the next attempt is due; null where there is none. */
  readonly nextAt: Date | null
}

const sweepMs = 1_000
const topic = 'deliveries'

export const openDeliveries = (deps: DeliveryDeps): Deliveries => {
  const { storage, runtime, allow, holder, metrics, log, now } = deps
  const store = deliveryStore(storage.db, storage.pool)
  const http = openHttpTransport(createAddressRules(allow))
  const ingresses = createIngresses()
  const sockets = createSockets()
  const forwarders = createForwarders(now, storage.makeId)
  const dispatcher = openDispatcher({
    ...{ store, holder, log, now, host: runtime.host, maxPending: deps.maxPending },
    receiverTime: ({ row }) => ingresses.timeOf(row.trial_id),
    transports: {
      http: {
        send: (outgoing) => {
          if (outgoing.twin.row.trial_id !== null) return ingresses.send(outgoing)
          return (forwarders.isAttached(outgoing.twin.id) ? forwarders : http).send(outgoing)
        },
      },
      socket: sockets,
    },
  })
  const gateway = createSocketGateway({ host: runtime.host, sockets, baseUrl: deps.baseUrl, log })
  metrics.gauge('twin_sockets', 'Sockets that receivers have open to twins.', () => sockets.size)
  runtime.onCommitted(dispatcher.committed)
  const stopListening = storage.wake.on(topic, (twinId) => {
    if (twinId === undefined || !runtime.host.here(twinId)) return
    dispatcher
      .sweepTwin(twinId)
      .catch((error) => log.warn({ event: 'delivery.sweep_failed', twin: twinId, error }, 'A sweep failed.'))
  })
  metrics.gauge('deliveries_held', 'Deliveries in memory that wait or are under way.', () => dispatcher.size)
  metrics.gauge('deliveries_running', 'Attempts to deliver that are under way.', () => dispatcher.running)
  const requireTwin: DeliveryRouteDeps['requireTwin'] = runtime.twins.require
  let stop: (() => Promise<void>) | undefined
  return {
    handlers: deliveryHandlers({
      store,
      requireTwin,
      forwarders,
      host: runtime.host,
      controls: createControls({ host: runtime.host, baseUrl: deps.baseUrl }),
      wake: (twinId) => storage.wake.send(topic, twinId),
    }),
    dispatcher,
    ingresses,
    sockets: gateway,
    pendingWork: async (twinIds) =>
      twinIds.length === 0 ? { count: 0, nextAt: null } : store.pending(twinIds),
    start: () => {
      stop = every(sweepMs, dispatcher.sweep, log)
    },
    close: async () => {
      stopListening()
      await stop?.()
      await dispatcher.close()
      sockets.close()
      gateway.close()
      http.close()
    },
  }
}
