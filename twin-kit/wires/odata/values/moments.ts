/** Days, moments and times of day, between their text, their milliseconds and their wire forms. */

const moment = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?(Z|[+-]\d{2}:\d{2})?$/
const earliest = Date.parse('0001-01-01T00:00:00.000Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** Milliseconds of an ISO date and time; undefined where it is none, as on 31 February. */
export const momentMs = (text: string, zoned: boolean): number | undefined => {
  const match = moment.exec(text)
  if (!match || (match[8] !== undefined) !== zoned) return undefined
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone = 'Z'] = match
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`
  const ms = Date.parse(`${local}Z`)
  if (!inRange(ms) || isoOf(ms) !== `${local}Z`) return undefined
  const shifted = Date.parse(`${local}${zone}`)
  return inRange(shifted) ? shifted : undefined
}

const inRange = (ms: number): boolean => Number.isFinite(ms) && ms >= earliest && ms <= latest

export const isoOf = (ms: number): string => new Date(ms).toISOString()

export const dayOf = (ms: number): string => isoOf(ms).slice(0, 10)

/** Milliseconds of a value as a row holds it: a day or an ISO moment. */
export const storedMs = (value: string): number => Date.parse(value)

const duration = /^PT(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,6})(?:\.\d{1,7})?S)?$/

/** Seconds since midnight of `PT09H30M00S`; undefined where it is no time of day. */
export const timeSeconds = (text: string): number | undefined => {
  const match = duration.exec(text)
  if (!match || text === 'PT') return undefined
  const [, hours = '0', minutes = '0', seconds = '0'] = match
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return total < 86_400 ? total : undefined
}

const two = (value: number): string => String(value).padStart(2, '0')

export const timeText = (seconds: number): string =>
  `PT${two(Math.floor(seconds / 3600))}H${two(Math.floor(seconds / 60) % 60)}M${two(seconds % 60)}S`

/** The time of day of a moment. */
export const timeOf = (ms: number): string =>
  timeText(Math.floor((((ms % 86_400_000) + 86_400_000) % 86_400_000) / 1000))

const jsonDate = /^\/Date\((-?\d{1,16})([+-]\d{4})?\)\/$/

/** Milliseconds of `/Date(…)/`. */
export const jsonDateMs = (text: string): number | undefined => {
  const ms = Number(jsonDate.exec(text)?.[1] ?? Number.NaN)
  return inRange(ms) ? ms : undefined
}
