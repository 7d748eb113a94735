import { actorId, type Context, find } from '../context.ts'
import type { EntityRow } from '../rows.ts'
import { isVisible } from '../rules/access.ts'
import { notFound } from '../shapes/refusals.ts'
import type { EntityType } from '../tables.ts'
import { isUuid } from '../values/uuid.ts'

type Reach = Pick<Context, 'tables' | 'actor'>

/** Names under which a record answers besides its id. */
const names: { readonly [K in EntityType]?: (name: string, context: Reach) => EntityRow | undefined } = {
  Issue: (name, { tables }) => tables.Issue.first('identifier', name.toUpperCase()),
  Team: (name, { tables }) => tables.Team.first('key', name) ?? tables.Team.first('key', name.toUpperCase()),
  User: (name, context) =>
    name === 'me' ? context.tables.User.get(actorId(context)) : context.tables.User.first('email', name),
  Project: (name, { tables }) => tables.Project.first('slugId', lastPart(name)),
  Initiative: (name, { tables }) => tables.Initiative.first('slugId', lastPart(name)),
  Document: (name, { tables }) => tables.Document.first('slugId', lastPart(name)),
  CustomView: (name, { tables }) => tables.CustomView.first('slugId', lastPart(name)),
  Roadmap: (name, { tables }) => tables.Roadmap.first('slugId', lastPart(name)),
  Customer: (name, { tables }) => tables.Customer.first('slugId', lastPart(name)),
}

/** A slug id may be written with the name before it, as in links. */
const lastPart = (name: string): string => name.slice(name.lastIndexOf('-') + 1)

/** The record that an `id` argument names, by its id or by another name it has; what the caller may not see is not there. */
export const seek = (context: Reach, type: EntityType, id: unknown): EntityRow | undefined => {
  if (typeof id !== 'string') return undefined
  // Imported records may have odd ids: what is there is found before its shape is judged.
  const row =
    find(context, type, id) ??
    (isUuid(id) ? find(context, type, id.toLowerCase()) : names[type]?.(id, context))
  return row && isVisible(type, row, context) ? row : undefined
}

export const need = (context: Reach, type: EntityType, id: unknown): EntityRow => {
  const row = seek(context, type, id)
  if (!row) throw notFound(type)
  return row
}
