import { isRecord } from '@diorama/contract/records'
import { z } from 'zod'

/** What a reader returns for a value that only the schema can judge. */
export const fallback = Symbol('fallback')

/** Returns what the schema would make of a JSON value, or `fallback`: then the schema itself must decide. */
export type FastReader = (value: unknown) => unknown

/**
 * Most bodies are right, and to find that out costs less than to be ready to say what is wrong. A reader knows the plain
 * parts of a schema (objects, records, arrays, texts, choices); it takes nothing that the schema would refuse, spells
 * nothing otherwise, and knows no field that the schema does not.
 */
export const fastReader = (schema: z.ZodType): FastReader => {
  const reader = readerOf(schema)
  const rules = reader && rulesOf(schema)
  if (!reader || !rules) return () => fallback
  if (rules.length === 0) return reader
  return (value) => {
    const made = reader(value)
    return made !== fallback && rules.every((rule) => rule(made) === true) ? made : fallback
  }
}

type Rule = (value: unknown) => unknown

/** The schema's own functions; undefined where it has rules of another kind. Lengths are the readers' own matter. */
const rulesOf = ({ def }: z.ZodType): Rule[] | undefined => {
  const rules: Rule[] = []
  for (const { _zod } of checksOf(def)) {
    if (isLength(_zod.def)) continue
    if (_zod.def.check !== 'custom' || !('fn' in _zod.def) || typeof _zod.def.fn !== 'function')
      return undefined
    const { fn } = _zod.def
    rules.push((value) => fn(value))
  }
  return rules
}

const readerOf = (schema: z.ZodType): FastReader | undefined => {
  if (schema instanceof z.ZodUnknown) return (value) => value
  if (schema instanceof z.ZodBoolean) return (value) => (typeof value === 'boolean' ? value : fallback)
  if (schema instanceof z.ZodEnum) return choiceReader(schema)
  if (schema instanceof z.ZodString) return textReader(schema)
  if (schema instanceof z.ZodNullable) return nullableReader(schema)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return fastReader(asType(schema.def.innerType))
  if (schema instanceof z.ZodArray) return arrayReader(schema)
  if (schema instanceof z.ZodRecord) return recordReader(schema)
  if (schema instanceof z.ZodObject) return objectReader(schema)
  if (schema instanceof z.ZodUnion) return unionReader(schema)
  return undefined
}

const choiceReader = (schema: z.ZodEnum): FastReader => {
  const choices = new Set<unknown>(schema.options)
  return (value) => (choices.has(value) ? value : fallback)
}

const textReader = (schema: z.ZodString): FastReader | undefined => {
  // A format, or a change of case, is a separate rule that only the schema knows.
  if ('format' in schema.def || schema.def.coerce === true) return undefined
  const { min, max } = lengthsOf(schema.def)
  // A letter has one unit of length or two: the schema counts letters.
  return (value) =>
    typeof value === 'string' && value.length >= (min <= 1 ? min : 2 * min) && value.length <= max
      ? value
      : fallback
}

const nullableReader = (schema: z.ZodNullable): FastReader => {
  const read = fastReader(asType(schema.def.innerType))
  return (value) => (value === null ? null : read(value))
}

const arrayReader = (schema: z.ZodArray): FastReader => {
  const read = fastReader(asType(schema.def.element))
  const { min, max } = lengthsOf(schema.def)
  return (value) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) return fallback
    const made: unknown[] = []
    for (const item of value) {
      const one = read(item)
      if (one === fallback) return fallback
      made.push(one)
    }
    return made
  }
}

const recordReader = (schema: z.ZodRecord): FastReader | undefined => {
  const { keyType, valueType, mode } = schema.def
  if (!(keyType instanceof z.ZodString) || mode !== undefined) return undefined
  const readName = fastReader(keyType)
  const read = fastReader(asType(valueType))
  const isOpen = valueType instanceof z.ZodUnknown && checksOf(keyType.def).length === 0
  return (value) => {
    if (!isRecord(value)) return fallback
    if (isOpen) return Object.hasOwn(value, '__proto__') ? fallback : value
    const made: Record<string, unknown> = {}
    for (const name in value) {
      const one = read(value[name])
      if (one === fallback || name === '__proto__' || readName(name) === fallback) return fallback
      made[name] = one
    }
    return made
  }
}

const objectReader = (schema: z.ZodObject): FastReader | undefined => {
  if (schema.def.catchall) return undefined
  const fields = Object.entries(schema.def.shape).map(([name, field]) => {
    const type = asType(field)
    return { name, read: fastReader(type), whenMissing: missingReader(type) }
  })
  return (value) => {
    if (!isRecord(value)) return fallback
    const made: Record<string, unknown> = {}
    let met = 0
    for (const { name, read, whenMissing } of fields) {
      const given = value[name]
      if (given !== undefined) {
        const one = read(given)
        if (one === fallback) return fallback
        made[name] = one
        met++
      } else if (whenMissing === undefined) return fallback
      else whenMissing(made, name)
    }
    for (const _ in value) met--
    return met === 0 ? made : fallback
  }
}

/** What becomes of a field that was not sent; undefined where it must be. */
const missingReader = (
  schema: z.ZodType,
): ((made: Record<string, unknown>, name: string) => void) | undefined => {
  if (rulesOf(schema)?.length !== 0) return undefined
  if (schema instanceof z.ZodOptional)
    return schema.def.innerType._zod.optin === 'defaulted' ? undefined : () => {}
  if (schema instanceof z.ZodDefault)
    return (made, name) => {
      made[name] = schema.def.defaultValue
    }
  return undefined
}

/** A list or an object, as batches are sent: which of the two a value is meant to be is plain to see. */
const unionReader = (schema: z.ZodUnion): FastReader | undefined => {
  const options = schema.def.options.map(asType)
  const list = options.find((option) => option instanceof z.ZodArray)
  const object = options.find((option) => option instanceof z.ZodObject)
  if (options.length !== 2 || !list || !object) return undefined
  const [readList, readObject] = [fastReader(list), fastReader(object)]
  return (value) => (Array.isArray(value) ? readList(value) : readObject(value))
}

interface Check {
  readonly _zod: { readonly def: { readonly check: string } }
}
const checksOf = ({ checks }: { readonly checks?: readonly Check[] | undefined }) => checks ?? []

const lengthsOf = (def: { readonly checks?: readonly Check[] | undefined }) => {
  let [min, max] = [0, Number.POSITIVE_INFINITY]
  for (const { _zod } of checksOf(def)) {
    if ('minimum' in _zod.def) min = Math.max(min, Number(_zod.def.minimum))
    if ('maximum' in _zod.def) max = Math.min(max, Number(_zod.def.maximum))
  }
  return { min, max }
}

const isLength = ({ check }: { readonly check: string }): boolean =>
  check === 'min_length' || check === 'max_length'

const asType = (schema: unknown): z.ZodType => schema as z.ZodType
