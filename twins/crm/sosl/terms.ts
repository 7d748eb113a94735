import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { matchesPattern, type Pattern, searchPattern } from '../soql/wildcards.ts'

/** What a text must hold: words in a row, with wildcards, joined by AND, OR and AND NOT. */
export type Term =
  | { kind: 'words'; words: readonly Pattern[] }
  | { kind: 'and' | 'or'; left: Term; right: Term }
  | { kind: 'not'; inner: Term }

export const malformedSearch = (message: string): VendorError => new VendorError('MALFORMED_SEARCH', message)

const special = /[?&|!{}[\]()^~*:\\"'+-]/

/** Reads a search term as people write it; words beside each other must all be there, in any order. */
export const readTerm = (text: string): Term => {
  const tokens = text.match(/"(?:\\.|[^"\\])*"|\(|\)|[^\s()"]+/g) ?? []
  if (tokens.length === 0 || tokens.length > 500)
    throw malformedSearch('No search term found. The search term must be enclosed in braces.')
  let at = 0
  let depth = 0
  const peek = () => tokens[at]?.toUpperCase()
  const primary = (): Term => {
    const token = tokens[at++]
    if (token === undefined || token === ')')
      throw malformedSearch(`The search term is incomplete: ${text.slice(0, 80)}`)
    if (token !== '(') return wordsOf(token)
    if (++depth > 50) throw malformedSearch('The search term is too complicated')
    const inner = either()
    if (tokens[at++] !== ')') throw malformedSearch('A parenthesis of the search term is not closed')
    depth--
    return inner
  }
  const both = (): Term => {
    let left = primary()
    while (at < tokens.length && peek() !== ')' && peek() !== 'OR') {
      if (peek() === 'AND') at++
      const negated = peek() === 'NOT'
      if (negated) at++
      const right = primary()
      left = { kind: 'and', left, right: negated ? { kind: 'not', inner: right } : right }
    }
    return left
  }
  const either = (): Term => {
    let left = both()
    while (peek() === 'OR') {
      at++
      left = { kind: 'or', left, right: both() }
    }
    return left
  }
  const term = either()
  if (at < tokens.length) throw malformedSearch(`unexpected token in search term: ${tokens[at]}`)
  return term
}

const wordsOf = (token: string): Term => {
  const phrase = token.startsWith('"') ? token.slice(1, -1) : token
  const plain = phrase.replace(/\\(.)/g, (_all, char: string) => (special.test(char) ? ` ${char} ` : char))
  const words = plain.toLowerCase().match(/[\p{L}\p{N}*?]+/gu) ?? []
  if (words.join('').replace(/[*?]/g, '').length < 2 && !/[^\p{ASCII}]/u.test(plain))
    throw malformedSearch(`search term must be longer than one character: ${phrase}`)
  if (words.some((word) => word.split(/[*?]+/).length > 5))
    throw malformedSearch('The search term has too many wildcards')
  if (words.length > maxPhraseWords) throw malformedSearch('The search term has too many words')
  return { kind: 'words', words: words.map((word) => searchPattern(word.slice(0, maxWordLength))) }
}

const maxPhraseWords = 50
const maxWordLength = 100

/** Words beyond any length that people write are cut, so that a wildcard never takes long. */
export const wordsIn = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, maxWordLength))

/** Whether the words of some field meet the term; each inner list is one field. */
export const meets = (term: Term, fields: readonly (readonly string[])[]): boolean => {
  if (term.kind === 'not') return !meets(term.inner, fields)
  if (term.kind !== 'words')
    return term.kind === 'and'
      ? meets(term.left, fields) && meets(term.right, fields)
      : meets(term.left, fields) || meets(term.right, fields)
  const { words } = term
  return fields.some((held) =>
    held.some((_, start) => words.every((word, at) => matchesPattern(held[start + at] ?? '', word))),
  )
}
