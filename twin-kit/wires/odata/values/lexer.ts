import { fault } from '../faults.ts'

/** A literal of a URI, by what it is written as. */
export type LiteralKind =
  | 'string'
  | 'integer'
  | 'decimal'
  | 'double'
  | 'boolean'
  | 'null'
  | 'datetime'
  | 'datetimeoffset'
  | 'time'
  | 'guid'

export type Token =
  | { readonly kind: 'literal'; readonly literal: LiteralKind; readonly text: string; readonly at: number }
  | { readonly kind: 'word'; readonly text: string; readonly at: number }
  | { readonly kind: 'mark'; readonly text: '(' | ')' | ',' | '=' | '/' | '-' | '*'; readonly at: number }

const prefixed = /^(datetimeoffset|datetime|guid|time|binary|X)'/
const word = /^[A-Za-z_$][\w.$]*/
const number = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?([MmDdFfLl])?/
const marks = new Set(['(', ')', ',', '=', '/', '-', '*'])
/** More than any client writes, and little enough that a filter cannot hold up the twin. */
const maxTokens = 5_000

/** Cuts the text of a filter, an order or a key predicate into tokens. */
export const tokens = (text: string): Token[] => {
  const found: Token[] = []
  let at = 0
  while (at < text.length) {
    if (/\s/.test(text[at] ?? '')) {
      at += 1
      continue
    }
    if (found.length >= maxTokens) throw fault('too_large', { limit: maxTokens, what: 'tokens' })
    const [token, next] = tokenAt(text, at, found.at(-1))
    found.push(token)
    at = next
  }
  return found
}

const tokenAt = (text: string, at: number, before: Token | undefined): [Token, number] => {
  const rest = text.slice(at, at + 64)
  const character = text[at] ?? ''
  if (character === "'") return quoted(text, at, at, 'string')
  const typed = prefixed.exec(rest)
  if (typed) {
    const kind = typed[1]
    if (kind === 'datetime' || kind === 'datetimeoffset' || kind === 'guid' || kind === 'time')
      return quoted(text, at, at + kind.length, kind)
    throw fault('malformed_uri')
  }
  // A minus after a value would be a subtraction, which this version of the protocol spells `sub`.
  const signed =
    character === '-' && before?.kind !== 'literal' && !(before?.kind === 'mark' && before.text === ')')
  if (/\d/.test(character) || (signed && /^-\d/.test(rest))) return numeric(text, at)
  const name = word.exec(text.slice(at, at + 512))?.[0]
  if (name) return [named(name, at), at + name.length]
  if (marks.has(character)) return [{ kind: 'mark', text: character as '(', at }, at + 1]
  throw fault('invalid_filter', { reason: `unexpected '${character}'`, position: at })
}

const quoted = (text: string, at: number, quote: number, literal: LiteralKind): [Token, number] => {
  let value = ''
  for (let n = quote + 1; n < text.length; n++) {
    const character = text[n] ?? ''
    if (character !== "'") value += character
    else if (text[n + 1] === "'") {
      value += "'"
      n += 1
    } else return [{ kind: 'literal', literal, text: value, at }, n + 1]
  }
  throw fault('malformed_uri')
}

const numeric = (text: string, at: number): [Token, number] => {
  const match = number.exec(text.slice(at, at + 128))
  const whole = match?.[0] ?? ''
  const suffix = match?.[1]?.toLowerCase()
  const digits = suffix ? whole.slice(0, -1) : whole
  const next = at + whole.length
  if (whole === '' || /[\w.]/.test(text[next] ?? '')) throw fault('malformed_uri')
  if (suffix === 'm') {
    if (/e/i.test(digits)) throw fault('malformed_uri')
    return [{ kind: 'literal', literal: 'decimal', text: digits, at }, next]
  }
  if (suffix === 'd' || suffix === 'f')
    return [{ kind: 'literal', literal: 'double', text: digits, at }, next]
  // A fraction without its suffix belongs to no type.
  if (/[.e]/i.test(digits)) throw fault('malformed_uri')
  return [{ kind: 'literal', literal: 'integer', text: digits, at }, next]
}

const named = (name: string, at: number): Token => {
  if (name === 'true' || name === 'false') return { kind: 'literal', literal: 'boolean', text: name, at }
  if (name === 'null') return { kind: 'literal', literal: 'null', text: '', at }
  return { kind: 'word', text: name, at }
}
