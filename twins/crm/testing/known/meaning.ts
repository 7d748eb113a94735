/**
 * The few things that answers are said with. They are kept plain, take no care of speed, and share nothing with the
 * twin: an answer that both get wrong would have to be misread twice.
 */

type Value = string | number | boolean | null

/** Names of a record's fields, in an answer's order. */
export const pick = <T extends object>(record: T, ...names: readonly (keyof T & string)[]) =>
  Object.fromEntries(names.map((name) => [name, record[name]]))

/** Text is the same whatever its case; nothing is the same as no text. */
export const same = (a: string | null | undefined, b: string): boolean =>
  typeof a === 'string' && a.toUpperCase() === b.toUpperCase()

export interface By<T> {
  readonly key: (record: T) => Value
  readonly down: boolean
  readonly nullsLast: boolean
}
export const up = <T>(key: (record: T) => Value, nulls: 'first' | 'last' = 'first'): By<T> => ({
  key,
  down: false,
  nullsLast: nulls === 'last',
})
export const down = <T>(key: (record: T) => Value, nulls: 'first' | 'last' = 'first'): By<T> => ({
  key,
  down: true,
  nullsLast: nulls === 'last',
})

/** Sorts by one key after the other; text by its capitals, empty ones first unless told. */
export const sorted = <T>(records: readonly T[], ...keys: readonly By<T>[]): T[] =>
  [...records].sort((a, b) => {
    for (const { key, down: falling, nullsLast } of keys) {
      const [x, y] = [key(a), key(b)].map((value) =>
        typeof value === 'string' ? value.toUpperCase() : typeof value === 'boolean' ? Number(value) : value,
      )
      if (x === y) continue
      if (x === null || x === undefined) return nullsLast ? 1 : -1
      if (y === null || y === undefined) return nullsLast ? -1 : 1
      return x < y === falling ? 1 : -1
    }
    return 0
  })

/** A choice by its place in the list of choices. */
export const placeIn =
  (...choices: readonly string[]) =>
  (value: string | null): number | null =>
    value === null ? null : choices.indexOf(value)

export const accountTypes = placeIn(
  'Prospect',
  'Customer - Direct',
  'Customer - Channel',
  'Channel Partner / Reseller',
  'Installation Partner',
  'Technology Partner',
  'Other',
)
export const stageNames = placeIn(
  'Prospecting',
  'Qualification',
  'Needs Analysis',
  'Value Proposition',
  'Id. Decision Makers',
  'Perception Analysis',
  'Proposal/Price Quote',
  'Negotiation/Review',
  'Closed Won',
  'Closed Lost',
)

/** Money is added in cents, since the service counts in decimals. */
export const sum = (values: readonly (number | null)[]): number | null => {
  const held = values.filter((value) => value !== null)
  return held.length === 0 ? null : held.reduce((cents, value) => cents + Math.round(value * 100), 0) / 100
}
export const average = (values: readonly (number | null)[]): number | null => {
  const total = sum(values)
  return total === null ? null : total / values.filter((value) => value !== null).length
}

/** Records that share a key, each lot once. */
export const lots = <T, K>(records: readonly T[], key: (record: T) => K): { key: K; of: T[] }[] => {
  const found: { key: K; of: T[] }[] = []
  for (const record of records) {
    const own = key(record)
    const lot = found.find((one) => one.key === own)
    if (lot) lot.of.push(record)
    else found.push({ key: own, of: [record] })
  }
  return found
}

/** `2026-03-29 03:00` as a clock on the wall shows it there. */
export const wall = (zone: string, moment: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(
    new Date(moment.replace('+0000', 'Z')),
  )
export const dayIn = (zone: string, moment: string): string => wall(zone, moment).slice(0, 10)

export const between = (value: string | null, first: string, last: string): boolean =>
  value !== null && value >= first && value <= last
