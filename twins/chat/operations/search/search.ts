import { canSee, type Seen, selfOf } from '../../access.ts'
import type { ChannelRow, FileRow, MessageRow } from '../../tables.ts'
import { lookup } from '../../values/records.ts'
import { contentOf, isSearchable } from '../messages/content.ts'
import { canonicalName } from '../messages/emoji.ts'
import { occurrences } from './match.ts'
import { type Modifier, parseQuery, personNamed, type Query, type Term } from './query.ts'
import { foldText, startKey, startLength, wordsOf } from './words.ts'

type Test = (row: MessageRow) => boolean

/** Above this many hits the newest come first whatever the order asked for; weighing them all would cost too much. */
const maxWeighed = 1_000

export interface Hit {
  readonly row: MessageRow
  readonly score: number
}

export const queryOf = (call: Seen, text: string): Query => {
  const self = call.tables.user.get(selfOf(call))
  return parseQuery(text, { tz: self?.is_bot ? 'UTC' : (self?.tz ?? 'UTC'), now: call.now })
}

/** Messages that fit a query and that the caller can see, newest first or by weight. */
export const searchMessages = (
  call: Seen,
  query: Query,
  order: { sort: string; ascending: boolean },
): Hit[] => {
  const tests = [visibleTest(call), ...modifierTests(call, query.modifiers)]
  const { rows, checked, isOrdered } = candidates(call, query)
  const terms = query.terms.filter((term) => term !== checked)
  const hits: MessageRow[] = []
  for (const row of rows)
    if (isSearchable(row) && tests.every((test) => test(row)) && hasTerms(row, terms)) hits.push(row)
  if (!isOrdered) hits.sort(newerFirst)
  const weighed = order.sort !== 'timestamp' && hits.length <= maxWeighed
  const scored = hits.map((row) => ({ row, score: weighed ? weight(row, query.terms) : 0 }))
  if (weighed) scored.sort((a, b) => b.score - a.score || newerFirst(a.row, b.row))
  return order.ascending ? scored.reverse() : scored
}

const newerFirst = (a: MessageRow, b: MessageRow): number => (a.ts < b.ts ? 1 : a.ts > b.ts ? -1 : 0)

const hasTerms = (row: MessageRow, terms: readonly Term[]): boolean => {
  if (terms.length === 0) return true
  const text = foldText(contentOf(row))
  return terms.every((term) => occurrences(text, term) > 0 !== term.negated)
}

interface Candidates {
  readonly rows: Iterable<MessageRow>
  /** The term that every one of these rows has. */
  readonly checked?: Term
  readonly isOrdered: boolean
}

/** The smallest set of rows that holds every hit. */
const candidates = (call: Seen, query: Query): Candidates => {
  const { message } = call.tables
  const range = {
    ...(query.after !== undefined && { after: query.after }),
    ...(query.before !== undefined && { before: query.before }),
    reverse: true,
  }
  const rarer = (a: { count: number }, b: { count: number }) => a.count - b.count
  const counted = (term: Term, word: string) => ({ term, word, count: message.count('word', word) })
  const positive = query.terms.filter(({ negated }) => !negated)
  const [rarest] = positive
    .filter(({ kind }) => kind === 'word')
    .map((term) => counted(term, term.text))
    .sort(rarer)
  if (rarest) return { rows: message.find('word', rarest.word, range), checked: rarest.term, isOrdered: true }
  const [inPhrase] = positive
    .filter(({ kind }) => kind === 'phrase')
    .flatMap((term) => wordsOf(term.text).map((word) => counted(term, word)))
    .sort(rarer)
  if (inPhrase) return { rows: message.find('word', inPhrase.word, range), isOrdered: true }
  const beginning = positive.find(({ kind, text }) => kind === 'prefix' && text.length >= startLength)
  if (beginning) return { rows: message.find('word', startKey(beginning.text), range), isOrdered: true }
  const author = onlyOne(query, 'from', (value) => personNamed(call, value))
  if (author) return { rows: message.find('author', author, range), isOrdered: true }
  const place = onlyOne(query, 'in', (value) => placeNamed(call, value))
  if (place) return { rows: message.find('channel', place.id, range), isOrdered: true }
  const visible = [...call.tables.channel.all()].filter((channel) => canSee(call, channel))
  return { rows: joined(visible.map(({ id }) => message.find('channel', id, range))), isOrdered: false }
}

function* joined(runs: readonly Iterable<MessageRow>[]): Generator<MessageRow> {
  for (const run of runs) yield* run
}

/** What a modifier names, where the query has it once. */
const onlyOne = <V>(query: Query, name: string, find: (value: string) => V): V | undefined => {
  const [first, ...rest] = query.modifiers.filter((modifier) => modifier.name === name && !modifier.negated)
  return first && rest.length === 0 ? find(first.value) : undefined
}

const visibleTest = (call: Seen): Test => {
  const known = new Map<string, boolean>()
  return ({ channel }) => {
    const before = known.get(channel)
    if (before !== undefined) return before
    const row = call.tables.channel.get(channel)
    const visible = row !== undefined && canSee(call, row)
    known.set(channel, visible)
    return visible
  }
}

/** How often the terms occur, against the length of the text. */
const weight = (row: MessageRow, terms: readonly Term[]): number => {
  const text = foldText(contentOf(row))
  const found = terms.reduce((sum, term) => sum + (term.negated ? 0 : occurrences(text, term)), 0)
  return Math.round((found / Math.sqrt(text.length + 20)) * 10_000) / 10_000
}

const placeNamed = (call: Seen, value: string): ChannelRow | undefined => {
  const id = /^<?#?([CDG][A-Z0-9]{6,})(?:\|[^>]*)?>?$/.exec(value)?.[1]
  const byId = id === undefined ? undefined : call.tables.channel.get(id)
  return byId ?? call.tables.channel.first('name', value.replace(/^#/, '').toLowerCase())
}

const inTest = (call: Seen, value: string): Test => {
  const place = placeNamed(call, value)
  if (place) return ({ channel }) => channel === place.id
  const person = personNamed(call, value)
  const users = person === undefined ? [] : [...new Set([person, selfOf(call)])].sort()
  const direct = users.length > 0 ? call.tables.channel.first('users', users.join(',')) : undefined
  return ({ channel }) => direct !== undefined && channel === direct.id
}

/** Threads and direct messages that somebody takes part in. */
const withTest = (call: Seen, value: string): Test => {
  const person = personNamed(call, value)
  if (person === undefined) return () => false
  return (row) => {
    if (row.user === person) return true
    if (call.tables.channel.get(row.channel)?.users?.includes(person)) return true
    const root = row.thread_ts ? `${row.channel}:${row.thread_ts}` : row.id
    return (
      call.tables.thread.get(root)?.reply_users.includes(person) === true ||
      call.tables.message.get(root)?.user === person
    )
  }
}

const emojiNamed = (value: string): string | undefined => {
  const name = /^:([^:\s]+(?:::skin-tone-[2-6])?):$/.exec(value)?.[1]
  return name === undefined ? undefined : canonicalName(name)
}

const hasTest = (call: Seen, value: string, own: boolean): Test => {
  const emoji = emojiNamed(value)
  if (emoji !== undefined)
    return ({ reactions }) =>
      reactions?.some(({ name, users }) => name === emoji && (!own || users.includes(selfOf(call)))) ?? false
  const tests: Readonly<Record<string, Test>> = {
    link: ({ text }) => /<https?:/.test(text),
    url: ({ text }) => /<https?:/.test(text),
    file: ({ files }) => (files?.length ?? 0) > 0,
    pin: ({ id }) => call.tables.pin.has(id),
    reaction: ({ reactions }) => (reactions?.length ?? 0) > 0,
    star: ({ id }) => call.tables.star.has(`${selfOf(call)}:${id}`),
  }
  return lookup(tests, value.replace(/s$/, '')) ?? (() => false)
}

const isTest = (call: Seen, value: string): Test => {
  if (value === 'thread') return (row) => row.thread_ts !== undefined || call.tables.thread.has(row.id)
  if (value === 'dm')
    return ({ channel }) => ['im', 'mpim'].includes(call.tables.channel.get(channel)?.kind ?? '')
  if (value === 'saved') return ({ id }) => call.tables.star.has(`${selfOf(call)}:${id}`)
  return () => false
}

const toTest = (call: Seen, value: string): Test => {
  const person = personNamed(call, value)
  return (row) =>
    person !== undefined &&
    (row.text.includes(`<@${person}`) ||
      (row.user !== person && call.tables.channel.get(row.channel)?.users?.includes(person) === true))
}

/** Several places or several authors are alternatives; everything else must hold together. */
const modifierTests = (call: Seen, modifiers: readonly Modifier[]): Test[] => {
  const alternatives = new Map<string, Test[]>()
  const tests: Test[] = []
  for (const { name, value, negated } of modifiers) {
    const test = positiveTest(call, name, value)
    if (negated) tests.push((row) => !test(row))
    else if (name === 'in' || name === 'from')
      alternatives.set(name, [...(alternatives.get(name) ?? []), test])
    else tests.push(test)
  }
  for (const any of alternatives.values()) tests.push((row) => any.some((test) => test(row)))
  return tests
}

const positiveTest = (call: Seen, name: string, value: string): Test => {
  if (name === 'in') return inTest(call, value)
  if (name === 'from' || name === 'creator') {
    const person = personNamed(call, value)
    return ({ user }) => person !== undefined && user === person
  }
  if (name === 'to') return toTest(call, value)
  if (name === 'with') return withTest(call, value)
  if (name === 'has') return hasTest(call, value, false)
  if (name === 'hasmy') return hasTest(call, value, true)
  if (name === 'is') return isTest(call, value)
  return () => true
}

/** Files whose name or title has every word, newest first. */
export const searchFiles = (call: Seen, query: Query, visible: (file: FileRow) => boolean): FileRow[] => {
  const from = query.modifiers.find(({ name, negated }) => name === 'from' && !negated)
  const author = from && personNamed(call, from.value)
  const within = query.modifiers.find(({ name, negated }) => name === 'in' && !negated)
  const place = within && placeNamed(call, within.value)
  return [...call.tables.file.find('all', 'all', { reverse: true })].filter((file) => {
    const text = foldText(`${file.name} ${file.title} ${file.alt_txt ?? ''}`)
    return (
      (!from || file.user === author) &&
      (!within || file.shares.some(({ channel }) => channel === place?.id)) &&
      query.terms.every((term) => occurrences(text, term) > 0 !== term.negated) &&
      visible(file)
    )
  })
}

/** Wraps the words that were found in the two marks that clients look for. */
export const highlight = (text: string, terms: readonly Term[]): string => {
  const wanted = terms.filter(({ negated }) => !negated)
  return text.replace(/[\p{L}\p{N}_]+/gu, (word) => {
    const folded = foldText(word)
    const isHit = wanted.some((term) =>
      term.kind === 'phrase' ? term.text.includes(folded) : occurrences(folded, term) > 0,
    )
    return isHit ? `\ue000${word}\ue001` : word
  })
}
