import type { Row } from '@diorama/twin-kit/kernel/table'
import { find, type TrackerCall, tableOf } from '../context.ts'
import { trackerSchema } from '../graphql/engine.ts'
import { bareType } from '../lists/filter.ts'
import { need, seek } from '../lists/lookup.ts'
import { lowerFirst, manyOf } from '../lists/relations.ts'
import type { EntityRow } from '../rows.ts'
import { checkColor } from '../rules/lengths.ts'
import type { FieldModel } from '../schema/model.ts'
import { conflict, invalidArgument, notFound, notUuid } from '../shapes/refusals.ts'
import { type EntityType, isEntityType } from '../tables.ts'
import { instantOf, iso, isoDay } from '../values/times.ts'
import { isUuid, isUuid4, uuidFrom } from '../values/uuid.ts'

export type Input = Readonly<Record<string, unknown>>

/** A new id, the same in every copy of the world after the same calls. */
export const newId = (call: TrackerCall): string => uuidFrom(call.draw('id'))
export const newSlugId = (call: TrackerCall): string => call.draw('slug').slice(0, 12)

/**
 * The columns that an input sets. The schema defines what each of its fields is: `xId` refers to the record in field
 * `x`, `xIds` to a list of them, and times are resolved against the world's clock. References must be ids of records that
 * exist; where the API says that an identifier will do, it will.
 */
export const readInput = (call: TrackerCall, type: EntityType, inputType: string, input: Input): Row => {
  checkColor(input)
  const { types } = trackerSchema.get()
  const fields = new Map((types.get(type)?.fields ?? []).map((field) => [field.name, field]))
  const columns: Record<string, unknown> = {}
  for (const field of types.get(inputType)?.fields ?? []) {
    const value = input[field.name]
    if (value === undefined || field.name === 'id') continue
    const target = targetOf(type, field.name, fields)
    const shown = fields.get(field.name)
    if (target) columns[field.name] = reference(call, { field, target, value, input })
    else if (!shown) continue
    else if (value === null && shown.type.endsWith('!')) continue
    else columns[field.name] = settle(field, value, call.now)
  }
  return columns
}

/** The type that `xId` or `xIds` refers to. */
const targetOf = (
  type: EntityType,
  name: string,
  fields: ReadonlyMap<string, FieldModel>,
): EntityType | undefined => {
  if (name.endsWith('Ids')) {
    const stem = name.slice(0, -'Ids'.length)
    const field = fields.get(`${stem}s`)
    const many = field && manyOf(type, field.name, bareType(field.type).replace(/Connection$/, ''))
    return many && 'ids' in many ? many.type : undefined
  }
  if (!name.endsWith('Id')) return undefined
  const target = bareType(fields.get(name.slice(0, -'Id'.length))?.type ?? '')
  return isEntityType(target) ? target : undefined
}

const reference = (
  call: TrackerCall,
  { field, target, value, input }: { field: FieldModel; target: EntityType; value: unknown; input: Input },
): unknown => {
  if (value === null) return field.name.endsWith('Ids') ? [] : null
  if (Array.isArray(value)) {
    if (!value.every((id) => isUuid(id) || find(call, target, id)))
      throw notUuid({ ...input }, field.name, value)
    for (const id of value) if (!seek(call, target, id)) throw notFound(target)
    return [...new Set(value)]
  }
  if (
    isUuid(value) ||
    find(call, target, value) ||
    (takesNames(field) && shapes[target]?.test(String(value)))
  )
    return need(call, target, value).id
  throw notUuid({ ...input }, field.name, value)
}

/** The API's own description says where a name will do as well as an id. */
const takesNames = ({ description = '' }: FieldModel): boolean =>
  /UUID or|identifier or key/i.test(description)
const shapes: { readonly [K in EntityType]?: RegExp } = {
  Issue: /^[a-z][a-z0-9]*-\d+$/i,
  Project: /^P-[a-z0-9]+-\d+$/i,
  Initiative: /^I-\d+$/i,
  Team: /^[a-z][a-z0-9]{0,6}$/i,
}

const settle = (field: FieldModel, value: unknown, now: number): unknown => {
  if (value === null) return null
  const type = bareType(field.type)
  if (type === 'DateTime') return iso(instantOf(String(value), now))
  if (type === 'TimelessDate') return isoDay(instantOf(String(value), now))
  return plain(value)
}

/** The engine's objects have no prototype; rows are plain JSON. */
export const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]))
  return value
}

/** Adds a record. The caller may choose its id, which must be new. */
export const addRecord = (
  call: TrackerCall,
  type: EntityType,
  columns: Row,
  input: Input = {},
): EntityRow => {
  const given = input.id
  if (given !== undefined && given !== null) {
    if (!isUuid4(given))
      throw invalidArgument({
        target: { ...input },
        property: 'id',
        value: given,
        constraints: { isUuid: 'id must be a UUID' },
      })
    if (call.tables[type].has(given)) throw conflict(type, given)
  }
  const now = iso(call.now)
  const id = typeof given === 'string' ? given : newId(call)
  return tableOf(call.tables, type).insert({
    createdAt: now,
    updatedAt: now,
    archivedAt: null,
    ...columns,
    id,
  })
}

/** Lays columns over a record; one that changes nothing leaves no trace. */
export const changeRecord = (
  call: TrackerCall,
  type: EntityType,
  row: EntityRow,
  columns: Row,
): EntityRow => {
  const changed = Object.entries(columns).some(
    ([name, value]) => JSON.stringify(row[name] ?? null) !== JSON.stringify(value ?? null),
  )
  if (!changed) return row
  return tableOf(call.tables, type).update(row.id, { ...columns, updatedAt: iso(call.now) })
}

const payloadNames: { readonly [K in EntityType]?: string } = {
  CustomerNeed: 'need',
  CustomerStatus: 'status',
  CustomerTier: 'tier',
  ProjectStatus: 'status',
}

/** What a mutation answers: that it went well, how far the world has come, and the record under its own name. */
export const payload = (
  call: TrackerCall,
  type: EntityType,
  row: EntityRow | undefined,
  extra: Row = {},
): Row => ({
  success: true,
  lastSyncId: call.sequence('sync'),
  ...(row ? { [payloadNames[type] ?? lowerFirst(type)]: row, entity: row, entityId: row.id } : {}),
  ...extra,
})

/** The person in whose name an application that acts as itself says that it works. */
export const botActorOf = (call: TrackerCall, { createAsUser, displayIconUrl }: Input): Row => {
  const app = typeof createAsUser === 'string' ? call.tables.User.get(call.actor?.id ?? '') : undefined
  if (!app) return {}
  const botActor = {
    id: app.oauthClientId ?? app.id,
    type: 'oauthClient',
    name: app.name,
    userDisplayName: createAsUser,
    avatarUrl: displayIconUrl ?? null,
  }
  return { botActor }
}

/** A required text that is empty or missing. */
export const needText = (input: Input, property: string): string => {
  const value = input[property]
  if (typeof value === 'string' && value.trim() !== '') return value
  throw invalidArgument({
    target: { ...input },
    property,
    value,
    constraints: { isNotEmpty: `${property} should not be empty` },
  })
}

export const recordInput = (value: unknown): Input =>
  typeof value === 'object' && value !== null ? { ...value } : {}
