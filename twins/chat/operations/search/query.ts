import type { Seen } from '../../access.ts'
import { tsOf } from '../../values/time.ts'
import { dayAt, zoneAt } from '../people/zone.ts'
import { foldText, stemOf } from './words.ts'

/** What is looked for in the text. */
export interface Term {
  readonly kind: 'word' | 'prefix' | 'phrase'
  readonly text: string
  readonly negated: boolean
}

export interface Modifier {
  readonly name: string
  readonly value: string
  readonly negated: boolean
}

export interface Query {
  readonly terms: readonly Term[]
  readonly modifiers: readonly Modifier[]
  /** Bounds of ts, both outside. */
  readonly after?: string
  readonly before?: string
}

const maxTokens = 100
const token =
  /(-)?(?:(in|from|to|with|has|hasmy|is|before|after|on|during|creator):("[^"]*"|:[^\s:]+:|\S+)|"([^"]*)"?|(\S+))/gi

/** Reads the search grammar: words, phrases, wildcards and modifiers, each of which may be negated. */
export const parseQuery = (text: string, zone: { tz: string; now: number }): Query => {
  const terms: Term[] = []
  const modifiers: Modifier[] = []
  let after: string | undefined
  let before: string | undefined
  for (const match of [...text.matchAll(token)].slice(0, maxTokens)) {
    const [, minus, name, value, phrase, word] = match
    const negated = minus === '-'
    if (name !== undefined && value !== undefined) {
      const plain = value.replace(/^"|"$/g, '')
      const bounds = negated ? undefined : dateBounds(name.toLowerCase(), plain, zone)
      if (bounds?.after !== undefined && (after === undefined || bounds.after > after)) after = bounds.after
      if (bounds?.before !== undefined && (before === undefined || bounds.before < before))
        before = bounds.before
      if (!bounds) modifiers.push({ name: name.toLowerCase(), value: plain, negated })
    } else if (phrase !== undefined) {
      if (phrase.trim() !== '') terms.push({ kind: 'phrase', text: foldText(phrase.trim()), negated })
    } else if (word !== undefined) terms.push(...wordTerms(word, negated))
  }
  return { terms, modifiers, ...(after !== undefined && { after }), ...(before !== undefined && { before }) }
}

/** One token may hold several words, as in `cut-over`; they must all be there. */
const wordTerms = (token: string, negated: boolean): Term[] => {
  const words = foldText(token).match(/[\p{L}\p{N}_]+/gu) ?? []
  const isPrefix = token.endsWith('*')
  return words.map((word, n) =>
    isPrefix && n === words.length - 1
      ? { kind: 'prefix', text: word, negated }
      : { kind: 'word', text: stemOf(word), negated },
  )
}

const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]

interface Days {
  readonly first: string
  /** The day after the last one. */
  readonly end: string
}

/** Days follow the caller's time zone and the world's clock. */
const dateBounds = (name: string, value: string, zone: { tz: string; now: number }) => {
  if (!['before', 'after', 'on', 'during'].includes(name)) return undefined
  const days = readDays(value.toLowerCase(), dayAt(zone.tz, zone.now))
  if (!days) return {}
  const first = startOf(days.first, zone.tz)
  const end = startOf(days.end, zone.tz)
  if (name === 'before') return { before: tsOf(first) }
  if (name === 'after') return { after: tsOf(end - 1) }
  return { after: tsOf(first - 1), before: tsOf(end) }
}

const readDays = (value: string, today: string): Days | undefined => {
  const [year = '', month = ''] = today.split('-')
  if (value === 'today') return { first: today, end: shift(today, 1) }
  if (value === 'yesterday') return { first: shift(today, -1), end: today }
  if (value === 'week') return { first: shift(today, -6), end: shift(today, 1) }
  if (value === 'month') return monthOf(Number(year), Number(month))
  if (value === 'year') return { first: `${year}-01-01`, end: `${Number(year) + 1}-01-01` }
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(value)
  if (iso) return dayOf(iso[1], iso[2], iso[3])
  const american = /^(\d{1,2})[-/](\d{1,2})[-/](\d{4})$/.exec(value)
  if (american) return dayOf(american[3], american[1], american[2])
  const monthly = /^(\d{4})-(\d{1,2})$/.exec(value)
  if (monthly) return monthOf(Number(monthly[1]), Number(monthly[2]))
  if (/^\d{4}$/.test(value)) return { first: `${value}-01-01`, end: `${Number(value) + 1}-01-01` }
  const named = months.findIndex((name) => value.length >= 3 && name.startsWith(value))
  if (named === -1) return undefined
  return monthOf(named + 1 > Number(month) ? Number(year) - 1 : Number(year), named + 1)
}

const pad = (value: number): string => String(value).padStart(2, '0')

const dayOf = (year = '', month = '', day = ''): Days | undefined => {
  const first = `${year}-${pad(Number(month))}-${pad(Number(day))}`
  return Number.isNaN(Date.parse(`${first}T00:00:00Z`)) ? undefined : { first, end: shift(first, 1) }
}

const monthOf = (year: number, month: number): Days | undefined => {
  if (month < 1 || month > 12) return undefined
  const end = month === 12 ? `${year + 1}-01-01` : `${year}-${pad(month + 1)}-01`
  return { first: `${year}-${pad(month)}-01`, end }
}

const shift = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

/** The first microsecond of a day in a zone. */
const startOf = (day: string, tz: string): number => {
  const utc = Date.parse(`${day}T00:00:00Z`)
  return (utc - zoneAt(tz, utc).offsetSeconds * 1_000) * 1_000
}

/** Who `@name`, a display name, `<@U…>` or `me` means. */
export const personNamed = (call: Seen, value: string): string | undefined => {
  const id = /^<?@?([UW][A-Z0-9]{6,})(?:\|[^>]*)?>?$/.exec(value)?.[1]
  if (id && call.tables.user.has(id)) return id
  const name = value.replace(/^@/, '')
  if (name === 'me') return call.actor?.id
  const byName = call.tables.user.first('name', name)
  if (byName) return byName.id
  const folded = foldText(name)
  for (const user of call.tables.user.find('all', 'all'))
    if (foldText(user.profile.display_name) === folded || foldText(user.real_name) === folded) return user.id
  return undefined
}
