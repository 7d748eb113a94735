import type { EdmType, EdmValue, Property } from '../model.ts'
import type { LiteralKind } from './lexer.ts'
import { fromText } from './values.ts'

const allowed: Readonly<Record<EdmType, readonly LiteralKind[]>> = {
  String: ['string'],
  Decimal: ['decimal', 'integer'],
  Double: ['double', 'integer', 'decimal'],
  Boolean: ['boolean'],
  DateTime: ['datetime'],
  DateTimeOffset: ['datetimeoffset'],
  Time: ['time'],
  Guid: ['guid'],
  Byte: ['integer'],
  Int16: ['integer'],
  Int32: ['integer'],
  Int64: ['integer'],
}

/** A literal as a value of a property; undefined where it is of another type or does not fit. */
export const literalValue = (
  property: Property,
  literal: LiteralKind,
  text: string,
): { value: EdmValue } | undefined => {
  if (literal === 'null') return property.nullable ? { value: null } : undefined
  if (!allowed[property.type].includes(literal)) return undefined
  const fitted = fromText(property, text)
  return 'value' in fitted ? fitted : undefined
}
