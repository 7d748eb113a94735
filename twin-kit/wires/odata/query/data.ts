import type { TableView } from '../../../kernel/table.ts'
import type { Views } from '../../../kernel/twin.ts'
import {
  type EdmRow,
  type EdmValue,
  type EdmValues,
  type EntitySet,
  indexName,
  indexValue,
  type Navigation,
  rowId,
  type ServiceModel,
  setOf,
} from '../model.ts'
import type { Related } from './filter.ts'

/** The rows of a set. */
export const rowsOf = (views: Views, set: EntitySet): TableView<EdmRow> => {
  const view: unknown = views[set.collection]
  if (!isView(view)) throw new Error(`there is no table ${set.collection}`)
  return view
}

const isView = (view: unknown): view is TableView<EdmRow> => view !== undefined

/** What the rows over there hold where a navigation from this row leads to them. */
const joined = (navigation: Navigation, row: EdmValues): Record<string, EdmValue> =>
  Object.fromEntries(navigation.on.map(([here, there]) => [there, row[here] ?? '']))

/** The rows that a navigation leads to, in the order of their keys; costs what it yields. */
export function* related(
  views: Views,
  service: ServiceModel,
  navigation: Navigation,
  row: EdmRow,
): Generator<EdmRow> {
  const set = setOf(service, navigation.target)
  const values = joined(navigation, row)
  const matches = (candidate: EdmRow): boolean =>
    Object.entries(navigation.where ?? {}).every(([field, value]) => (candidate[field] ?? '') === value)
  if (set.type.keys.every((key) => key in values)) {
    const found = rowsOf(views, set).get(rowId(set.type, values))
    if (found && matches(found)) yield found
    return
  }
  const fields = navigation.on.map(([, there]) => there)
  for (const found of rowsOf(views, set).find(indexName(fields), indexValue(fields, values)))
    if (matches(found)) yield found
}

export const relatedOne = (
  views: Views,
  service: ServiceModel,
  navigation: Navigation,
  row: EdmRow,
): EdmRow | undefined => {
  for (const found of related(views, service, navigation, row)) return found
  return undefined
}

/** What a filter needs to look beyond its own row. */
export const relations = (views: Views, service: ServiceModel): Related => ({
  typeOf: (navigation) => setOf(service, navigation.target).type,
  one: (navigation, row) => relatedOne(views, service, navigation, row),
})

/** The keys and other fields that a new row below a parent takes from it. */
export const inherited = (navigation: Navigation, parent: EdmRow): EdmValues => ({
  ...joined(navigation, parent),
  ...navigation.where,
})
