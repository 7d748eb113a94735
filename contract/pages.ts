import { z } from 'zod'

const whole = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : text)

/** A number that arrives as text in a query. */
export const queryInteger = (minimum: number, maximum: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? whole(value) : value),
    z.int('must be a whole number').min(minimum).max(maximum),
  )

export const queryBoolean = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')

/** What every list takes. */
export const pageQuery = {
  limit: queryInteger(1, 200).default(50).meta({ description: 'Items a page, at most 200.' }),
  cursor: z.string().max(1_000).optional().meta({ description: 'The next_cursor of the page before.' }),
}
export const PageQuery = z.object(pageQuery)
export type PageQuery = z.infer<typeof PageQuery>

/** What every list gives. */
export const pageOf = <S extends z.ZodType>(item: S) =>
  z.object({ items: z.array(item), next_cursor: z.string().nullable() })

export const Timestamp = z.string().meta({ format: 'date-time' })
const iso = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$/

export const isTimestamp = (text: string): boolean => iso.test(text) && !Number.isNaN(Date.parse(text))

/** An ISO-8601 time with an offset, on input. */
export const InputTimestamp = z
  .string()
  .refine(isTimestamp, 'must be an ISO-8601 time with an offset, such as 2026-03-02T09:00:00Z')
  .meta({ format: 'date-time' })
