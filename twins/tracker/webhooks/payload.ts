import { type Context, find } from '../context.ts'
import { trackerSchema } from '../graphql/engine.ts'
import { bareType } from '../lists/filter.ts'
import { manyOf, rowsOf } from '../lists/relations.ts'
import type { EntityRow } from '../rows.ts'
import type { FieldModel } from '../schema/model.ts'
import { shapes } from '../shapes/index.ts'
import { isEntityType } from '../tables.ts'

export type Body = Readonly<Record<string, unknown>>

/**
 * A record as webhooks carry it. The schema has a type for each payload, so that what is in one is read off there: its
 * scalars from the record, and the small records inside it from the records that it refers to.
 */
export const payloadOf = (
  type: string,
  row: EntityRow,
  context: Context,
  payload = `${type}WebhookPayload`,
): Body => {
  const fields = trackerSchema.get().types.get(payload)?.fields ?? []
  const body: Record<string, unknown> = {}
  for (const field of fields) {
    const value = shownBy(type, row, field, context)
    if (value !== undefined) body[field.name] = value
  }
  return body
}

const shownBy = (type: string, row: EntityRow, field: FieldModel, context: Context): unknown => {
  const target = bareType(field.type)
  if (target.endsWith('WebhookPayload')) return inside(type, row, field, context)
  const shown = shapes[type]?.[field.name]?.(row, {}, context) ?? row[field.name]
  if (shown !== undefined && shown !== null) return shown
  if (!field.type.endsWith('!')) return field.name in row ? null : undefined
  return field.type.startsWith('[') ? [] : blanks[target]
}
/** What a field that is never null holds where nobody has set it. */
const blanks: Readonly<Record<string, unknown>> = {
  String: '',
  Float: 0,
  Int: 0,
  Boolean: false,
  JSONObject: {},
}

/** Names of fields that are not those of the columns behind them. */
const columns: Readonly<Record<string, string>> = { milestone: 'projectMilestoneId' }

const inside = (type: string, row: EntityRow, field: FieldModel, context: Context): unknown => {
  const payload = bareType(field.type)
  const entity = entityOf(payload)
  if (field.type.startsWith('[')) {
    const many = isEntityType(type) ? manyOf(type, field.name, entity) : undefined
    return many ? rowsOf(many, row, context).map((one) => payloadOf(entity, one, context, payload)) : []
  }
  const found = find(context, entity, row[columns[field.name] ?? `${field.name}Id`])
  return found ? payloadOf(entity, found, context, payload) : undefined
}

const entityOf = (payload: string): string => payload.replace(/(WithDescription)?(Child)?WebhookPayload$/, '')

/** What an update changed, with the values from before: fields that the payload shows, and when it was changed last. */
export const updatedFrom = (type: string, before: EntityRow, after: EntityRow): Body => {
  const shown = new Set(
    (trackerSchema.get().types.get(`${type}WebhookPayload`)?.fields ?? []).map(({ name }) => name),
  )
  const changed: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    if (shown.has(name) && JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null))
      changed[name] = before[name] ?? null
  return changed
}
