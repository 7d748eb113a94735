import type { Delivery, deliveryRoutes } from '@diorama/contract/deliveries'
import { ApiError, notFound } from '../http/api-error.ts'
import type { Caller, Handlers } from '../http/handler.ts'
import type { Host } from '../twins/host.ts'
import { isLive } from '../twins/placement/placements.ts'
import type { TwinRow } from '../twins/store.ts'
import { type Controls, onOwner } from './controls.ts'
import type { AttemptDetail } from './delivery.ts'
import type { Forwarders } from './forwarders.ts'
import type { AttemptRow, DeliveryRow, DeliveryStore } from './store.ts'

export interface DeliveryRouteDeps {
  readonly store: DeliveryStore
  readonly requireTwin: (organizationId: string, id: string) => Promise<TwinRow>
  readonly controls: Controls
  readonly forwarders: Forwarders
  readonly host: Host
  /** Has what is due of a twin sent now, whichever node runs it. */
  readonly wake: (twinId: string) => Promise<void>
}

export const deliveryHandlers = ({
  store,
  requireTwin,
  controls,
  forwarders,
  host,
  wake,
}: DeliveryRouteDeps): Handlers<typeof deliveryRoutes> => {
  const twinOf = (caller: Caller, params: { twinId: string }) =>
    requireTwin(caller.organizationId, params.twinId)
  const required = async (params: { twinId: string; deliveryId: string }): Promise<DeliveryRow> => {
    const row = await store.find(params.twinId, params.deliveryId)
    if (!row) throw notFound('delivery')
    return row
  }
  return {
    readTwinSettings: async (incoming) =>
      controls.run(await twinOf(incoming.caller, incoming.params), 'readSettings', {
        ...incoming,
        method: 'GET',
        path: 'settings',
        body: {},
      }),
    writeTwinSettings: async (incoming) =>
      controls.run(await twinOf(incoming.caller, incoming.params), 'writeSettings', {
        ...incoming,
        method: 'PUT',
        path: 'settings',
      }),
    interactWithTwin: async (incoming) =>
      controls.run(await twinOf(incoming.caller, incoming.params), 'interact', {
        ...incoming,
        method: 'POST',
        path: 'interactions',
      }),
    takeTwinForwards: async (incoming) => {
      const row = await twinOf(incoming.caller, incoming.params)
      const request = { ...incoming, method: 'POST', path: 'forwarding' }
      return onOwner(host, row, request, async () => ({
        items: (await forwarders.take(row.id, incoming.signal)).map((one) => ({
          ...one,
          headers: { ...one.headers },
        })),
      }))
    },
    answerTwinForward: async (incoming) => {
      const row = await twinOf(incoming.caller, incoming.params)
      const { attemptId } = incoming.params
      const request = { ...incoming, method: 'POST', path: `forwarding/${encodeURIComponent(attemptId)}` }
      return onOwner(host, row, request, async () => ({
        accepted: forwarders.answer(row.id, attemptId, incoming.body),
      }))
    },
    listTwinDeliveries: async ({ caller, params, query: { limit, cursor, ...filter } }) => {
      await twinOf(caller, params)
      const { items, nextCursor } = await store.list(params.twinId, filter, { limit, cursor })
      return { items: items.map(shown), next_cursor: nextCursor }
    },
    readTwinDelivery: async ({ caller, params }) => {
      await twinOf(caller, params)
      const row = await required(params)
      const tries = await store.attemptsOf(params.twinId, row.id)
      return { ...shown(row), payload: JSON.parse(row.emission).payload, tries: tries.map(shownAttempt) }
    },
    resendTwinDelivery: async ({ caller, params }) => {
      const twin = await twinOf(caller, params)
      const row = await required(params)
      if (!isLive(twin)) throw new ApiError('conflict', `The twin is ${twin.status}; it sends nothing.`)
      if (row.epoch !== twin.epoch)
        throw new ApiError('conflict', 'The twin was reset since; the delivery belongs to its life before.')
      await store.resend(twin.id, row.id)
      await wake(twin.id)
      return shown(await required(params))
    },
  }
}

const shown = (row: DeliveryRow): Delivery => ({
  id: row.id,
  twin_id: row.twin_id,
  cause: row.cause,
  channel: row.channel,
  kind: row.kind,
  receiver: row.receiver,
  emission_id: row.emission_id,
  url: row.url,
  status: row.status,
  attempts: row.attempts,
  fault: row.fault as Delivery['fault'],
  response_status: row.answer_status,
  created_at: row.created_at.toISOString(),
  next_attempt_at: row.next_at?.toISOString() ?? null,
  settled_at: row.settled_at?.toISOString() ?? null,
})

const shownAttempt = (row: AttemptRow) => {
  const { request, response, error } = JSON.parse(row.detail) as AttemptDetail
  return {
    number: row.number,
    at: row.at.toISOString(),
    duration_ms: Math.round(row.duration_ms * 1_000) / 1_000,
    fault: row.fault as Delivery['fault'],
    error,
    request,
    response: response && { status: row.status ?? 0, ...response },
  }
}
