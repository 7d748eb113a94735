import type { TableView } from '@diorama/twin-kit/kernel/table'
import { type Operation, operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import type { CustomField } from '../schema/customization.ts'
import { type CrmTables, customizationTable } from '../tables.ts'
import { publish, type SubscriberRow, startCapture, subscribers } from './log.ts'

/** An event that the organization defines; its name ends in `__e`. */
export interface PlatformEvent {
  readonly name: string
  readonly label?: string
  readonly fields: readonly CustomField[]
}

type Views = Readonly<Record<string, TableView>>

export const platformEventsIn = (views: Views): readonly PlatformEvent[] => {
  const row = views[customizationTable]?.get('customization') as
    | { platformEvents?: PlatformEvent[] }
    | undefined
  return row?.platformEvents ?? []
}

export const platformEvent = (views: Views, name: string): PlatformEvent | undefined =>
  platformEventsIn(views).find((event) => event.name.toLowerCase() === name.toLowerCase())

const jsonTypes: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  int: 'number',
  double: 'number',
  currency: 'number',
  percent: 'number',
}

/** The fields of an event that is published, under the names that its definition gives them. */
const fieldsOf = (
  event: PlatformEvent,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (name.toLowerCase() === 'attributes') continue
    const field = event.fields.find((one) => one.name.toLowerCase() === name.toLowerCase())
    if (!field)
      throw new VendorError('INVALID_FIELD', `No such column '${name}' on sobject of type ${event.name}`)
    if (value === null) continue
    if (typeof value !== (jsonTypes[field.type] ?? 'string'))
      throw new VendorError(
        'JSON_PARSER_ERROR',
        `Cannot deserialize the value of ${field.name} as ${field.type}`,
      )
    fields[field.name] = value
  }
  const missing = event.fields.filter(({ name, required }) => required === true && fields[name] === undefined)
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name)
    throw new VendorError('REQUIRED_FIELD_MISSING', `Required fields are missing: [${names.join(', ')}]`, {
      data: { fields: names },
    })
  }
  return fields
}

export interface Published {
  readonly uuid: string
  readonly replayId: number
}

const publishEvent: Operation = operation<CrmTables, { name: string; fields: Record<string, unknown> }>({
  effect: 'write',
  run: (call, { name, fields }): Published => {
    const event = platformEvent(call.tables, name)
    if (!event) throw new VendorError('NOT_FOUND', 'The requested resource does not exist', { status: 404 })
    const payload = {
      CreatedDate: new Date(call.now).toISOString(),
      CreatedById: call.actor?.id ?? '',
      ...Object.fromEntries(event.fields.map((field) => [field.name, null])),
      ...fieldsOf(event, fields),
    }
    const { uuid, replayId } = publish(call, { topic: event.name, kind: 'platform', payload })
    return { uuid, replayId }
  },
})

const maxClients = 1_000
const update = <I extends { id: string }>(
  change: (row: SubscriberRow, input: I) => Partial<SubscriberRow>,
): Operation =>
  operation<CrmTables, I>({
    effect: 'write',
    run: (call, input) => {
      const row = subscribers(call).get(input.id)
      if (row) subscribers(call).update(row.id, change(row, input))
    },
  })

type Positions = Readonly<Record<string, number>>

/** What clients of the streaming API do to their subscriptions, and the publishing of events. */
export const streamingOperations: Readonly<Record<string, Operation>> = {
  'publish event': publishEvent,
  'start capture': operation<CrmTables, unknown>({ effect: 'write', run: (call) => startCapture(call) }),
  'cometd handshake': operation<CrmTables, unknown>({
    effect: 'write',
    run: (call) => {
      startCapture(call)
      const clients = subscribers(call)
      const [oldest] = clients.find('all', 'all')
      if (clients.size() >= maxClients && oldest) clients.delete(oldest.id)
      const id = call.draw('streaming client').slice(0, 24)
      const opened = call.sequence('streaming client')
      clients.insert({ id, userId: call.actor?.id ?? '', opened, connected: false, positions: {} })
      return id
    },
  }),
  'cometd connect': update<{ id: string; positions: Positions }>((_row, { positions }) => ({
    connected: true,
    positions,
  })),
  'cometd subscribe': update<{ id: string; positions: Positions }>((row, { positions }) => ({
    positions: { ...row.positions, ...positions },
  })),
  'cometd unsubscribe': update<{ id: string; channels: readonly string[] }>((row, { channels }) => ({
    positions: Object.fromEntries(
      Object.entries(row.positions).filter(([channel]) => !channels.includes(channel)),
    ),
  })),
  'cometd disconnect': operation<CrmTables, { id: string }>({
    effect: 'write',
    run: (call, { id }) => {
      if (subscribers(call).has(id)) subscribers(call).delete(id)
    },
  }),
}
