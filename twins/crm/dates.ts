const dayMs = 86_400_000

/** `2022-03-17T16:21:26.000+0000`, as the service writes a moment. */
export const nativeMoment = (ms: number): string => `${new Date(ms).toISOString().slice(0, 23)}+0000`

/** A moment of the service is kept to the second. */
export const nativeSecond = (ms: number): string => nativeMoment(Math.floor(ms / 1000) * 1000)

export const readMoment = (text: string): number | undefined => {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/i.exec(
    text,
  )
  if (!match) return undefined
  const [, day = '', hour = '', minute = '', second = '00', fraction = '', zone = 'Z'] = match
  const offset =
    zone.toUpperCase() === 'Z' ? 'Z' : zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone
  if (!isDay(day)) return undefined
  const ms = Date.parse(`${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}${offset}`)
  return Number.isNaN(ms) ? undefined : ms
}

/** Whether `YYYY-MM-DD` names a day that exists. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const ms = Date.parse(`${text}T00:00:00.000Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === text
}

/** The same day so many months later, or the last day of that month where it has no such day. */
export const addMonths = (text: string, months: number): string => {
  const { year, month, day } = partsOf(dayNumber(text))
  const first = new Date(Date.UTC(year, month - 1 + months, 1))
  const days = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  first.setUTCDate(Math.min(day, days))
  return first.toISOString().slice(0, 10)
}

/** A day counted from the epoch: arithmetic on days without any time zone. */
export type DayNumber = number
export const dayNumber = (text: string): DayNumber => Math.floor(Date.parse(`${text}T00:00:00.000Z`) / dayMs)
export const dayText = (day: DayNumber): string => new Date(day * dayMs).toISOString().slice(0, 10)
export const partsOf = (day: DayNumber): { year: number; month: number; day: number; weekday: number } => {
  const date = new Date(day * dayMs)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  }
}
/** The first day of a month; months run on past twelve and below one. */
export const firstOfMonth = (year: number, month: number): DayNumber =>
  Math.floor(Date.UTC(year, month - 1, 1) / dayMs)

/** A time zone, made for the length of a request: it keeps the formatter and the offsets it has already asked for. */
export interface Zone {
  readonly name: string
  /** How far the zone is ahead of UTC at a moment. */
  readonly offsetMs: (ms: number) => number
  readonly dayOf: (ms: number) => DayNumber
  /** The moment at which a day begins here. */
  readonly startOf: (day: DayNumber) => number
}

const quarterMs = 900_000

export const zoneNamed = (name: string): Zone => {
  let format: Intl.DateTimeFormat | undefined
  const offsets = new Map<number, number>()
  const measure = (second: number): number => {
    format ??= new Intl.DateTimeFormat('en-US', {
      timeZone: isZone(name) ? name : 'UTC',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    const parts: Record<string, number> = {}
    for (const { type, value } of format.formatToParts(second)) parts[type] = Number(value)
    const { year = 1970, month = 1, day = 1, hour = 0, minute = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute, parts.second ?? 0) - second
  }
  // Offsets change on quarters of an hour only, so one measure serves every moment of a quarter.
  const offsetMs = (ms: number): number => {
    const quarter = Math.floor(ms / quarterMs)
    const kept = offsets.get(quarter)
    if (kept !== undefined) return kept
    const offset = measure(quarter * quarterMs)
    offsets.set(quarter, offset)
    return offset
  }
  return {
    name,
    offsetMs,
    dayOf: (ms) => Math.floor((ms + offsetMs(ms)) / dayMs),
    startOf: (day) => {
      const guess = day * dayMs
      return guess - offsetMs(guess - offsetMs(guess))
    },
  }
}

export const isZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
