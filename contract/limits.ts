import { z } from 'zod'
import type { ErrorDetail } from './errors.ts'
import { schemaFor } from './fields.ts'
import { isTimestamp } from './pages.ts'

/**
 * Holds a value of the right shape against the limits that its schema states in `meta` (the same words that its JSON
 * Schema shows): counts, ranges, lengths, patterns and formats. Every fault is listed.
 */
export const limitFaults = (schema: z.ZodType, value: unknown, pointer = ''): ErrorDetail[] => {
  if (value === null || value === undefined) return []
  const faults = metaFaults(schema, value).map((message) => ({ pointer, message }))
  const inner = schemaFor(schema, value)
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    const element = inner.def.element as z.ZodType
    return faults.concat(value.flatMap((item, index) => limitFaults(element, item, `${pointer}/${index}`)))
  }
  if (inner instanceof z.ZodObject && typeof value === 'object')
    for (const [field, item] of Object.entries(inner.def.shape)) {
      const held = (value as Record<string, unknown>)[field]
      faults.push(...limitFaults(item as z.ZodType, held, `${pointer}/${field}`))
    }
  return faults
}

const metaFaults = (schema: z.ZodType, value: unknown): string[] => {
  const metas = metasOf(schema)
  return metas.length === 0 ? [] : [...new Set(metas.flatMap((meta) => faultsOf(meta, value)))]
}

const read = new WeakMap<z.ZodType, readonly Record<string, unknown>[]>()

/** The meta of a schema and of everything around it; read once, since schemas never change. */
const metasOf = (schema: z.ZodType): readonly Record<string, unknown>[] => {
  const known = read.get(schema)
  if (known) return known
  const metas: Record<string, unknown>[] = []
  let layer: unknown = schema
  for (let depth = 0; depth < 20 && layer instanceof z.ZodType; depth++) {
    const meta = layer.meta()
    if (meta) metas.push(meta)
    layer = (layer.def as { innerType?: unknown }).innerType
  }
  read.set(schema, metas)
  return metas
}

const faultsOf = (meta: Record<string, unknown>, value: unknown): string[] => {
  if (typeof value === 'string') return textFaults(meta, value)
  if (typeof value === 'number') return numberFaults(meta, value)
  if (Array.isArray(value)) return countFaults(meta, value.length)
  return []
}

const bound = (meta: Record<string, unknown>, name: string) => {
  const limit = meta[name]
  return typeof limit === 'number' ? limit : undefined
}

const countFaults = (meta: Record<string, unknown>, count: number): string[] => {
  const [least, most] = [bound(meta, 'minItems'), bound(meta, 'maxItems')]
  if (least !== undefined && count < least) return [`must have at least ${least} items; it has ${count}`]
  if (most !== undefined && count > most) return [`must have at most ${most} items; it has ${count}`]
  return []
}

const numberFaults = (meta: Record<string, unknown>, value: number): string[] => {
  const [least, most] = [bound(meta, 'minimum'), bound(meta, 'maximum')]
  if (least !== undefined && value < least) return [`must be at least ${least}; it is ${value}`]
  if (most !== undefined && value > most) return [`must be at most ${most}; it is ${value}`]
  return []
}

const textFaults = (meta: Record<string, unknown>, text: string): string[] => {
  const [least, most] = [bound(meta, 'minLength'), bound(meta, 'maxLength')]
  const length = [...text].length
  if (least !== undefined && length < least)
    return [least === 1 ? 'must not be empty' : `must have at least ${least} characters`]
  if (most !== undefined && length > most) return [`must have at most ${most} characters; it has ${length}`]
  if (typeof meta.pattern === 'string' && !new RegExp(meta.pattern, 'u').test(text))
    return [`must match ${meta.pattern}`]
  const format = typeof meta.format === 'string' ? formats[meta.format] : undefined
  return format && !format.fits(text) ? [format.says] : []
}

const realDate = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00:00Z`)
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
  )
}

/** Asking the calendar about a zone is slow; most blueprints use the zones it lists. */
const listedZones: ReadonlySet<string> = new Set(Intl.supportedValuesOf('timeZone'))

const knownTimezone = (text: string): boolean => {
  if (listedZones.has(text)) return true
  try {
    return text !== '' && new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const formats: Readonly<Record<string, { fits: (text: string) => boolean; says: string }>> = {
  'date-time': {
    fits: isTimestamp,
    says: 'must be an ISO-8601 time with an offset, such as 2026-03-02T09:00:00Z',
  },
  date: { fits: realDate, says: 'must be a date in the form YYYY-MM-DD' },
  timezone: { fits: knownTimezone, says: 'must be an IANA time zone, such as Europe/Berlin' },
  email: { fits: (text) => /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(text), says: 'must be an e-mail address' },
  hostname: {
    fits: (text) => /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i.test(text),
    says: 'must be a domain name, such as example.com',
  },
}
