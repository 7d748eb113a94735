import type { Row } from '@diorama/twin-kit/kernel/table'
import type { EdmRow, Property } from '@diorama/twin-kit/wires/odata/model'
import { complete } from '@diorama/twin-kit/wires/odata/values/values'
import { allServices } from './catalogue/services.ts'

const properties: ReadonlyMap<string, readonly Property[]> = new Map(
  allServices.flatMap((service) =>
    [...service.sets.values()].map(({ collection, type }) => [collection, type.properties] as const),
  ),
)

/** A record as scorers and people read it: every property of its type, with the initial value where none is stored. */
export const present = (collection: string, row: Row): Row => {
  const known = properties.get(collection)
  return known && isRow(row) ? complete(known, row) : row
}

/** Users are no entity set. */
const userFields = ['id', 'handle', 'name', 'email']

export const fields = (collection: string): readonly string[] =>
  collection === 'user' ? userFields : (properties.get(collection) ?? []).map(({ name }) => name)

const isRow = (row: Row): row is EdmRow => 'id' in row
