import { createHmac } from 'node:crypto'
import type { DeliveryChannel } from '@diorama/twin-kit/kernel/deliveries'
import { find, type TrackerCall } from '../context.ts'
import { changeRecord } from '../operations/records.ts'
import { day, hour, iso, minute, second } from '../values/times.ts'
import { uuidFrom } from '../values/uuid.ts'

/** How many deliveries may fail for good within a day before the service stops calling. */
const maxFailuresADay = 3
const maxKeptFailures = 50

/**
 * Webhooks: signed over the body, which holds the time of the attempt, so that a receiver can refuse old ones. Any answer
 * but 200 within five seconds is tried again after a minute, an hour and six hours.
 */
export const webhookChannel: DeliveryChannel<TrackerCall> = {
  transport: 'http',
  timeoutMs: 5 * second,
  retryAfterMs: [minute, hour, 6 * hour],
  request: ({ id, payload, secret = '' }, { at }) => {
    const body = JSON.stringify({ ...payload, webhookTimestamp: at })
    return {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Linear-Webhook',
        'linear-delivery': id,
        'linear-event': String(payload.type),
        'linear-timestamp': String(at),
        'linear-signature': createHmac('sha256', secret).update(body).digest('hex'),
      },
      body,
    }
  },
  judge: ({ status }) => (status === 200 ? 'delivered' : 'retry'),
  settles: 'failure',
  settled: (call, { id, receiver, url }, { answer, fault }) => {
    const now = iso(call.now)
    call.tables.webhookFailure.insert({
      id: uuidFrom(call.draw('webhook failure')),
      webhookId: receiver,
      executionId: id,
      url: url ?? '',
      httpStatus: answer?.status ?? null,
      responseOrError: (answer?.body ?? fault ?? '').slice(0, 1_000),
      createdAt: now,
    })
    const kept = [...call.tables.webhookFailure.find('webhookId', receiver)]
    for (const { id: old } of kept.slice(0, -maxKeptFailures)) call.tables.webhookFailure.delete(old)
    const recent = kept.filter(({ createdAt }) => createdAt > iso(call.now - day))
    if (recent.length >= maxFailuresADay) disable(call, receiver)
  },
}

const disable = (call: TrackerCall, receiver: string): void => {
  const webhook = find(call, 'Webhook', receiver)
  const app = find(call, 'OAuthApplication', receiver)
  if (webhook) changeRecord(call, 'Webhook', webhook, { enabled: false })
  if (app) changeRecord(call, 'OAuthApplication', app, { webhookEnabled: false })
}
