import { dayNumber, partsOf, readMoment, type Zone } from '../dates.ts'

const dayMs = 86_400_000

/** How FORMAT writes a value of a type: as an American reads it, at the caller's own time. */
export const formatOf =
  (type: string, zone: Zone): ((value: unknown) => unknown) =>
  (value) => {
    if (typeof value === 'number') return numeral(type, value)
    if (typeof value !== 'string') return value
    if (type === 'date') return american(dayNumber(value))
    if (type !== 'dateTime') return value
    const ms = readMoment(value) ?? 0
    const local = ms + zone.offsetMs(ms)
    const minutes = Math.floor((local - Math.floor(local / dayMs) * dayMs) / 60_000)
    const hour = Math.floor(minutes / 60)
    const clock = `${hour % 12 || 12}:${String(minutes % 60).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`
    return `${american(Math.floor(local / dayMs))}, ${clock}`
  }

const american = (day: number): string => {
  const { year, month, day: ofMonth } = partsOf(day)
  return `${month}/${ofMonth}/${year}`
}

const numeral = (type: string, value: number): string => {
  if (type === 'currency') return `${value < 0 ? '-' : ''}$${grouped(Math.abs(value).toFixed(2))}`
  return `${grouped(String(value))}${type === 'percent' ? '%' : ''}`
}

/** Groups the digits before the decimal point in thousands. */
const grouped = (digits: string): string => {
  const [whole = '', fraction] = digits.split('.')
  const parts = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',')
  return fraction === undefined ? parts : `${parts}.${fraction}`
}
