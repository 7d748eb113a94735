import type { Row } from '@diorama/twin-kit/kernel/table'
import { integration, type Views } from '@diorama/twin-kit/kernel/twin'
import { orgOf } from './records/org.ts'
import type { Schema, SchemaIn } from './schema/schema.ts'
import { type CrmTables, personTable, sentEmailTable, tableOf } from './tables.ts'

/** A record as scorers and people read it: every field of the object, with null where there is nothing. */
export const present =
  (schemaIn: SchemaIn) =>
  (collection: string, row: Row, views: Views<CrmTables>): Row => {
    const schema = schemaIn(views)
    const object = schema.object(collection)
    if (!object) return row
    const userId = String(tableOf(views, personTable).get(integration)?.userId)
    const org = orgOf({ schema, tables: views, now: 0, userId, baseUrl: '', asSystem: true })
    return Object.fromEntries(
      object.fields
        .filter((field) => field.type !== 'address')
        .map((field) => [field.name, row[field.name] ?? org.read(object, field)(row)]),
    )
  }

/** No object of the service has the e-mails that left it. */
const sentEmailFields = [
  ...['Id', 'SentDate', 'SentById', 'FromAddress', 'FromName', 'ToAddress', 'Subject'],
  ...['HtmlBody', 'TextBody', 'RelatedToId'],
]

/** Fields of records in an organization without a customization. */
export const fields =
  (standard: Schema) =>
  (collection: string): readonly string[] =>
    collection === sentEmailTable
      ? sentEmailFields
      : (standard.object(collection)?.fields ?? [])
          .filter((field) => field.type !== 'address')
          .map(({ name }) => name)

/** Cases, orders and contracts carry numbers, under the name of what they are. */
export const names = (collection: string, row: Row): readonly string[] => {
  const number = row[`${collection}Number`]
  return typeof number === 'string' ? [number] : []
}
