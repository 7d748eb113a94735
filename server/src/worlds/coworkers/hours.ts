import type { CoworkerBlueprint } from '@diorama/contract/blueprint/coworkers'

type Hours = NonNullable<CoworkerBlueprint['hours']>

const minuteMs = 60_000
const dayMinutes = 1_440

/** The first moment from `at` on that lies in somebody's working hours. */
export const withinHours = (at: number, hours: Hours | null, timezone: string): number => {
  if (!hours) return at
  const [from, to] = [minutesOf(hours.from), minutesOf(hours.to)]
  let moment = at
  // A day at a time; twice as many as a week has, since a change of the clocks can take us back over midnight.
  for (let tries = 0; tries < 14; tries++) {
    const { day, minutes } = localTime(moment, timezone)
    const works = hours.days.includes(day)
    if (works && minutes >= from && minutes < to) return moment
    const start = works && minutes < from ? from : from + dayMinutes
    moment = Math.floor(moment / minuteMs) * minuteMs + (start - Math.floor(minutes)) * minuteMs
  }
  return moment
}

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

const localTime = (at: number, timeZone: string): { day: Hours['days'][number]; minutes: number } => {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at)
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? ''
  return {
    day: part('weekday').toLowerCase() as Hours['days'][number],
    minutes: Number(part('hour')) * 60 + Number(part('minute')),
  }
}
