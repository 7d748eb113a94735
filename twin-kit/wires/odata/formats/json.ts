import type { Views } from '../../../kernel/twin.ts'
import type { Budget } from '../budget.ts'
import type { EdmRow, EntitySet, Property, ServiceModel } from '../model.ts'
import { related, relatedOne } from '../query/data.ts'
import type { Shape } from '../query/options.ts'
import { heldValue, jsonText } from '../values/values.ts'
import { entityPath, etagOf } from './links.ts'

/** Where and from what an answer is written. */
export interface Writer {
  readonly service: ServiceModel
  readonly views: Views
  /** The service's root as the caller reaches it, without a trailing slash. */
  readonly root: string
  /** The twin's base, for links beyond the service. */
  readonly origin: string
  readonly budget: Budget
}

/** One entity in the verbose JSON format, on one line. */
export const entityJson = (writer: Writer, shape: Shape, stored: EdmRow): string => {
  writer.budget.write(shape.properties.length + shape.deferred.length + 5)
  const { set } = shape
  const row = set.view ? set.view(stored, writer.origin) : stored
  const uri = `${writer.root}/${entityPath(set, row)}`
  let text = `{"__metadata":${metadataJson(writer, set, row, uri)}`
  for (const property of shape.properties) {
    const { json } = property
    text +=
      json.blank !== undefined && row[property.name] === undefined
        ? json.blank
        : json.label + jsonText(property, heldValue(row, property))
  }
  for (const { name } of shape.deferred)
    text += `,"${name}":{"__deferred":{"uri":${JSON.stringify(`${uri}/${name}`)}}}`
  for (const { navigation, shape: below } of shape.expanded) {
    text += `,"${navigation.name}":`
    if (navigation.many) {
      const rows = [...related(writer.views, writer.service, navigation, stored)]
      text += `{"results":[${rows.map((each) => entityJson(writer, below, each)).join(',')}]}`
    } else {
      const one = relatedOne(writer.views, writer.service, navigation, stored)
      text += one ? entityJson(writer, below, one) : 'null'
    }
  }
  return `${text}}`
}

const metadataJson = (writer: Writer, set: EntitySet, row: EdmRow, uri: string): string => {
  const quoted = JSON.stringify(uri)
  const etag = etagOf(set, row)
  const version = etag === undefined ? '' : `,"etag":${JSON.stringify(etag)}`
  return `{"id":${quoted},"uri":${quoted},"type":"${writer.service.name}.${set.type.name}"${version}}`
}

export interface Listed {
  readonly rows: readonly EdmRow[]
  readonly total?: number
  /** The address of the page after so many rows of this one, where there is more. */
  readonly next?: (written: number) => string | undefined
}

/** Writes rows until the page is full; at least one. */
export const writeRows = (
  { budget }: Writer,
  rows: readonly EdmRow[],
  write: (row: EdmRow) => string,
): string[] => {
  const written: string[] = []
  for (const row of rows) {
    if (written.length > 0 && budget.isPageFull()) break
    written.push(write(row))
  }
  return written
}

export const collectionJson = (writer: Writer, shape: Shape, { rows, total, next }: Listed): string => {
  const count = total === undefined ? '' : `"__count":"${total}",`
  const written = writeRows(writer, rows, (row) => entityJson(writer, shape, row))
  const place = next?.(written.length)
  const more = place === undefined ? '' : `,"__next":${JSON.stringify(place)}`
  return `{"d":{${count}"results":[${written.join(',')}]${more}}}`
}

export const propertyJson = (property: Property, row: EdmRow): string =>
  `{"d":{"${property.name}":${jsonText(property, heldValue(row, property))}}}`

export const linksJson = (uris: readonly string[], many: boolean): string => {
  const links = uris.map((uri) => ({ uri }))
  return JSON.stringify({ d: many ? { results: links } : links[0] })
}

export const serviceJson = (service: ServiceModel): string =>
  JSON.stringify({ d: { EntitySets: [...service.sets.keys()] } })
