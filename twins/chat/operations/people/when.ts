import { lookup } from '../../values/records.ts'
import { zoneAt } from './zone.ts'

export interface Recurrence {
  readonly frequency: 'daily' | 'weekly'
  /** 0 is Sunday; for weekly ones. */
  readonly weekdays?: number[] | undefined
}

export interface When {
  readonly time: number
  readonly recurrence?: Recurrence
}

export interface Clock {
  readonly nowSeconds: number
  readonly timeZone: string
}

const day = 86_400
const units: Readonly<Record<string, number>> = {
  second: 1,
  sec: 1,
  minute: 60,
  min: 60,
  hour: 3_600,
  hr: 3_600,
  day,
  week: 7 * day,
  month: 30 * day,
}
const weekdayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const standardTime = 9 * 3_600

export const weekdayOf = (name: string): number | undefined => {
  const at = weekdayNames.findIndex((one) => name.length >= 3 && one.startsWith(name.replace(/s$/, '')))
  return at === -1 ? undefined : at
}

/** A moment in words, such as `in 20 minutes`, `tomorrow at 9am`, `next monday` or `every weekday at noon`. */
export const readWhen = (text: string, clock: Clock): When | undefined => {
  const words = text.trim().toLowerCase().replace(/[,.]/g, ' ').replace(/\s+/g, ' ')
  return readSpan(words, clock) ?? readEvery(words, clock) ?? readDay(words, clock)
}

const readSpan = (words: string, { nowSeconds }: Clock): When | undefined => {
  if (/^in half an hour$/.test(words)) return { time: nowSeconds + 1_800 }
  const found = /^(?:in )?(\d{1,6}(?:\.\d{1,3})?|an?) ([a-z]+?)s?(?: from now)?$/.exec(words)
  const unit = found && lookup(units, found[2] ?? '')
  if (!unit) return undefined
  const count = /^an?$/.test(found[1] ?? '') ? 1 : Number(found[1])
  return { time: nowSeconds + Math.round(count * unit) }
}

/** Seconds since midnight; undefined where the words are no time of day. */
const readClock = (words: string): number | undefined => {
  if (words === '') return standardTime
  const text = words.replace(/^at /, '')
  const named = lookup({ noon: 12 * 3_600, midnight: 0, morning: standardTime, evening: 18 * 3_600 }, text)
  if (named !== undefined) return named
  const [, hour = '', minute = '0', half] = /^(\d{1,2})(?::(\d{2}))? ?(am|pm)?$/.exec(text) ?? []
  const [hours, minutes] = [Number(hour), Number(minute)]
  if (hour === '' || hours > 23 || minutes > 59 || (half && (hours === 0 || hours > 12))) return undefined
  const inDay = half ? (hours % 12) + (half === 'pm' ? 12 : 0) : hours
  return inDay * 3_600 + minutes * 60
}

/** Today as a count of days in a zone, and its day of the week. */
const todayOf = ({ nowSeconds, timeZone }: Clock): { today: number; weekday: number } => {
  const today = Math.floor((nowSeconds + zoneAt(timeZone, nowSeconds * 1_000).offsetSeconds) / day)
  return { today, weekday: (today + 4) % 7 }
}

/** The moment of a local day and time; the zone's offset is that of the moment itself. */
const momentOf = (days: number, time: number, timeZone: string): number => {
  const local = days * day + time
  return local - zoneAt(timeZone, local * 1_000).offsetSeconds
}

const readDay = (words: string, clock: Clock): When | undefined => {
  const { today, weekday } = todayOf(clock)
  const relative = /^(today|tomorrow|tonight|next week)(?: (.+))?$/.exec(words)
  if (relative) {
    const [, name = '', rest = ''] = relative
    const ahead = name === 'tomorrow' ? 1 : name === 'next week' ? (8 - weekday) % 7 || 7 : 0
    const time = readClock(name === 'tonight' && rest === '' ? '8pm' : rest)
    return time === undefined ? undefined : later({ days: today + ahead, time, step: 0 }, clock)
  }
  const named = /^(?:on |next |this )?([a-z]+)(?: (.+))?$/.exec(words)
  const wanted = named ? weekdayOf(named[1] ?? '') : undefined
  if (wanted !== undefined) {
    const time = readClock(named?.[2] ?? '')
    const ahead = (wanted - weekday + 7) % 7
    return time === undefined ? undefined : later({ days: today + ahead, time, step: 7 }, clock)
  }
  const dated = readDate(words, clock)
  if (dated) return dated
  const time = words === '' ? undefined : readClock(words)
  return time === undefined ? undefined : later({ days: today, time, step: 1 }, clock)
}

/** A moment, or `step` days later where it has passed; nothing where there is no later one. */
const later = (
  { days, time, step }: { days: number; time: number; step: number },
  { nowSeconds, timeZone }: Clock,
): When | undefined => {
  const moment = momentOf(days, time, timeZone)
  if (moment > nowSeconds) return { time: moment }
  return step > 0 ? { time: momentOf(days + step, time, timeZone) } : undefined
}

/** A date of the calendar: `2026-03-05`, `march 5`, `5 march 2027`. */
const readDate = (words: string, clock: Clock): When | undefined => {
  const iso = /^(?:on )?(\d{4})-(\d{2})-(\d{2})(?: (.+))?$/.exec(words)
  const spoken =
    /^(?:on )?([a-z]{3,9}) (\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?(?: (at .+|\d.*|noon|midnight))?$/.exec(
      words,
    )
  const month = iso ? Number(iso[2]) - 1 : monthNames.findIndex((name) => spoken?.[1]?.startsWith(name))
  if (!iso && (!spoken || month === -1)) return undefined
  const time = readClock((iso ? iso[4] : spoken?.[4]) ?? '')
  if (time === undefined) return undefined
  const number = Number(iso ? iso[3] : spoken?.[2])
  const year = Number(iso ? iso[1] : (spoken?.[3] ?? new Date(clock.nowSeconds * 1_000).getUTCFullYear()))
  const at = (inYear: number): number =>
    momentOf(Date.UTC(inYear, month, number) / 1_000 / day, time, clock.timeZone)
  if (new Date(Date.UTC(year, month, number)).getUTCDate() !== number) return undefined
  if (at(year) > clock.nowSeconds) return { time: at(year) }
  return iso || spoken?.[3] ? undefined : { time: at(year + 1) }
}

const readEvery = (words: string, clock: Clock): When | undefined => {
  const found =
    /^(?:every |each )(day|weekday|[a-z]+)(?: (.+))?$/.exec(words) ?? /^(daily)(?: (.+))?$/.exec(words)
  if (!found) return undefined
  const [, name = '', rest = ''] = found
  const time = readClock(rest)
  if (time === undefined) return undefined
  const isDaily = name === 'day' || name === 'daily'
  const one = weekdayOf(name)
  const weekdays = name === 'weekday' ? [1, 2, 3, 4, 5] : one === undefined ? undefined : [one]
  if (!isDaily && !weekdays) return undefined
  const recurrence: Recurrence = isDaily ? { frequency: 'daily' } : { frequency: 'weekly', weekdays }
  return { time: nextTime(time, recurrence, clock), recurrence }
}

/** The first moment after now at which a reminder recurs; `time` is its time of day in seconds. */
export const nextTime = (time: number, { weekdays }: Recurrence, clock: Clock): number => {
  const { today } = todayOf(clock)
  for (let days = today; ; days++) {
    const moment = momentOf(days, time, clock.timeZone)
    const isWanted = !weekdays || weekdays.length === 0 || weekdays.includes((days + 4) % 7)
    if ((moment > clock.nowSeconds && isWanted) || days > today + 14) return moment
  }
}

/** The time of day of a moment, in seconds. */
export const timeOfDay = (moment: number, timeZone: string): number =>
  (moment + zoneAt(timeZone, moment * 1_000).offsetSeconds) % day
