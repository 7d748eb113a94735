import { malformedSearch, readTerm, type Term } from './terms.ts'

export type SearchIn = 'ALL' | 'NAME' | 'EMAIL' | 'PHONE' | 'SIDEBAR'

export interface Returning {
  readonly object: string
  readonly fields: readonly string[]
  /** What stood after the fields: WHERE, ORDER BY, LIMIT and so on, as written. */
  readonly clauses: string
}

export interface Search {
  readonly term: Term
  readonly within: SearchIn
  readonly returning: readonly Returning[]
  readonly limit: number | undefined
}

const maxLength = 100_000
const maxObjects = 100

/** `FIND {…} IN scope FIELDS RETURNING X(f WHERE … ORDER BY … LIMIT n), Y LIMIT n`. */
export const parseSearch = (text: string): Search => {
  if (text.length > maxLength)
    throw malformedSearch(`SOSL statements cannot be longer than ${maxLength} characters.`)
  const head = /^\s*FIND\s*\{((?:\\.|[^}\\])*)\}/is.exec(text)
  if (!head) throw malformedSearch('No search term found. The search term must be enclosed in braces.')
  const term = readTerm(head[1] ?? '')
  let rest = text.slice(head[0].length)
  const scope = /^\s*IN\s+(ALL|NAME|EMAIL|PHONE|SIDEBAR)\s+FIELDS\b/i.exec(rest)
  if (scope) rest = rest.slice(scope[0].length)
  const returning: Returning[] = []
  const starts = /^\s*RETURNING\b/i.exec(rest)
  if (starts) {
    rest = rest.slice(starts[0].length)
    for (let more = true; more; ) {
      const one = readReturning(rest)
      returning.push(one.returning)
      if (returning.length > maxObjects) throw malformedSearch('RETURNING names too many objects')
      rest = one.rest
      more = /^\s*,/.test(rest)
      if (more) rest = rest.replace(/^\s*,/, '')
    }
  }
  rest = withoutClauses(rest)
  const limit = /^\s*LIMIT\s+(\d+)\s*$/i.exec(rest)
  if (!limit && rest.trim() !== '') throw malformedSearch(`unexpected token: '${rest.trim().split(/\s/)[0]}'`)
  return {
    term,
    within: (scope?.[1]?.toUpperCase() ?? 'ALL') as SearchIn,
    returning,
    limit: limit ? Number(limit[1]) : undefined,
  }
}

/** Skips the WITH and UPDATE clauses, which decide nothing here, up to LIMIT or the end. */
const withoutClauses = (text: string): string => {
  if (!/^\s*(WITH|UPDATE)\b/i.test(text)) return text
  const limit = /\bLIMIT\s+\d+\s*$/i.exec(text)
  return limit ? text.slice(limit.index) : ''
}

const readReturning = (text: string): { returning: Returning; rest: string } => {
  const name = /^\s*([A-Za-z]\w*)/.exec(text)
  if (!name) throw malformedSearch('RETURNING needs the name of an object')
  const after = text.slice(name[0].length)
  const object = name[1] ?? ''
  const open = /^\s*\(/.exec(after)
  if (!open) return { returning: { object, fields: [], clauses: '' }, rest: after }
  const end = closing(after, open[0].length)
  const inside = after.slice(open[0].length, end)
  const split = /\b(WHERE|ORDER\s+BY|LIMIT|OFFSET|USING)\b/i.exec(inside)
  const fields = (split ? inside.slice(0, split.index) : inside)
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '')
  return {
    returning: { object, fields, clauses: split ? inside.slice(split.index) : '' },
    rest: after.slice(end + 1),
  }
}

/** The place of the parenthesis that closes, past those inside and past quoted text. */
const closing = (text: string, from: number): number => {
  let depth = 1
  let quoted = false
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at)
    if (quoted && char === '\\') at++
    else if (char === "'") quoted = !quoted
    else if (!quoted && char === '(') depth++
    else if (!quoted && char === ')' && --depth === 0) return at
  }
  throw malformedSearch('A parenthesis of RETURNING is not closed')
}
