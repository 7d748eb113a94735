import { GraphQLError, GraphQLScalarType } from 'graphql'
import { isInstant } from '../values/times.ts'
import { isUuid } from '../values/uuid.ts'

const refuse = (name: string, value: unknown): never => {
  throw new GraphQLError(`${name} cannot represent the value ${JSON.stringify(value)}`)
}

/** Times stay as they were written until an operation holds them against the world's clock. */
const time = (name: string) => ({
  coerceOutputValue: (value: unknown) => value,
  coerceInputValue: (value: unknown) =>
    (typeof value === 'string' || typeof value === 'number') && isInstant(String(value))
      ? String(value)
      : refuse(name, value),
})

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return refuse('JSON', text)
  }
}

type Coercion = {
  coerceOutputValue: (value: unknown) => unknown
  coerceInputValue: (value: unknown) => unknown
}

const plain: Coercion = { coerceOutputValue: (value) => value, coerceInputValue: (value) => value }

const coercions: Readonly<Record<string, Coercion>> = {
  DateTime: time('DateTime'),
  DateTimeOrDuration: time('DateTimeOrDuration'),
  TimelessDate: time('TimelessDate'),
  TimelessDateOrDuration: time('TimelessDateOrDuration'),
  /** Goes over the wire as text that holds JSON, and is taken in either form. */
  JSON: {
    coerceOutputValue: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
    coerceInputValue: (value) => (typeof value === 'string' ? parsed(value) : value),
  },
  JSONObject: {
    coerceOutputValue: (value) => value,
    coerceInputValue: (value) =>
      typeof value === 'object' && value !== null ? value : refuse('JSONObject', value),
  },
  UUID: {
    coerceOutputValue: (value) => value,
    coerceInputValue: (value) => (isUuid(value) ? value : refuse('UUID', value)),
  },
}

export const makeScalar = (name: string, description: string | undefined): GraphQLScalarType =>
  new GraphQLScalarType({ name, description: description ?? null, ...(coercions[name] ?? plain) })
