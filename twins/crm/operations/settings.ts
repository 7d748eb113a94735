import type { WritableTable } from '@diorama/twin-kit/kernel/table'
import { type Call, operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { z } from 'zod'
import { base62, eighteen } from '../ids.ts'
import { appsIn, appTable, ConnectedAppSetting } from '../oauth/requests.ts'
import { checkedMessage } from '../outbound/messages.ts'
import { OutboundMessage, outboundIn, outboundTable } from '../outbound/table.ts'
import { orgOf } from '../records/org.ts'
import type { SchemaIn } from '../schema/schema.ts'

const Settings = z.strictObject({
  connectedApps: z.array(ConnectedAppSetting).max(50).optional(),
  outboundMessages: z.array(OutboundMessage).max(50).optional(),
})

const read = (call: Call) => ({
  connectedApps: [...appsIn(call.tables).all()].map(({ clientSecret, ...app }) => ({
    ...app,
    hasSecret: clientSecret !== null,
  })),
  outboundMessages: outboundIn(call.tables).map(({ baseUrl: _, ...message }) => message),
})

const refuseTwins = <I>(
  list: readonly I[],
  keyOf: (item: I) => string,
  pointer: (n: number) => string,
): void =>
  list.forEach((item, n) => {
    if (list.findIndex((other) => keyOf(other) === keyOf(item)) !== n)
      throw new VendorError('duplicate', 'Another one has this name.', { data: { pointer: pointer(n) } })
  })

const writeApps = (call: Call, apps: readonly z.infer<typeof ConnectedAppSetting>[]): void => {
  refuseTwins(
    apps,
    ({ clientId }) => clientId,
    (n) => `/connectedApps/${n}/clientId`,
  )
  const rows = call.tables[appTable] as WritableTable
  for (const { clientId } of [...appsIn(call.tables).all()]) rows.delete(clientId)
  for (const app of apps) rows.insert({ ...app })
}

const writeMessages = (
  call: Call,
  messages: readonly z.infer<typeof OutboundMessage>[],
  schemaIn: SchemaIn,
): void => {
  refuseTwins(
    messages,
    ({ name }) => name,
    (n) => `/outboundMessages/${n}/name`,
  )
  const schema = schemaIn(call.tables)
  const { tables, now, baseUrl } = call
  const org = orgOf({ schema, tables, now, baseUrl, userId: '', asSystem: true })
  const known = new Map(outboundIn(call.tables).map(({ name, actionId }) => [name, actionId]))
  const checked = messages.map((message, n) => checkedMessage(schema, org, message, `/outboundMessages/${n}`))
  const rows = call.tables[outboundTable] as WritableTable
  for (const name of known.keys()) rows.delete(name)
  for (const message of checked) {
    const actionId =
      known.get(message.name) ?? eighteen(`04k${base62(call.sequence('outbound message'), 12)}`)
    rows.insert({ ...message, actionId, baseUrl })
  }
}

/** What the setup pages are for. A list replaces the one that was there; one that is left out stays. */
export const crmControls = (schemaIn: SchemaIn) => ({
  readSettings: operation({ effect: 'read', run: (call: Call) => read(call) }),
  writeSettings: operation({
    effect: 'write',
    input: Settings,
    run: (call: Call, { connectedApps, outboundMessages }: z.infer<typeof Settings>) => {
      if (connectedApps) writeApps(call, connectedApps)
      if (outboundMessages) writeMessages(call, outboundMessages, schemaIn)
      return read(call)
    },
  }),
})
