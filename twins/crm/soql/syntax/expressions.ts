import { readMoment } from '../../dates.ts'
import type { Reader } from './reader.ts'
import { malformed } from './refuse.ts'
import type { Argument, FunctionCall, GroupItem, Literal, Named, Path } from './tree.ts'

/** Words that begin or join clauses, and so are never names. */
const reserved = [
  'select',
  'from',
  'where',
  'and',
  'or',
  'not',
  'like',
  'limit',
  'having',
  'null',
  'using',
  'with',
]

export const readPath = (reader: Reader): Path => {
  const first = reader.word()
  if (first.text.includes(':') || reserved.includes(first.text.toLowerCase())) throw reader.refuse(first)
  const parts: Named[] = [{ name: first.text, at: first.at }]
  while (reader.sees('.')) {
    reader.next()
    const part = reader.word()
    parts.push({ name: part.text, at: part.at })
  }
  return { parts, at: first.at }
}

export const readGroupItem = (reader: Reader): GroupItem =>
  reader.peek().kind === 'word' && reader.sees('(', 1)
    ? { kind: 'call', call: readCall(reader) }
    : { kind: 'path', path: readPath(reader) }

export const readCall = (reader: Reader): FunctionCall => reader.nest(() => readCalled(reader))

const readCalled = (reader: Reader): FunctionCall => {
  const { text, at } = reader.word()
  reader.expect('(')
  const args: Argument[] = []
  if (!reader.sees(')')) {
    do args.push(readArgument(reader))
    while (reader.takes(','))
  }
  reader.expect(')')
  return { kind: 'function', name: text.toUpperCase(), at, args }
}

const readArgument = (reader: Reader): Argument => {
  if (reader.peek().kind !== 'word') return { kind: 'literal', literal: readLiteral(reader) }
  if (reader.sees('(', 1)) return readCall(reader)
  return { kind: 'path', path: readPath(reader) }
}

const periods =
  /^(YESTERDAY|TODAY|TOMORROW|(LAST|THIS|NEXT)_(WEEK|MONTH|QUARTER|YEAR|FISCAL_QUARTER|FISCAL_YEAR)|(LAST|NEXT)_90_DAYS)$/i
const countedPeriods =
  /^((LAST|NEXT)_N_(DAYS|WEEKS|MONTHS|QUARTERS|YEARS|FISCAL_QUARTERS|FISCAL_YEARS)|N_(DAYS|WEEKS|MONTHS|QUARTERS|YEARS|FISCAL_QUARTERS|FISCAL_YEARS)_AGO):(\d+)$/i

export const readLiteral = (reader: Reader): Literal => {
  const token = reader.next()
  const { at, text } = token
  if (token.kind === 'text') return { kind: 'text', value: text, at }
  if (token.kind === 'number') return { kind: 'number', value: Number(text), at, text }
  if (token.kind === 'date') return { kind: 'date', value: text, at }
  if (token.kind === 'datetime') return { kind: 'datetime', value: readMoment(text) ?? 0, at }
  if (token.kind === 'symbol' && text === ':') throw malformed('Bind variables only allowed in Apex code')
  if (token.kind !== 'word') throw reader.refuse(token)
  const word = text.toLowerCase()
  if (word === 'true' || word === 'false') return { kind: 'boolean', value: word === 'true', at }
  if (word === 'null') return { kind: 'null', at }
  if (periods.test(text)) return { kind: 'period', name: text.toUpperCase(), n: undefined, at }
  const counted = countedPeriods.exec(text)
  if (counted) return { kind: 'period', name: (counted[1] ?? '').toUpperCase(), n: Number(counted[5]), at }
  // An amount with its currency in front, such as USD5000.
  const money = /^[A-Z]{3}(\d+)$/i.exec(text)
  if (money) {
    const fraction = reader.takes('.') ? reader.next().text : ''
    const value = Number(`${money[1]}${fraction ? `.${fraction}` : ''}`)
    if (Number.isNaN(value)) throw reader.refuse(token)
    return { kind: 'number', value, at, text }
  }
  throw reader.refuse(token)
}
