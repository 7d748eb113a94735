import type { VendorError } from '@diorama/twin-kit/kernel/twin'
import { malformed, unexpected } from './refuse.ts'
import type { Token } from './tokens.ts'

/** Walks over tokens; a word that was not expected is refused at its position. */
export interface Reader {
  readonly text: string
  readonly peek: (ahead?: number) => Token
  readonly next: () => Token
  /** Whether the next token is this keyword or symbol. */
  readonly sees: (word: string, ahead?: number) => boolean
  /** Takes the next token when it is this keyword or symbol. */
  readonly takes: (word: string) => boolean
  readonly expect: (word: string) => Token
  readonly word: () => Token
  readonly refuse: (token?: Token) => VendorError
  /** Goes one level down; a query nested beyond reason is refused before it costs a stack. */
  readonly nest: <O>(work: () => O) => O
}

const maxDepth = 60

export const readerOf = (text: string, tokens: readonly Token[]): Reader => {
  let position = 0
  let depth = 0
  const end: Token = { kind: 'end', text: '', at: text.length }
  const peek = (ahead = 0): Token => tokens[position + ahead] ?? end
  const next = (): Token => {
    const token = peek()
    position++
    return token
  }
  const sees = (word: string, ahead = 0): boolean => {
    const token = peek(ahead)
    return (
      (token.kind === 'word' || token.kind === 'symbol') && token.text.toLowerCase() === word.toLowerCase()
    )
  }
  const refuse = (token = peek()): VendorError =>
    unexpected(text, token.at, token.kind === 'text' ? `'${token.text}'` : token.text)
  return {
    text,
    peek,
    next,
    sees,
    takes: (word) => {
      if (!sees(word)) return false
      position++
      return true
    },
    expect: (word) => {
      if (!sees(word)) throw refuse()
      return next()
    },
    word: () => {
      if (peek().kind !== 'word') throw refuse()
      return next()
    },
    refuse,
    nest: (work) => {
      if (depth >= maxDepth) throw malformed('query is too complicated')
      depth++
      const outcome = work()
      depth--
      return outcome
    },
  }
}
