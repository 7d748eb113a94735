import { canSee, type Seen, selfOf } from './access.ts'
import { contentOf, isSearchable } from './content.ts'
import { canonicalName } from './emoji.ts'
import { type Modifier, parseQuery, personNamed, type Query, type Term } from './query.ts'
import type { ChannelRow, FileRow, MessageRow } from './tables.ts'
import { foldText, stemOf } from './words.ts'

type Test = (row: MessageRow) => boolean

/** Above this many hits the newest come first whatever the order asked for; weighing them all would cost too much. */
const maxWeighed = 2_000

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
  const { rows, checked } = candidates(call, query)
  for (const term of query.terms) if (term !== checked) tests.push(termTest(term))
  const hits: MessageRow[] = []
  for (const row of rows) if (isSearchable(row) && tests.every((test) => test(row))) hits.push(row)
  const weighed = order.sort !== 'timestamp' && hits.length <= maxWeighed
  const scored = hits.map((row) => ({ row, score: weighed ? weight(row, query.terms) : 0 }))
  if (weighed) scored.sort((a, b) => b.score - a.score || (a.row.ts < b.row.ts ? 1 : -1))
  return order.ascending ? scored.reverse() : scored
}

/** The smallest set of rows that holds every hit, newest first, and the term that it already answers. */
const candidates = (call: Seen, query: Query): { rows: Iterable<MessageRow>; checked?: Term } => {
  const { message } = call.tables
  const range = {
    ...(query.after !== undefined && { after: query.after }),
    ...(query.before !== undefined && { before: query.before }),
    reverse: true,
  }
  const words = query.terms
    .filter(({ kind, negated }) => kind === 'word' && !negated)
    .map((term) => ({ term, count: message.count('word', term.text) }))
    .sort((a, b) => a.count - b.count)
  const rarest = words[0]
  if (rarest) return { rows: message.find('word', rarest.term.text, range), checked: rarest.term }
  const phrase = query.terms.find(({ kind, negated }) => kind === 'phrase' && !negated)
  const inPhrase = phrase?.text.match(/[\p{L}\p{N}_]+/gu)?.map(stemOf) ?? []
  const [rare] = inPhrase.sort((a, b) => message.count('word', a) - message.count('word', b))
  if (rare !== undefined) return { rows: message.find('word', rare, range) }
  const author = onlyOne(query, 'from', (value) => personNamed(call, value))
  if (author) return { rows: message.find('author', author, range) }
  const place = onlyOne(query, 'in', (value) => placeNamed(call, value))
  if (place) return { rows: message.find('channel', place.id, range) }
  return {
    rows: newestFirst([...call.tables.channel.all()].map(({ id }) => message.find('channel', id, range))),
  }
}

/** What a modifier names, where the query has it once. */
const onlyOne = <V>(query: Query, name: string, find: (value: string) => V): V | undefined => {
  const [first, ...rest] = query.modifiers.filter((modifier) => modifier.name === name && !modifier.negated)
  return first && rest.length === 0 ? find(first.value) : undefined
}

const newestFirst = (runs: readonly Iterable<MessageRow>[]): MessageRow[] =>
  runs.flatMap((run) => [...run]).sort((a, b) => (a.ts < b.ts ? 1 : a.ts > b.ts ? -1 : 0))

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

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** A word with the endings that its stem lost. */
const termPattern = ({ kind, text }: Term): RegExp => {
  if (kind === 'phrase') return new RegExp(literal(text), 'u')
  if (kind === 'prefix') return new RegExp(`(?<![\\p{L}\\p{N}_])${literal(text)}`, 'u')
  const root = text.endsWith('i') ? `${literal(text.slice(0, -1))}(?:i|y|ie)` : `${literal(text)}e?`
  return new RegExp(`(?<![\\p{L}\\p{N}_])${root}(?:s|d|ed|ing)?s?(?![\\p{L}\\p{N}_])`, 'u')
}

const termTest = (term: Term): Test => {
  const pattern = termPattern(term)
  return (row) => pattern.test(foldText(contentOf(row))) !== term.negated
}

/** How often the terms occur, against the length of the text. */
const weight = (row: MessageRow, terms: readonly Term[]): number => {
  const text = foldText(contentOf(row))
  const found = terms
    .filter(({ negated }) => !negated)
    .reduce((sum, term) => sum + (text.match(new RegExp(termPattern(term).source, 'gu'))?.length ?? 0), 0)
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
  return tests[value.replace(/s$/, '')] ?? (() => false)
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
  const patterns = query.terms.map((term) => ({ pattern: termPattern(term), negated: term.negated }))
  const from = query.modifiers.find(({ name, negated }) => name === 'from' && !negated)
  const author = from && personNamed(call, from.value)
  const within = query.modifiers.find(({ name, negated }) => name === 'in' && !negated)
  const place = within && placeNamed(call, within.value)
  return [...call.tables.file.find('all', 'all', { reverse: true })].filter((file) => {
    const text = foldText(`${file.name} ${file.title} ${file.alt_txt ?? ''}`)
    return (
      (!from || file.user === author) &&
      (!within || file.shares.some(({ channel }) => channel === place?.id)) &&
      patterns.every(({ pattern, negated }) => pattern.test(text) !== negated) &&
      visible(file)
    )
  })
}

/** Wraps what was found in the two marks that clients look for. */
export const highlight = (text: string, terms: readonly Term[]): string =>
  terms
    .filter(({ negated }) => !negated)
    .reduce(
      (marked, term) =>
        marked.replace(new RegExp(termPattern(term).source, 'giu'), (found) => `\ue000${found}\ue001`),
      text,
    )
