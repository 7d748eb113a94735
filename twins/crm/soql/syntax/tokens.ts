import { readMoment } from '../../dates.ts'
import { malformed, refuseAt, unexpected } from './refuse.ts'

export interface Token {
  readonly kind: 'word' | 'text' | 'number' | 'date' | 'datetime' | 'symbol' | 'end'
  /** As written; for text, the value between the quotes. */
  readonly text: string
  readonly at: number
}

const maxLength = 100_000
const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  N: '\n',
  r: '\r',
  R: '\r',
  t: '\t',
  T: '\t',
  b: '\b',
  B: '\b',
  f: '\f',
  F: '\f',
  '"': '"',
  "'": "'",
  '\\': '\\',
  // LIKE patterns keep these, so that the pattern can tell them from wildcards.
  '%': '\\%',
  _: '\\_',
}

const patterns: readonly { kind: Token['kind']; pattern: RegExp }[] = [
  {
    kind: 'datetime',
    pattern: /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/iy,
  },
  { kind: 'date', pattern: /\d{4}-\d{2}-\d{2}(?![\w:-])/y },
  { kind: 'number', pattern: /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y },
  { kind: 'word', pattern: /[A-Za-z][A-Za-z0-9_]*(?::\d+)?/y },
  { kind: 'symbol', pattern: /<=|>=|!=|<>|[(),.=<>:*;]/y },
]

/** Splits a query into tokens; what is no token is refused at its place. */
export const tokensOf = (text: string): Token[] => {
  if (text.length > maxLength)
    throw malformed(`SOQL statements cannot be longer than ${maxLength} characters.`)
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === ' ' || /\s/.test(char)) at++
    else if (char === "'") {
      const end = readText(text, at, tokens)
      at = end
    } else at = readPattern(text, at, tokens)
  }
  tokens.push({ kind: 'end', text: '', at: text.length })
  return tokens
}

/** Which patterns can begin with a character: most tokens need one attempt. */
const startingWith = (code: number): readonly (typeof patterns)[number][] => {
  const isDigit = code >= 48 && code <= 57
  const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
  if (isLetter) return words
  return isDigit || code === 43 || code === 45 || code === 46 ? patterns : symbols
}
const words = patterns.filter(({ kind }) => kind === 'word')
const symbols = patterns.filter(({ kind }) => kind === 'symbol')

const readPattern = (text: string, at: number, tokens: Token[]): number => {
  for (const { kind, pattern } of startingWith(text.charCodeAt(at))) {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found === undefined) continue
    if (kind === 'datetime' && readMoment(found) === undefined)
      throw refuseAt(
        text,
        at,
        'MALFORMED_QUERY',
        `line 1:${at} no viable alternative at character '${found}'`,
      )
    tokens.push({ kind, text: found, at })
    return at + found.length
  }
  throw unexpected(text, at, text.charAt(at))
}

const readText = (text: string, start: number, tokens: Token[]): number => {
  let value = ''
  let at = start + 1
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === "'") {
      tokens.push({ kind: 'text', text: value, at: start })
      return at + 1
    }
    if (char !== '\\') {
      value += char
      at++
      continue
    }
    const next = text.charAt(at + 1)
    const unicode = /^u[0-9a-fA-F]{4}/.exec(text.slice(at + 1, at + 6))?.[0]
    const escaped = escapes[next]
    if (unicode) value += String.fromCharCode(Number.parseInt(unicode.slice(1), 16))
    else if (escaped === undefined)
      throw refuseAt(text, at, 'MALFORMED_QUERY', `line 1:${at} no viable alternative at character '\\'`)
    else value += next === '\\' ? '\\\\' : escaped
    at += unicode ? 6 : 2
  }
  throw refuseAt(
    text,
    start,
    'MALFORMED_QUERY',
    `line 1:${text.length} mismatched character '<EOF>' expecting '''`,
  )
}

/** The text of a literal outside LIKE, where the escapes of wildcards mean nothing. */
export const plainText = (value: string): string => value.replace(/\\([%_\\])/g, '$1')
