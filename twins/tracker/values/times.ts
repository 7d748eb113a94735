/** Times as the API writes and reads them: instants in ISO 8601, shortcuts such as `2021`, and durations such as `-P2W1D`. */

const duration =
  /^([+-])?P(?!$)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/
const date = /^\d{4}(-\d{2}(-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/

export const isInstant = (text: string): boolean =>
  duration.test(text) || (date.test(text) && !Number.isNaN(Date.parse(withZone(text))))

/** A time without an offset is UTC, on every machine. */
const withZone = (text: string): string =>
  /T/.test(text) && !/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text}Z` : text

/** Milliseconds of what was written, a duration being counted from now. */
export const instantOf = (text: string, now: number): number => {
  const parts = duration.exec(text)
  return parts ? addDuration(now, parts) : Date.parse(withZone(text))
}

/** Years and months move by the calendar, the rest by its length. */
const addDuration = (now: number, parts: RegExpExecArray): number => {
  const sign = parts[1] === '-' ? -1 : 1
  const [years, months, weeks, days, hours, minutes, seconds] = parts
    .slice(2)
    .map((part) => sign * Number(part ?? 0))
  const moved = new Date(now)
  moved.setUTCFullYear(moved.getUTCFullYear() + (years ?? 0))
  moved.setUTCMonth(moved.getUTCMonth() + (months ?? 0))
  const dayCount = (weeks ?? 0) * 7 + (days ?? 0)
  return (
    moved.getTime() + dayCount * day + (hours ?? 0) * hour + (minutes ?? 0) * minute + (seconds ?? 0) * 1000
  )
}

export const minute = 60_000
export const second = 1_000
export const hour = 60 * minute
export const day = 24 * hour

export const iso = (at: number): string => new Date(at).toISOString()
export const isoDay = (at: number): string => iso(at).slice(0, 10)

/** The length of a duration in milliseconds; a bare number is one already. */
export const durationOf = (value: unknown): number => {
  const text = String(value)
  const parts = duration.exec(text)
  return parts ? addDuration(0, parts) : Number(text)
}
