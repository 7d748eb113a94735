import { z } from 'zod'
import { schemaFor } from './fields.ts'

export const camelKey = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/**
 * Renames the fields that the schema knows, and only those: what a schema leaves open (payloads, attributes, records
 * of a twin) belongs to its author. A field that this client does not know yet is renamed too, and left whole
 * below.
 */
export const camelize = (schema: z.ZodType, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  const inner = schemaFor(schema, value)
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    const element = inner.def.element as z.ZodType
    return value.map((item) => camelize(element, item))
  }
  if (!(inner instanceof z.ZodObject) || Array.isArray(value)) return value
  const shape: Readonly<Record<string, unknown>> = inner.def.shape
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const known = Object.hasOwn(shape, name) ? shape[name] : undefined
      return [camelKey(name), known instanceof z.ZodType ? camelize(known, item) : item]
    }),
  )
}
