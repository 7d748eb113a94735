import { fits, isDecimal, round, withDecimals } from './decimals.ts'
import type { EdmRow, EdmType, EdmValue, EdmValues, Property } from './model.ts'
import { dayOf, isoOf, jsonDateMs, momentMs, storedMs, timeSeconds, timeText } from './moments.ts'

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const ranges: Partial<Record<EdmType, readonly [number, number]>> = {
  Byte: [0, 255],
  Int16: [-32_768, 32_767],
  Int32: [-2_147_483_648, 2_147_483_647],
}

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
export const shown = (property: Property, value: string, row: EdmValues): string =>
  property.decimals ? withDecimals(value, property.decimals(row)) : round(value, property.scale ?? 0)

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
      return `'${encodeURIComponent(String(value).replaceAll("'", "''")).replaceAll('%27', "'")}'`
    case 'DateTime':
      return `datetime'${encodeURIComponent(plainText(property, value))}'`
    case 'DateTimeOffset':
      return `datetimeoffset'${encodeURIComponent(isoOf(storedMs(String(value))).replace('Z', '0000Z'))}'`
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
  return property.maxLength !== undefined && [...value].length > property.maxLength ? invalid : { value }
}

/** Lays values over a row in the form that a table keeps: fields at their initial value are left out. */
export const storable = (
  properties: Iterable<Property>,
  keys: readonly string[],
  values: EdmValues,
): Record<string, EdmValue> => {
  const row: Record<string, EdmValue> = {}
  for (const property of properties) {
    const value = values[property.name]
    if (value === undefined) continue
    const isKey = keys.includes(property.name)
    if (value === null || value === property.initial) {
      if (isKey) row[property.name] = property.initial
      continue
    }
    const kept = property.type === 'Decimal' ? shown(property, String(value), values) : value
    if (property.type !== 'Decimal' || Number(kept) !== 0) row[property.name] = kept
  }
  return row
}

/** A row with every property, as graders and people see it. */
export const complete = (properties: readonly Property[], row: EdmRow): EdmRow => ({
  ...Object.fromEntries(properties.map((property) => [property.name, heldValue(row, property)])),
  id: row.id,
})
