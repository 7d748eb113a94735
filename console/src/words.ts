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

export const percent = (share: number | null | undefined): string =>
  share === null || share === undefined ? '–' : `${Math.round(share * 100)} %`

export const duration = (ms: number | null | undefined): string => {
  if (ms === null || ms === undefined) return '–'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const minute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
const day = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
})
const moment = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

const storyFull = new Intl.DateTimeFormat('en-GB', {
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
export const storyMinute = (ms: number): string => minute.format(ms)
export const storyDay = (ms: number): string => day.format(ms)
export const dateTime = readable(moment)
export const storyMoment = readable(storyFull)

/** A moment to the second, in UTC. */
export const exactly = (at: string): string => {
  const ms = Date.parse(at)
  return Number.isNaN(ms) ? at : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

export const dollars = (amount: number | null | undefined): string =>
  amount === null || amount === undefined
    ? '–'
    : amount > 0 && amount < 0.0001
      ? 'under $0.0001'
      : `$${amount.toFixed(4)}`

/** A size in the unit that people use for it. */
export const byteSize = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${(bytes / 1_000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`

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
