import type { EdmRow, EdmType, EdmValue, EdmValues, EntityType, Property } from '../model.ts'
import { fits, isDecimal, round, withDecimals } from './decimals.ts'
import { dayOf, isoOf, jsonDateMs, momentMs, storedMs, timeSeconds, timeText } from './moments.ts'

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const ranges: Partial<Record<EdmType, readonly [number, number]>> = {
  Byte: [0, 255],
  Int16: [-32_768, 32_767],
  Int32: [-2_147_483_648, 2_147_483_647],
}

/** Text that a URI holds as it is. */
const plainKey = /^[\w-]*$/

/** What a field of a type holds before anybody sets it. */
export const initialOf = (type: EdmType): EdmValue => {
  if (type === 'String') return ''
  if (type === 'Boolean') return false
  if (type === 'DateTime' || type === 'DateTimeOffset') return null
  if (type === 'Time') return 'PT00H00M00S'
  if (type === 'Guid') return '00000000-0000-0000-0000-000000000000'
  return type === 'Decimal' || type === 'Int64' || type === 'Double' ? '0' : 0
}

/** A row's value of a property, also where the row does not hold it. */
export const heldValue = (row: EdmValues, property: Property): EdmValue => {
  const value = row[property.name] ?? property.initial
  return property.type === 'Decimal' && typeof value === 'string' ? shown(property, value, row) : value
}

/** A decimal with as many decimals as its row's currency or unit has, or as the property has. */
export const shown = (property: Property, value: string, row: EdmValues): string => {
  const wanted = property.decimals ? property.decimals(row) : (property.scale ?? 0)
  // Rows keep decimals as they are shown, so most need nothing.
  const point = value.indexOf('.')
  if ((point === -1 ? 0 : value.length - point - 1) === wanted) return value
  if (value === '0') return `0.${'0'.repeat(wanted)}`
  return property.decimals ? withDecimals(value, wanted) : round(value, wanted)
}

/** A property's name as JSON writes it before its value, and the whole of it where a row does not hold it. */
export const jsonFace = (property: Pick<Property, 'name' | 'type' | 'initial'>): Property['json'] => {
  const label = `,"${property.name}":`
  const { type, initial } = property
  if (type === 'Decimal') return { label }
  const blank = typeof initial === 'string' ? JSON.stringify(initial) : String(initial)
  return { label, blank: `${label}${blank}` }
}

/** The value as the verbose JSON format writes it, as JSON text. */
export const jsonText = (property: Property, value: EdmValue): string => {
  if (value === null) return 'null'
  switch (property.type) {
    case 'DateTime':
      return `"/Date(${storedMs(String(value))})/"`
    case 'DateTimeOffset':
      return `"/Date(${storedMs(String(value))}+0000)/"`
    case 'Boolean':
    case 'Byte':
    case 'Int16':
    case 'Int32':
      return String(value)
    default:
      return JSON.stringify(String(value))
  }
}

/** The value as XML and `$value` write it. */
export const plainText = (property: Property, value: EdmValue): string => {
  if (value === null) return ''
  if (property.type === 'DateTime') return isoOf(storedMs(String(value))).slice(0, 19)
  if (property.type === 'DateTimeOffset') return isoOf(storedMs(String(value)))
  return String(value)
}

/** The value as a literal of a URI. */
export const uriLiteral = (property: Property, value: EdmValue): string => {
  if (value === null) return 'null'
  switch (property.type) {
    case 'String':
      if (typeof value === 'string' && plainKey.test(value)) return `'${value}'`
      return `'${encodeURIComponent(String(value).replaceAll("'", "''")).replaceAll('%27', "'")}'`
    case 'DateTime':
      return `datetime'${encodeURIComponent(plainText(property, value))}'`
    case 'DateTimeOffset':
      return `datetimeoffset'${String(value).replace('Z', '0000Z').replaceAll(':', '%3A')}'`
    case 'Guid':
      return `guid'${value}'`
    case 'Time':
      return `time'${value}'`
    case 'Decimal':
      return `${value}M`
    case 'Int64':
      return `${value}L`
    default:
      return String(value)
  }
}

/** A value that did not fit: not of the type's form, or of the form and not allowed. */
export type Misfit = 'unreadable' | 'invalid'
export type Fitted = { value: EdmValue } | { misfit: Misfit }

const unreadable: Fitted = { misfit: 'unreadable' }
const invalid: Fitted = { misfit: 'invalid' }

/** A value of a JSON body. Decimals and 64-bit numbers travel as text, and a number in their place is refused. */
export const fromJson = (property: Property, raw: unknown): Fitted => {
  if (raw === null) return { value: null }
  if (property.type === 'Boolean') return typeof raw === 'boolean' ? { value: raw } : unreadable
  const range = ranges[property.type]
  if (range) return typeof raw === 'number' ? fitRange(raw, range) : unreadable
  if (property.type === 'Double' && typeof raw === 'number') return { value: String(raw) }
  if (typeof raw !== 'string') return unreadable
  if (property.type === 'DateTime' || property.type === 'DateTimeOffset') {
    const ms = jsonDateMs(raw)
    if (ms !== undefined) return { value: property.day ? dayOf(ms) : isoOf(ms) }
  }
  return fromText(property, raw)
}

/** A value of an XML body, or the inside of a literal. */
export const fromText = (property: Property, text: string): Fitted => {
  switch (property.type) {
    case 'String':
      return fitString(property, text)
    case 'Decimal':
      if (!isDecimal(text)) return unreadable
      return fits(text, property.precision ?? 34, property.scale ?? 0)
        ? { value: withDecimals(text, 0) }
        : invalid
    case 'Int64':
      return /^-?\d{1,19}$/.test(text) ? { value: text } : unreadable
    case 'Double':
      return text !== '' && Number.isFinite(Number(text)) ? { value: String(Number(text)) } : unreadable
    case 'Boolean':
      return /^(true|false|0|1)$/.test(text) ? { value: text === 'true' || text === '1' } : unreadable
    case 'Guid':
      return guid.test(text) ? { value: text.toLowerCase() } : unreadable
    case 'Time': {
      const seconds = timeSeconds(text)
      return seconds === undefined ? unreadable : { value: timeText(seconds) }
    }
    case 'DateTime': {
      const ms = momentMs(text, false)
      if (ms === undefined) return unreadable
      return { value: property.day ? dayOf(ms) : isoOf(ms) }
    }
    case 'DateTimeOffset': {
      const ms = momentMs(text, true)
      return ms === undefined ? unreadable : { value: isoOf(ms) }
    }
    default: {
      const range = ranges[property.type]
      return range && /^-?\d+$/.test(text) ? fitRange(Number(text), range) : unreadable
    }
  }
}

const fitRange = (value: number, [least, most]: readonly [number, number]): Fitted =>
  Number.isInteger(value) && value >= least && value <= most ? { value } : invalid

const fitString = (property: Property, text: string): Fitted => {
  const cased = property.upper ? text.toUpperCase() : text
  const value = property.canonical ? property.canonical(cased) : cased
  // Half a character and the null character can be written in JSON and kept nowhere.
  if (!value.isWellFormed() || value.includes('\u0000')) return invalid
  return property.maxLength !== undefined && [...value].length > property.maxLength ? invalid : { value }
}

/** Values in the form that a table keeps: fields at their initial value are left out, but for the key. */
export const storable = (type: EntityType, values: EdmValues): Record<string, EdmValue> => {
  const row: Record<string, EdmValue> = {}
  for (const key of type.keys) row[key] = values[key] ?? type.byName.get(key)?.initial ?? ''
  for (const name of Object.keys(values)) {
    const value = storableValue(type, name, values)
    if (value !== undefined) row[name] = value
  }
  return row
}

/** One value in that form; undefined where it is left out. */
export const storableValue = (type: EntityType, name: string, values: EdmValues): EdmValue | undefined => {
  const property = type.byName.get(name)
  const value = values[name]
  if (!property || value === undefined || value === null || value === property.initial) return undefined
  if (property.type !== 'Decimal') return value
  return Number(value) === 0 ? undefined : shown(property, String(value), values)
}

/** A row with every property, as graders and people see it. */
export const complete = (properties: readonly Property[], row: EdmRow): EdmRow => ({
  ...Object.fromEntries(properties.map((property) => [property.name, heldValue(row, property)])),
  id: row.id,
})
