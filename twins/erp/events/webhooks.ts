import type { DeliveryChannel } from '@diorama/twin-kit/kernel/deliveries'
import type { TableView, WritableTable } from '@diorama/twin-kit/kernel/table'
import { table } from '@diorama/twin-kit/kernel/table'
import { type Call, operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow } from '@diorama/twin-kit/wires/odata/model'
import { z } from 'zod'
import { eventTypes } from './documents.ts'

export const webhookTable = 'event_webhook'

/** Where business events are sent. */
export interface WebhookRow {
  readonly id: string
  readonly url: string
  /** Types of events, or beginnings of them that end in an asterisk. */
  readonly events: readonly string[]
  /** The Authorization header of every delivery. */
  readonly authorization: string | null
}

export const eventTables = {
  [webhookTable]: table<EdmRow>({
    key: 'id',
    row: { parse: (value) => value as EdmRow },
    internal: true,
    sparse: true,
  }),
}

type Tables = Readonly<Record<string, TableView>>
export const webhooksIn = (tables: Tables): WebhookRow[] => [
  ...(tables[webhookTable] as unknown as TableView<WebhookRow & EdmRow>).all(),
]

/**
 * Webhook subscriptions of the event broker: CloudEvents in structured mode, at least once. What is not acknowledged with
 * a success is sent again, at growing intervals; the intervals are chosen.
 */
export const eventChannel: DeliveryChannel<Call> = {
  transport: 'http',
  timeoutMs: 30_000,
  retryAfterMs: [1_000, 10_000, 60_000, 300_000, 1_800_000, 7_200_000],
  concurrency: 1,
  request: ({ payload, secret }) => ({
    method: 'POST',
    headers: {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      ...(secret === undefined ? {} : { authorization: secret }),
    },
    body: JSON.stringify(payload),
  }),
}

const isKnown = (pattern: string): boolean =>
  pattern.endsWith('*')
    ? eventTypes.some((type) => type.startsWith(pattern.slice(0, -1)))
    : eventTypes.includes(pattern)

const Settings = z.strictObject({
  webhooks: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(100),
        url: z.url().max(2_000),
        events: z.array(z.string().max(200)).min(1).max(100).default(['sap.s4.beh.*']),
        authorization: z.string().max(4_000).nullable().default(null),
      }),
    )
    .max(50),
})

const read = (call: Call) => ({
  webhooks: webhooksIn(call.tables).map(({ authorization, ...webhook }) => ({
    ...webhook,
    hasAuthorization: authorization !== null,
  })),
  eventTypes,
})

/** What the administrator of the event broker sets: the webhooks replace those that were there. */
export const erpControls = {
  readSettings: operation({ effect: 'read', run: (call: Call) => read(call) }),
  writeSettings: operation({
    effect: 'write',
    input: Settings,
    run: (call: Call, { webhooks }: z.infer<typeof Settings>) => {
      const rows = call.tables[webhookTable] as WritableTable
      webhooks.forEach(({ id, events }, n) => {
        const pointer = `/webhooks/${n}`
        const unknown = events.findIndex((pattern) => !isKnown(pattern))
        if (unknown !== -1)
          throw new VendorError('unknown_event', 'The service raises no such event.', {
            data: { pointer: `${pointer}/events/${unknown}` },
          })
        if (webhooks.findIndex((other) => other.id === id) !== n)
          throw new VendorError('duplicate', 'Another webhook has this id.', {
            data: { pointer: `${pointer}/id` },
          })
      })
      for (const { id } of webhooksIn(call.tables)) rows.delete(id)
      for (const webhook of webhooks) rows.insert({ ...webhook })
      return read(call)
    },
  }),
}
