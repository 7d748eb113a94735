/** A value as one short line. */
export const brief = (value: unknown, most = 60): string => {
  if (value === null || value === undefined) return 'empty'
  if (value === '') return '“”'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

export const text = (record: Readonly<Record<string, unknown>> | null | undefined, field: string): string => {
  const value = record?.[field]
  return value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
}

/** The reader's own language decides how numbers, amounts and times are written; the words are English. */
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const share = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 })
const oneDigit = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const twoDigits = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const plainNumber = new Intl.NumberFormat()
const usd = (digits: number) =>
  new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
const cents = usd(2)
const fractions = usd(4)

export const count = (value: number): string => whole.format(value)
export const decimal = (value: number): string => plainNumber.format(value)
export const score = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : twoDigits.format(value)

export const percent = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : share.format(value)

/** An amount in the currency that the record names; one that no currency fits is written with its code. */
export const money = (amount: number, currency: string): string => {
  try {
    return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(amount)
  } catch {
    return `${plainNumber.format(amount)} ${currency}`.trim()
  }
}

export const duration = (ms: number | null | undefined): string => {
  if (ms === null || ms === undefined) return '–'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${oneDigit.format(ms / 1_000)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
}

export const plural = (number: number, one: string, many = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : many}`

const time = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const minute = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
  hourCycle: 'h23',
})
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const day = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
})
const moment = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

const calendarDay = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})
const storyFull = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})

/** A text that no clock can read is shown as it was written. */
const readable =
  (format: Intl.DateTimeFormat) =>
  (at: string): string => {
    const ms = Date.parse(at)
    return Number.isNaN(ms) ? at : format.format(ms)
  }

export const clockTime = readable(time)
export const shortDate = readable(date)
export const storyMinute = (ms: number): string => minute.format(ms)
export const storyDay = (ms: number): string => day.format(ms)
export const dateTime = readable(moment)
export const storyMoment = readable(storyFull)
/** A day without a time, such as `2026-03-27`, which is the same day in every zone. */
export const storyDate = readable(calendarDay)

/** A moment to the second, in UTC. */
export const exactly = (at: string): string => {
  const ms = Date.parse(at)
  return Number.isNaN(ms) ? at : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

export const dollars = (amount: number | null | undefined): string =>
  amount === null || amount === undefined
    ? '–'
    : amount > 0 && amount < 0.0001
      ? `< ${fractions.format(0.0001)}`
      : (amount > 0 && amount < 1 ? fractions : cents).format(amount)

/** A size in the unit that people use for it. */
export const byteSize = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${oneDigit.format(bytes / 1_000)} kB`
      : `${oneDigit.format(bytes / 1_000_000)} MB`

/** How long ago, or how long until, in the largest unit that says enough. */
export const ago = (at: string, nowMs: number): string => {
  const seconds = Math.round((nowMs - Date.parse(at)) / 1_000)
  const size = Math.abs(seconds)
  const words =
    size < 60
      ? `${size} s`
      : size < 3_600
        ? `${Math.floor(size / 60)} min`
        : size < 172_800
          ? `${Math.floor(size / 3_600)} h`
          : `${Math.floor(size / 86_400)} d`
  return seconds >= 0 ? `${words} ago` : `in ${words}`
}

export const initials = (name: string): string =>
  name
    .split(/[\s.]+/)
    .slice(0, 2)
    .map((part) => part.charAt(0).toUpperCase())
    .join('')

/** The weight of a scorer as a word. */
export const weightName = (weight: string): string => (weight === 'med' ? 'medium' : weight)
