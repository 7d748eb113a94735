import { z } from 'zod'
import { isTimestamp } from './pages.ts'

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** The moment that `since` names: an ISO time, or a window such as `last_30m`, `last_24h`, `last_7d`, `last_2w`. */
export const sinceMoment = (since: string, now: number): Date | undefined => {
  if (isTimestamp(since)) return new Date(since)
  const window = /^last_([1-9]\d{0,4})([mhdw])$/.exec(since)
  const unit = unitMs[window?.[2] ?? '']
  return unit === undefined ? undefined : new Date(now - Number(window?.[1]) * unit)
}

/** `since` in a query. */
export const Since = z
  .string()
  .max(40)
  .refine(
    (text) => sinceMoment(text, 0) !== undefined,
    'must be an ISO-8601 time with an offset, or a window such as last_24h',
  )
  .meta({ description: 'An ISO time, or a window such as last_24h, last_7d, last_2w.' })
