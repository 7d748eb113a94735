import { z } from 'zod'
import { pageOf, pageQuery, Timestamp } from './pages.ts'
import { routes } from './route.ts'

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'dropped'] as const
export const DeliveryStatus = z.enum(deliveryStatuses).meta({
  description:
    'pending: an attempt is due or under way. delivered: the receiver accepted it. failed: no attempt is left. dropped: the twin was reset or has ended, or too many waited for the receiver.',
})

const faults = [
  'timeout',
  'connection',
  'tls',
  'status',
  'refused',
  'no_receiver',
  'closed',
  'backlog',
] as const
const Fault = z.enum(faults).meta({
  description:
    'Why an attempt failed: no answer in time, no connection, a certificate, an answer that the service does not accept, an address that the deployment does not allow, no client connected, or a socket that closed. `backlog`: too many waited for this receiver, and it was dropped.',
})

const deliveryFields = {
  id: z.string(),
  twin_id: z.string(),
  cause: z.string().meta({ description: 'The request id of the step that caused it; see activity.' }),
  channel: z.string().meta({ description: 'By which rules it is delivered, such as `events`.' }),
  kind: z.string().meta({ description: 'What it is, in the words of the service.' }),
  receiver: z.string().meta({ description: 'The native id of the app or webhook that gets it.' }),
  emission_id: z.string().meta({ description: 'The id by which the receiver recognizes a repeat.' }),
  url: z.string().nullable().meta({ description: 'Null where it goes out on a socket.' }),
  status: DeliveryStatus,
  attempts: z.int(),
  fault: Fault.nullable(),
  response_status: z.int().nullable(),
  created_at: Timestamp,
  next_attempt_at: Timestamp.nullable(),
  settled_at: Timestamp.nullable(),
}

export const Delivery = z.object(deliveryFields).meta({ id: 'Delivery' })
export type Delivery = z.infer<typeof Delivery>

const Message = { headers: z.record(z.string(), z.string()), body: z.string() }
export const DeliveryAttempt = z
  .object({
    number: z.int(),
    at: Timestamp,
    duration_ms: z.number(),
    fault: Fault.nullable(),
    error: z.string().nullable().meta({ description: 'What went wrong, as a sentence.' }),
    request: z.object({ method: z.string(), ...Message }),
    response: z.object({ status: z.int(), ...Message }).nullable(),
  })
  .meta({ id: 'DeliveryAttempt' })

export const DeliveryDetail = z
  .object({
    ...deliveryFields,
    payload: z.record(z.string(), z.unknown()),
    tries: z.array(DeliveryAttempt).meta({ description: 'Oldest first.' }),
  })
  .meta({ id: 'DeliveryDetail' })
export type DeliveryDetail = z.infer<typeof DeliveryDetail>

export const ForwardedAttempt = z
  .object({
    id: z.string(),
    kind: z.string().meta({ description: 'What it is, in the words of the service.' }),
    emission_id: z.string(),
    method: z.string(),
    url: z.string().meta({ description: 'Where it was addressed to; keep the path.' }),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
    timeout_ms: z.int().meta({ description: 'How long the receiver may take.' }),
  })
  .meta({ id: 'ForwardedAttempt' })

const ForwardedAnswer = z.object({
  status: z
    .int()
    .min(100)
    .max(599)
    .optional()
    .meta({ description: 'Left out where the receiver was not reached.' }),
  headers: z.record(z.string().max(200), z.string().max(8_192)).default({}),
  body: z.string().max(1_048_576).default(''),
  error: z.string().max(1_000).optional().meta({ description: 'Why the receiver was not reached.' }),
})

const twinParams = z.object({ twinId: z.string() })
const deliveryParams = z.object({ twinId: z.string(), deliveryId: z.string() })

const nativeObject = z.record(z.string(), z.unknown())

export const deliveryRoutes = routes({
  readTwinSettings: {
    method: 'GET',
    path: '/v1/twins/{twinId}/settings',
    tag: 'Twins',
    summary:
      "The twin's settings for the programs it calls: addresses, subscribed events, secrets. In the words of its service.",
    scope: 'twins:write',
    params: twinParams,
    reply: nativeObject,
    errors: ['not_found', 'conflict', 'gone', 'unavailable'],
  },
  writeTwinSettings: {
    method: 'PUT',
    path: '/v1/twins/{twinId}/settings',
    tag: 'Twins',
    summary: 'Change settings of the twin; what is left out stays as it is. Recorded as a step.',
    scope: 'twins:write',
    params: twinParams,
    body: nativeObject,
    reply: nativeObject,
    errors: ['not_found', 'conflict', 'gone', 'unavailable', 'invalid_reference'],
  },
  interactWithTwin: {
    method: 'POST',
    path: '/v1/twins/{twinId}/interactions',
    tag: 'Twins',
    summary:
      "Do what a person does on the service's own screens, such as pressing a button. Recorded as a step of that person.",
    scope: 'twins:write',
    params: twinParams,
    body: nativeObject,
    reply: nativeObject,
    errors: ['not_found', 'conflict', 'gone', 'unavailable', 'invalid_reference'],
  },
  takeTwinForwards: {
    method: 'POST',
    path: '/v1/twins/{twinId}/forwarding',
    tag: 'Twins',
    summary:
      'Wait for deliveries of the twin and make them yourself, from a machine that cannot be called. While you ask, they go to you alone.',
    scope: 'twins:write',
    params: twinParams,
    reply: z.object({ items: z.array(ForwardedAttempt) }),
    errors: ['not_found', 'gone', 'unavailable'],
  },
  answerTwinForward: {
    method: 'POST',
    path: '/v1/twins/{twinId}/forwarding/{attemptId}',
    tag: 'Twins',
    summary: 'Report what the receiver answered to a delivery that you made.',
    scope: 'twins:write',
    params: z.object({ twinId: z.string(), attemptId: z.string() }),
    body: ForwardedAnswer,
    reply: z.object({ accepted: z.boolean().meta({ description: 'False where it came too late.' }) }),
    errors: ['not_found', 'gone', 'unavailable'],
  },
  listTwinDeliveries: {
    method: 'GET',
    path: '/v1/twins/{twinId}/deliveries',
    tag: 'Twins',
    summary: 'What the twin has sent or will send: events, webhooks, pressed buttons. Newest first.',
    scope: 'twins:read',
    params: twinParams,
    query: z.object({
      ...pageQuery,
      status: DeliveryStatus.optional(),
      kind: z.string().max(200).optional(),
      cause: z.string().max(100).optional().meta({ description: 'The request id of a step.' }),
    }),
    reply: pageOf(Delivery),
    errors: ['not_found', 'invalid_cursor'],
  },
  readTwinDelivery: {
    method: 'GET',
    path: '/v1/twins/{twinId}/deliveries/{deliveryId}',
    tag: 'Twins',
    summary: 'One delivery in full, with every attempt and its answer.',
    scope: 'twins:read',
    params: deliveryParams,
    reply: DeliveryDetail,
    errors: ['not_found'],
  },
  resendTwinDelivery: {
    method: 'POST',
    path: '/v1/twins/{twinId}/deliveries/{deliveryId}/resend',
    tag: 'Twins',
    summary: 'Send a delivery once more, with the same id, whether or not it was delivered before.',
    scope: 'twins:write',
    params: deliveryParams,
    status: 202,
    reply: Delivery,
    errors: ['not_found', 'conflict'],
  },
})
