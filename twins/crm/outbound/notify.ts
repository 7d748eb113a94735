import type { Change, Changes } from '@diorama/twin-kit/kernel/diff'
import type { Row } from '@diorama/twin-kit/kernel/table'
import { type Call, integration } from '@diorama/twin-kit/kernel/twin'
import { organizationId } from '../actor.ts'
import { readMoment } from '../dates.ts'
import { base62, eighteen } from '../ids.ts'
import { orgOf } from '../records/org.ts'
import type { Org } from '../records/organization.ts'
import type { ObjectSchema, SchemaIn } from '../schema/schema.ts'
import { binTable, type CrmTables, personTable, tableOf } from '../tables.ts'
import { conditionOf } from './messages.ts'
import { type OutboundRow, outboundIn } from './table.ts'

/** Notifications in one message. */
const maxNotifications = 100

/** Sends the outbound messages of the rules that a step's changes meet, those of one rule together. */
export const sendMessages =
  (schemaIn: SchemaIn) =>
  (call: Call<CrmTables>, changes: () => Changes): void => {
    const messages = outboundIn(call.tables)
    if (messages.length === 0) return
    const schema = schemaIn(call.tables)
    const org = orgOf({
      ...{ schema, tables: call.tables, now: call.now, baseUrl: call.baseUrl },
      userId: call.actor?.id ?? '',
      asSystem: true,
    })
    const all = changes()
    for (const message of messages) {
      const object = schema.object(message.object)
      if (!object) continue
      const records = triggered(org, object, message, all)
      for (let from = 0; from < records.length; from += maxNotifications)
        emit(call, message, records.slice(from, from + maxNotifications))
    }
  }

/** The records that set a rule off, with the fields that its message names. */
const triggered = (org: Org, object: ObjectSchema, message: OutboundRow, changes: Changes): Row[] => {
  const meets = conditionOf(org, object, message.condition)
  const restored = new Set(
    changes
      .filter(({ collection, operation }) => collection === binTable && operation === 'delete')
      .map(({ id }) => id),
  )
  const isDue = ({ collection, operation, id, before, after }: Change): boolean => {
    if (collection !== object.name || !after || restored.has(id) || !meets(after)) return false
    if (operation === 'create') return true
    if (message.triggerType === 'onCreateOnly') return false
    return message.triggerType === 'onAllChanges' || !meets(before ?? {})
  }
  return changes.filter(isDue).map(({ id, after }) => ({
    Id: id,
    ...Object.fromEntries(
      message.fields
        .filter((name) => name !== 'Id')
        .toSorted()
        .flatMap((name) => {
          const field = object.field(name)
          const value = field && after ? org.read(object, field)(after) : undefined
          return value === undefined || value === null ? [] : [[name, written(field?.type ?? '', value)]]
        }),
    ),
  }))
}

const written = (type: string, value: unknown): unknown => {
  const ms = type === 'datetime' ? readMoment(String(value)) : undefined
  return ms === undefined ? value : new Date(ms).toISOString()
}

const emit = (call: Call<CrmTables>, message: OutboundRow, records: readonly Row[]): void => {
  const organization = organizationId(call.tables)
  const notifications = records.map((record) => ({
    id: eighteen(`04l${base62(call.sequence('outbound notification'), 12)}`),
    record,
  }))
  const base = call.baseUrl === '' ? message.baseUrl : call.baseUrl
  const session = message.includeSessionId ? sessionOf(call, message.integrationUser) : undefined
  call.emit({
    id: notifications[0]?.id ?? '',
    channel: 'outbound_messages',
    kind: `${message.object} ${message.name}`,
    receiver: message.actionId,
    url: message.endpointUrl,
    ...(session === undefined ? {} : { secret: session }),
    payload: {
      organizationId: organization,
      actionId: message.actionId,
      enterpriseUrl: `${base}/services/Soap/c/62.0/${organization.slice(0, 15)}`,
      partnerUrl: `${base}/services/Soap/u/62.0/${organization.slice(0, 15)}`,
      object: message.object,
      notifications,
    },
  })
}

/** The session id of the user as whom the message is sent. */
const sessionOf = (call: Call<CrmTables>, userName: string | null): string | undefined => {
  const user =
    userName === null ? undefined : tableOf(call.tables, 'User').first('Username', userName.toLowerCase())
  const person = user && [...tableOf(call.tables, personTable).all()].find(({ userId }) => userId === user.Id)
  const subject = userName === null ? integration : person?.subject
  return call.principals.find((one) => one.subject === subject)?.token
}
