import { z } from 'zod'

/**
 * Walks a value beside its schema. Renames fields to the schema's own casing, and lists the fields that the schema
 * does not know; what a schema leaves open (records, unknown) is left alone.
 */
export interface UnknownField {
  readonly pointer: string
  readonly field: string
  /** The known name that is nearest to it, where one is near. */
  readonly nearest: string | undefined
}

export const fitFields = (schema: z.ZodType, value: unknown): { value: unknown; unknown: UnknownField[] } => {
  const unknown: UnknownField[] = []
  return { value: fit(schema, value, '', unknown), unknown }
}

const fit = (schema: z.ZodType, value: unknown, pointer: string, unknown: UnknownField[]): unknown => {
  if (typeof value !== 'object' || value === null) return value
  const inner = schemaFor(schema, value)
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    const element = asType(inner.def.element)
    return value.map((item, index) => fit(element, item, `${pointer}/${index}`, unknown))
  }
  if (inner instanceof z.ZodObject && !Array.isArray(value)) return fitObject(inner, value, pointer, unknown)
  return value
}

const fitObject = (schema: z.ZodObject, value: object, pointer: string, unknown: UnknownField[]) => {
  const shape = schema.def.shape
  const fitted: Record<string, unknown> = {}
  for (const [field, item] of Object.entries(value)) {
    const name = Object.hasOwn(shape, field) ? field : namesOf(schema).get(folded(field))
    const known = name === undefined ? undefined : shape[name]
    if (name === undefined || known === undefined) {
      if (!schema.def.catchall) {
        const nearest = nearestName(field, Object.keys(shape))
        unknown.push({ pointer: `${pointer}/${escapePointer(field)}`, field, nearest })
      }
      setField(fitted, field, item)
    } else if (!Object.hasOwn(fitted, name) || name === field) {
      const isOpen = typeof item === 'object' && item !== null
      const place = isOpen ? `${pointer}/${escapePointer(field)}` : pointer
      setField(fitted, name, isOpen ? fit(asType(known), item, place, unknown) : item)
    }
  }
  return fitted
}

/** A schema's names in one spelling. Few requests need them: most spell fields as the schema does. */
const namesOf = (schema: z.ZodObject): ReadonlyMap<string, string> =>
  new Map([
    ...aliasesOf(schema),
    ...Object.keys(schema.def.shape).map((name) => [folded(name), name] as const),
  ])

/** Other names that a schema takes for its fields, from its `meta`. */
const aliasesOf = (schema: z.ZodObject): (readonly [string, string])[] => {
  const aliases = schema.meta()?.aliases
  return typeof aliases === 'object' && aliases !== null
    ? Object.entries(aliases).map(([alias, name]) => [folded(alias), String(name)] as const)
    : []
}

/** `__proto__` is a field like any other. */
const setField = (target: Record<string, unknown>, field: string, value: unknown): void => {
  if (field !== '__proto__') target[field] = value
  else Object.defineProperty(target, field, { value, enumerable: true, writable: true, configurable: true })
}

/** Unwraps a schema, and picks the branch of a union that the value's outer form fits. */
export const schemaFor = (schema: z.ZodType, value: unknown): z.ZodType => {
  let inner = schema
  for (let depth = 0; depth < 20; depth++) {
    if (
      inner instanceof z.ZodOptional ||
      inner instanceof z.ZodNullable ||
      inner instanceof z.ZodDefault ||
      inner instanceof z.ZodPrefault ||
      inner instanceof z.ZodReadonly
    )
      inner = asType(inner.def.innerType)
    else if (inner instanceof z.ZodPipe)
      inner = inner.def.in instanceof z.ZodTransform ? asType(inner.def.out) : asType(inner.def.in)
    else if (inner instanceof z.ZodUnion) {
      const options = inner.def.options.map((option) => schemaFor(asType(option), value))
      const fitting = options.find((option) =>
        Array.isArray(value)
          ? option instanceof z.ZodArray
          : option instanceof z.ZodObject && typeof value === 'object',
      )
      return fitting ?? options[0] ?? inner
    } else return inner
  }
  return inner
}

const asType = (schema: unknown): z.ZodType => schema as z.ZodType
const folded = (name: string) => name.replaceAll('_', '').toLowerCase()
export const escapePointer = (field: string) => field.replaceAll('~', '~0').replaceAll('/', '~1')

/** The nearest of the known names, if fewer than a third of its letters differ. */
export const nearestName = (field: string, names: readonly string[]): string | undefined => {
  let best: { name: string; distance: number } | undefined
  for (const name of names) {
    const distance = editDistance(folded(field).slice(0, 64), folded(name))
    if (distance <= Math.max(1, Math.floor(name.length / 3)) && (!best || distance < best.distance))
      best = { name, distance }
  }
  return best?.name
}

const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      )
    row = next
  }
  return row[b.length] ?? 0
}
