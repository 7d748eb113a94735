import { type DayNumber, firstOfMonth, partsOf } from '../dates.ts'

/** The days that a date literal covers, from the first to before the last, seen from a day. */
export const daysOf = (name: string, n: number | undefined, today: DayNumber): [DayNumber, DayNumber] => {
  const { year, month, weekday } = partsOf(today)
  const count = Math.min(n ?? 0, 100_000)
  const days = (from: number, to: number): [DayNumber, DayNumber] => [today + from, today + to]
  const months = (from: number, to: number): [DayNumber, DayNumber] => [
    firstOfMonth(year, month + from),
    firstOfMonth(year, month + to),
  ]
  const quarterMonth = Math.floor((month - 1) / 3) * 3 + 1
  const units: Readonly<Record<string, (from: number, to: number) => [DayNumber, DayNumber]>> = {
    DAY: days,
    WEEK: (from, to) => [today - weekday + from * 7, today - weekday + to * 7],
    MONTH: months,
    QUARTER: (from, to) => [
      firstOfMonth(year, quarterMonth + from * 3),
      firstOfMonth(year, quarterMonth + to * 3),
    ],
    YEAR: (from, to) => [firstOfMonth(year + from, 1), firstOfMonth(year + to, 1)],
  }
  if (name === 'TODAY') return days(0, 1)
  if (name === 'YESTERDAY') return days(-1, 0)
  if (name === 'TOMORROW') return days(1, 2)
  if (name === 'LAST_90_DAYS') return days(-90, 1)
  if (name === 'NEXT_90_DAYS') return days(1, 91)
  // The fiscal year of the organization is the calendar year.
  const plain = name.replace('FISCAL_', '')
  const unit = units[/(DAY|WEEK|MONTH|QUARTER|YEAR)/.exec(plain)?.[1] ?? 'DAY'] ?? days
  if (plain.endsWith('_AGO')) return unit(-count, 1 - count)
  if (plain.startsWith('LAST_N_')) return plain === 'LAST_N_DAYS' ? days(-count, 1) : unit(-count, 0)
  if (plain.startsWith('NEXT_N_')) return unit(1, count + 1)
  if (plain.startsWith('LAST_')) return unit(-1, 0)
  if (plain.startsWith('NEXT_')) return unit(1, 2)
  return unit(0, 1)
}
