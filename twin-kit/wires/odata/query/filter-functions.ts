/** The functions that a filter may call: what they take and what they give. */

export type Kind = 'string' | 'number' | 'boolean' | 'datetime' | 'offset' | 'time' | 'guid' | 'null'
export type Runtime = string | number | boolean | null

export interface FilterFunction {
  readonly takes: readonly (readonly Kind[])[]
  readonly optional?: number
  readonly gives: Kind | 'same'
  readonly run: (...args: Runtime[]) => Runtime
}

const string: readonly Kind[] = ['string']
const number: readonly Kind[] = ['number']
const moment: readonly Kind[] = ['datetime', 'offset']
const momentOrTime: readonly Kind[] = ['datetime', 'offset', 'time']

/** Moments are ISO text, days without their time. */
const part =
  (from: number, to: number) =>
  (value: Runtime): Runtime =>
    value === null ? null : Number(String(value).slice(from, to))
/** Times of day are seconds; moments have their clock after their day. */
const clockPart =
  (from: number, divisor: number, modulo: number) =>
  (value: Runtime): Runtime => {
    if (value === null) return null
    return typeof value === 'number'
      ? Math.floor(value / divisor) % modulo
      : Number(value.toString().slice(from, from + 2))
  }

const text = (value: Runtime): string => (value === null ? '' : String(value))

export const functions: ReadonlyMap<string, FilterFunction> = new Map<string, FilterFunction>([
  [
    'substringof',
    { takes: [string, string], gives: 'boolean', run: (part, whole) => text(whole).includes(text(part)) },
  ],
  [
    'startswith',
    { takes: [string, string], gives: 'boolean', run: (whole, start) => text(whole).startsWith(text(start)) },
  ],
  [
    'endswith',
    { takes: [string, string], gives: 'boolean', run: (whole, end) => text(whole).endsWith(text(end)) },
  ],
  ['length', { takes: [string], gives: 'number', run: (value) => [...text(value)].length }],
  [
    'indexof',
    { takes: [string, string], gives: 'number', run: (whole, part) => text(whole).indexOf(text(part)) },
  ],
  [
    'replace',
    {
      takes: [string, string, string],
      gives: 'string',
      run: (whole, from, to) =>
        from === ''
          ? whole
          : text(whole)
              .replaceAll(text(from), () => text(to))
              .slice(0, 10_000),
    },
  ],
  [
    'substring',
    {
      takes: [string, number, number],
      optional: 1,
      gives: 'string',
      run: (whole, from, length) =>
        text(whole).substr(
          Math.max(0, Number(from)),
          length === undefined ? undefined : Math.max(0, Number(length)),
        ),
    },
  ],
  ['tolower', { takes: [string], gives: 'string', run: (value) => text(value).toLowerCase() }],
  ['toupper', { takes: [string], gives: 'string', run: (value) => text(value).toUpperCase() }],
  ['trim', { takes: [string], gives: 'string', run: (value) => text(value).trim() }],
  [
    'concat',
    { takes: [string, string], gives: 'string', run: (a, b) => (text(a) + text(b)).slice(0, 10_000) },
  ],
  ['year', { takes: [moment], gives: 'number', run: part(0, 4) }],
  ['month', { takes: [moment], gives: 'number', run: part(5, 7) }],
  ['day', { takes: [moment], gives: 'number', run: part(8, 10) }],
  ['hour', { takes: [momentOrTime], gives: 'number', run: clockPart(11, 3600, 24) }],
  ['minute', { takes: [momentOrTime], gives: 'number', run: clockPart(14, 60, 60) }],
  ['second', { takes: [momentOrTime], gives: 'number', run: clockPart(17, 1, 60) }],
  [
    'round',
    {
      takes: [number],
      gives: 'number',
      run: (value) =>
        value === null ? null : Math.sign(Number(value)) * Math.round(Math.abs(Number(value))),
    },
  ],
  [
    'floor',
    { takes: [number], gives: 'number', run: (value) => (value === null ? null : Math.floor(Number(value))) },
  ],
  [
    'ceiling',
    { takes: [number], gives: 'number', run: (value) => (value === null ? null : Math.ceil(Number(value))) },
  ],
])
