import type { Views } from '../../../kernel/twin.ts'
import type { Budget } from '../budget.ts'
import { etagOf } from '../formats/links.ts'
import type { EdmRow, EdmValue, Property, ServiceModel } from '../model.ts'
import { related, relatedOne } from '../query/data.ts'
import type { Shape } from '../query/options.ts'
import { timeSeconds } from '../values/moments.ts'
import { heldValue } from '../values/values.ts'

/** Entities in the JSON of version 4: plain names, numbers as numbers, dates as ISO text. */

export interface JsonWriter {
  readonly service: ServiceModel
  readonly views: Views
  readonly budget: Budget
}

const two = (value: number): string => String(value).padStart(2, '0')

export const valueJson = (property: Property, value: EdmValue): unknown => {
  if (value === null) return null
  switch (property.type) {
    case 'Decimal':
    case 'Double':
    case 'Int64':
      return Number(value)
    case 'DateTime':
      return property.day ? String(value).slice(0, 10) : value
    case 'Time': {
      const seconds = timeSeconds(String(value)) ?? 0
      return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':')
    }
    default:
      return value
  }
}

export const entityJson = (writer: JsonWriter, shape: Shape, row: EdmRow): Record<string, unknown> => {
  writer.budget.write(shape.properties.length + 5)
  const etag = etagOf(shape.set, row)
  const entity: Record<string, unknown> = etag === undefined ? {} : { '@odata.etag': etag }
  for (const property of shape.properties)
    entity[property.name] = valueJson(property, heldValue(row, property))
  for (const { navigation, shape: below } of shape.expanded) {
    if (navigation.many) {
      const rows = [...related(writer.views, writer.service, navigation, row)]
      entity[navigation.name] = rows.map((each) => entityJson(writer, below, each))
    } else {
      const one = relatedOne(writer.views, writer.service, navigation, row)
      entity[navigation.name] = one ? entityJson(writer, below, one) : null
    }
  }
  return entity
}
