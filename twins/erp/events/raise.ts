import type { Change, Changes } from '@diorama/twin-kit/kernel/diff'
import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { ErpTables } from '../tables.ts'
import { type EventedObject, eventedObjects, eventTypeOf } from './documents.ts'
import { type WebhookRow, webhooksIn } from './webhooks.ts'

/** Raises one event for each document that a step created, changed or deleted, in the order of the changes. */
export const raiseEvents = (call: Call<ErpTables>, changes: () => Changes): void => {
  const webhooks = webhooksIn(call.tables)
  if (webhooks.length === 0) return
  for (const { object, task, row } of touched(changes())) {
    const type = eventTypeOf(object, task)
    const listening = webhooks.filter((webhook) => hears(webhook, type))
    if (listening.length > 0) raise(call, { type, data: dataOf(call, object, row) }, listening)
  }
}

interface Touched {
  readonly object: EventedObject
  readonly task: 'Created' | 'Changed' | 'Deleted'
  readonly row: Row
}

const touched = (changes: Changes): Iterable<Touched> => {
  const documents = new Map<string, Touched>()
  for (const change of changes) {
    const object = eventedObjects.find(({ parts }) => parts.test(change.collection))
    const row = change.after ?? change.before
    const number = object && row?.[object.key]
    if (!object || !row || typeof number !== 'string') continue
    const place = `${object.name} ${number}`
    const isHeader = change.collection === object.header
    const known = documents.get(place)
    if (isHeader && change.operation !== 'update') documents.set(place, { object, task: taskOf(change), row })
    else if (!known)
      documents.set(place, { object, task: 'Changed', row: isHeader ? row : { [object.key]: number } })
  }
  return documents.values()
}

const taskOf = ({ operation }: Change): Touched['task'] => (operation === 'create' ? 'Created' : 'Deleted')

/** A pattern that ends in an asterisk matches all types that begin like it. */
const hears = ({ events }: WebhookRow, type: string): boolean =>
  events.some((pattern) => (pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type))

const dataOf = (call: Call<ErpTables>, { header, key, data }: EventedObject, row: Row): Row => {
  const number = String(row[key])
  const whole = call.tables[header]?.get(number) ?? row
  const fields = Object.entries(data).flatMap(([name, column]) => {
    const value = name === column || whole[column] !== undefined ? (whole[column] ?? row[column]) : undefined
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(fields), EventRaisedDateTime: new Date(call.now).toISOString() }
}

const raise = (
  call: Call<ErpTables>,
  { type, data }: { type: string; data: Row },
  webhooks: readonly WebhookRow[],
): void => {
  const hex = call.draw('business event')
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  for (const { id: receiver, url, authorization } of webhooks)
    call.emit({
      id: `${id}:${receiver}`,
      channel: 'events',
      kind: type,
      receiver,
      url,
      ...(authorization === null ? {} : { secret: authorization }),
      payload: {
        type,
        specversion: '1.0',
        source: '/default/sap.s4/diorama',
        id,
        time: new Date(call.now).toISOString(),
        datacontenttype: 'application/json',
        data,
      },
    })
}
