import type { Row } from '@diorama/twin-kit/kernel/table'
import { type Operation, operation } from '@diorama/twin-kit/kernel/twin'
import { type Org, orgOf } from '../records/org.ts'
import type { Meter } from '../records/organization.ts'
import type { FieldSchema, ObjectSchema, SchemaIn } from '../schema/schema.ts'
import type { Json } from '../soql/project.ts'
import { runQuery } from '../soql/query.ts'
import { noSuchObject, refuseAt } from '../soql/syntax/refuse.ts'
import { parseSearch, type Search, type SearchIn } from '../sosl/parse.ts'
import { meets, wordsIn } from '../sosl/terms.ts'
import type { CrmTables } from '../tables.ts'

const maxFound = 2_000

export interface SearchInput {
  readonly meter?: Meter
  readonly text: string
  readonly version: string
  readonly search?: Search
}

export const searchOperations = (schemaIn: SchemaIn): Readonly<Record<string, Operation>> => ({
  search: operation<CrmTables, SearchInput, Json[]>({
    effect: 'read',
    run: (call, { text, version, meter, search = parseSearch(text) }) => {
      const org = orgOf({
        meter,
        schema: schemaIn(call.tables),
        tables: call.tables,
        now: call.now,
        userId: call.actor?.id ?? '',
        baseUrl: call.baseUrl,
      })
      return runSearch(org, text, version, search)
    },
  }),
})

const runSearch = (org: Org, text: string, version: string, search: Search): Json[] => {
  const max = Math.min(search.limit ?? maxFound, maxFound)
  const wanted =
    search.returning.length > 0
      ? search.returning
      : org.schema.objects
          .filter(({ searchable }) => searchable)
          .map(({ name }) => ({ object: name, fields: ['Id'], clauses: '' }))
  const found: Json[] = []
  for (const { object: name, fields, clauses } of wanted) {
    const object = org.schema.object(name)
    if (!object?.searchable)
      throw refuseAt(text, Math.max(0, text.indexOf(name)), 'INVALID_TYPE', noSuchObject(name), {
        kind: 'object',
        name,
      })
    const only = matcher(org, object, search)
    const chosen = fields.length > 0 ? fields.join(', ') : 'Id'
    const answer = runQuery({ org, version, text: `SELECT ${chosen} FROM ${object.name} ${clauses}`, only })
    if (answer.kind === 'records') found.push(...answer.rows.slice(0, max - found.length).map(answer.shape))
    if (found.length >= max) break
  }
  return found
}

const matcher = (org: Org, object: ObjectSchema, search: Search): ((row: Row) => boolean) => {
  const readers = object.fields
    .filter((field) => isSearched(field, search.within))
    .map((field) => org.read(object, field))
  return (row) => {
    const held = readers.map((read) => read(row)).filter((value) => typeof value === 'string')
    org.spend(held.reduce((sum, value) => sum + 2 + value.length / 8, 0))
    return meets(search.term, held.map(wordsIn))
  }
}

const texts = ['string', 'textarea', 'email', 'phone', 'url', 'combobox', 'picklist']

const isSearched = (field: FieldSchema, within: SearchIn): boolean => {
  if (within === 'EMAIL') return field.type === 'email'
  if (within === 'PHONE') return field.type === 'phone'
  if (within === 'NAME') return field.nameField || /^(First|Last)Name$/.test(field.name)
  if (field.type === 'picklist') return false
  return texts.includes(field.type) && field.name !== 'PhotoUrl'
}
