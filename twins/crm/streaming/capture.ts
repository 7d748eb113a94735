import type { Change, Changes } from '@diorama/twin-kit/kernel/diff'
import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Call } from '@diorama/twin-kit/kernel/twin'
import { readMoment } from '../dates.ts'
import type { FieldSchema, ObjectSchema, Schema, SchemaIn } from '../schema/schema.ts'
import { latestVersion } from '../shapes/describe.ts'
import { binTable, type CrmTables } from '../tables.ts'
import { isCapturing, publish } from './log.ts'

/** Standard objects whose changes the service publishes; every custom object is among them, too. */
const captured: ReadonlySet<string> = new Set([
  'Account',
  'AccountContactRelation',
  'Asset',
  'Campaign',
  'CampaignMember',
  'Case',
  'Contact',
  'Contract',
  'EmailMessage',
  'Entitlement',
  'Event',
  'Lead',
  'Opportunity',
  'OpportunityContactRole',
  'OpportunityLineItem',
  'Order',
  'OrderItem',
  'Pricebook2',
  'PricebookEntry',
  'Product2',
  'Quote',
  'QuoteLineItem',
  'Task',
  'User',
])

export const isCaptured = (object: ObjectSchema): boolean =>
  captured.has(object.name) || object.name.endsWith('__c')

/** `AccountChangeEvent`, and for a custom object `Pump__ChangeEvent`. */
export const changeEventOf = (object: string): string =>
  object.endsWith('__c') ? `${object.slice(0, -1)}ChangeEvent` : `${object}ChangeEvent`

/** The object that a change event is about. */
export const objectOfTopic = (schema: Schema, topic: string): ObjectSchema | undefined =>
  schema.objects.find((object) => isCaptured(object) && changeEventOf(object.name) === topic)

/** Publishes what a step did to records that are captured, as one transaction. */
export const captureChanges =
  (schemaIn: SchemaIn) =>
  (call: Call<CrmTables>, changes: () => Changes): void => {
    if (!isCapturing(call.tables)) return
    const schema = schemaIn(call.tables)
    const all = changes()
    const restored = new Set(
      all
        .filter(({ collection, operation }) => collection === binTable && operation === 'delete')
        .map(({ id }) => id),
    )
    const events = all.flatMap((change) => {
      const object = schema.object(change.collection)
      return object && isCaptured(object) ? (eventOf(object, change, restored.has(change.id)) ?? []) : []
    })
    if (events.length === 0) return
    const hex = call.draw('transaction')
    const transactionKey = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
    const commitNumber = call.sequence('commit number')
    events.forEach(({ object, header, fields }, n) => {
      publish(call, {
        topic: changeEventOf(object),
        kind: 'change',
        payload: {
          ChangeEventHeader: {
            entityName: object,
            ...header,
            changeOrigin: `com/salesforce/api/rest/${latestVersion.toFixed(1)}`,
            transactionKey,
            sequenceNumber: n + 1,
            commitTimestamp: call.now,
            commitNumber,
            commitUser: call.actor?.id ?? '',
          },
          ...fields,
        },
      })
    })
  }

interface Captured {
  readonly object: string
  readonly header: Row
  readonly fields: Row
}

const eventOf = (object: ObjectSchema, change: Change, restored: boolean): Captured | undefined => {
  const { operation, id, before, after } = change
  const changed = operation === 'update' ? changedFields(object, before ?? {}, after ?? {}) : []
  const told = operation === 'update' ? changed : object.fields
  if (operation === 'update' && changed.length === 0) return undefined
  const changeType = { create: restored ? 'UNDELETE' : 'CREATE', update: 'UPDATE', delete: 'DELETE' }[
    operation
  ]
  const isUpdate = operation === 'update'
  return {
    object: object.name,
    header: {
      recordIds: [id],
      changeType,
      nulledFields: isUpdate
        ? changed.filter(({ name }) => (after?.[name] ?? null) === null).map(partName)
        : [],
      diffFields: [],
      changedFields: isUpdate ? changed.map(partName) : [],
    },
    fields: operation === 'delete' ? {} : fieldsOf(told, after ?? {}),
  }
}

/** What is worked out on reading, and what nobody changes, is no part of an event. */
const isStored = (field: FieldSchema): boolean =>
  field.type !== 'address' &&
  field.name !== 'Id' &&
  field.name !== 'IsDeleted' &&
  field.name !== 'SystemModstamp'

const changedFields = (object: ObjectSchema, before: Row, after: Row): FieldSchema[] =>
  object.fields.filter(
    (field) =>
      isStored(field) &&
      field.compound !== '' &&
      (before[field.name] ?? null) !== (after[field.name] ?? null),
  )

/** Parts of names and addresses are named by the whole they belong to: `BillingAddress.City`. */
const partName = (field: FieldSchema): string =>
  field.compound === null ? field.name : `${field.compound}.${partOf(field)}`
const partOf = ({ name, compound }: FieldSchema): string =>
  compound?.endsWith('Address') ? name.slice(compound.length - 'Address'.length) : name

const fieldsOf = (fields: readonly FieldSchema[], row: Row): Row => {
  const shown: Record<string, unknown> = {}
  for (const field of fields) {
    const value = row[field.name]
    if (value === undefined || value === null || !isStored(field)) continue
    if (field.compound !== null)
      shown[field.compound] = { ...(shown[field.compound] ?? {}), [partOf(field)]: written(field, value) }
    else if (typeof shown[field.name] !== 'object') shown[field.name] = written(field, value)
  }
  return shown
}

const written = (field: FieldSchema, value: unknown): unknown => {
  if (field.type !== 'datetime') return value
  const ms = readMoment(String(value))
  return ms === undefined ? value : new Date(ms).toISOString()
}
