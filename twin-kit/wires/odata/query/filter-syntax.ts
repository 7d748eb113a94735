import { fault } from '../faults.ts'
import { type LiteralKind, type Token, tokens } from '../values/lexer.ts'

export type Comparison = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le'
export type Arithmetic = 'add' | 'sub' | 'mul' | 'div' | 'mod'
export type Operator = Comparison | Arithmetic | 'and' | 'or'

export type Expression =
  | { readonly kind: 'literal'; readonly literal: LiteralKind; readonly text: string; readonly at: number }
  | { readonly kind: 'path'; readonly path: readonly string[]; readonly at: number }
  | {
      readonly kind: 'call'
      readonly name: string
      readonly args: readonly Expression[]
      readonly at: number
    }
  | {
      readonly kind: 'binary'
      readonly operator: Operator
      readonly left: Expression
      readonly right: Expression
      readonly at: number
    }
  | { readonly kind: 'not' | 'minus'; readonly operand: Expression; readonly at: number }

/** The operators from the loosest to the tightest. */
const levels: readonly (readonly Operator[])[] = [
  ['or'],
  ['and'],
  ['eq', 'ne'],
  ['gt', 'ge', 'lt', 'le'],
  ['add', 'sub'],
  ['mul', 'div', 'mod'],
]
const maxDepth = 100

/** Reads a `$filter`. */
export const parseFilter = (text: string): Expression => {
  const reader = new Reader(tokens(text), text.length)
  const expression = reader.level(0, 0)
  reader.end()
  return expression
}

/** A place in the tokens, which moves on as they are read. */
class Reader {
  readonly #tokens: readonly Token[]
  readonly #length: number
  #next = 0

  constructor(all: readonly Token[], length: number) {
    this.#tokens = all
    this.#length = length
  }

  end(): void {
    const token = this.#peek()
    if (token) throw this.#unexpected(token)
  }

  level(n: number, depth: number): Expression {
    if (depth > maxDepth) throw fault('too_large', { limit: maxDepth, what: 'nested expressions' })
    const operators = levels[n]
    if (!operators) return this.#unary(depth)
    let left = this.level(n + 1, depth)
    for (;;) {
      const token = this.#peek()
      const operator =
        token?.kind === 'word' ? operators.find((candidate) => candidate === token.text) : undefined
      if (!token || !operator) return left
      this.#next += 1
      left = { kind: 'binary', operator, left, right: this.level(n + 1, depth), at: token.at }
    }
  }

  #unary(depth: number): Expression {
    const token = this.#peek()
    if (token?.kind === 'word' && token.text === 'not') {
      this.#next += 1
      return { kind: 'not', operand: this.#unaryBelow(depth), at: token.at }
    }
    if (token?.kind === 'mark' && token.text === '-') {
      this.#next += 1
      return { kind: 'minus', operand: this.#unaryBelow(depth), at: token.at }
    }
    return this.#primary(depth)
  }

  #unaryBelow(depth: number): Expression {
    if (depth > maxDepth) throw fault('too_large', { limit: maxDepth, what: 'nested expressions' })
    return this.#unary(depth + 1)
  }

  #primary(depth: number): Expression {
    const token = this.#take()
    if (token.kind === 'literal') return token
    if (token.kind === 'mark') {
      if (token.text !== '(') throw this.#unexpected(token)
      const inside = this.level(0, depth + 1)
      this.#expect(')')
      return inside
    }
    if (this.#is('(')) return this.#call(token.text, token.at, depth)
    const path = [token.text]
    while (this.#is('/')) {
      this.#next += 1
      const segment = this.#take()
      if (segment.kind !== 'word') throw this.#unexpected(segment)
      path.push(segment.text)
    }
    return { kind: 'path', path, at: token.at }
  }

  #call(name: string, at: number, depth: number): Expression {
    this.#expect('(')
    const args: Expression[] = []
    while (!this.#is(')')) {
      if (args.length > 0) this.#expect(',')
      args.push(this.level(0, depth + 1))
    }
    this.#expect(')')
    return { kind: 'call', name, args, at }
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#next]
  }

  #is(mark: string): boolean {
    const token = this.#peek()
    return token?.kind === 'mark' && token.text === mark
  }

  #take(): Token {
    const token = this.#peek()
    if (!token) throw fault('invalid_filter', { reason: 'it ends too early', position: this.#length })
    this.#next += 1
    return token
  }

  #expect(mark: string): void {
    const token = this.#take()
    if (token.kind !== 'mark' || token.text !== mark) throw this.#unexpected(token)
  }

  #unexpected(token: Token): Error {
    return fault('invalid_filter', { reason: `unexpected '${token.text}'`, position: token.at })
  }
}
