/** A formula as written: literals, fields, operators and calls of functions. */
export type Formula =
  | { readonly kind: 'literal'; readonly value: number | string | boolean | null }
  | { readonly kind: 'field'; readonly path: readonly string[] }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Formula[] }

export class FormulaError extends Error {}

/** The functions and operators that the twin evaluates. */
export const formulaFunctions: readonly string[] =
  '= <> < > <= >= + - & * / ^ NEGATE NOT ABS ADDMONTHS BEGINS CEILING CONTAINS DATE DATEVALUE DAY FLOOR INCLUDES ISBLANK ISNEW ISNULL ISNUMBER ISPICKVAL LEFT LEN LOWER MAX MIN MOD MONTH NOW RIGHT ROUND SUBSTITUTE TEXT TODAY TRIM UPPER VALUE YEAR IF AND OR BLANKVALUE NULLVALUE CASE ISCHANGED PRIORVALUE'.split(
    ' ',
  )

/** What the vendor allows a formula to be long. */
const maxLength = 3_900
const maxDepth = 60

const pattern =
  /\s*(?:(\d+(?:\.\d+)?)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(\$?[A-Za-z][A-Za-z0-9_.]*)|(<>|!=|<=|>=|==|&&|\|\||[-+*/^&=<>!(),]))/y

interface Token {
  readonly kind: 'number' | 'text' | 'name' | 'symbol' | 'end'
  readonly text: string
}

const tokensOf = (source: string): Token[] => {
  if (source.length > maxLength) throw new FormulaError(`is longer than ${maxLength} characters`)
  const tokens: Token[] = []
  const text = source.trimEnd()
  for (let at = 0; at < text.length; at = pattern.lastIndex) {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (!found) throw new FormulaError(`cannot be read at character ${at + 1}`)
    const [, number, double, single, name, symbol] = found
    const quoted = double ?? single
    if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted.replace(/\\(.)/g, '$1') })
    else if (name !== undefined) tokens.push({ kind: 'name', text: name })
    else tokens.push({ kind: 'symbol', text: symbol ?? '' })
  }
  return [...tokens, { kind: 'end', text: '' }]
}

/** Operators by how tightly they bind, the loosest first, and the functions that they call. */
const levels: readonly Readonly<Record<string, string>>[] = [
  { '||': 'OR' },
  { '&&': 'AND' },
  { '=': '=', '==': '=', '<>': '<>', '!=': '<>' },
  { '<': '<', '>': '>', '<=': '<=', '>=': '>=' },
  { '+': '+', '-': '-', '&': '&' },
  { '*': '*', '/': '/' },
  { '^': '^' },
]

export const parseFormula = (source: string): Formula => {
  const tokens = tokensOf(source)
  let at = 0
  let depth = 0
  const peek = (): Token => tokens[at] ?? { kind: 'end', text: '' }
  const takes = (symbol: string): boolean => {
    const token = peek()
    if (token.kind !== 'symbol' || token.text !== symbol) return false
    at++
    return true
  }
  const expect = (symbol: string): void => {
    if (!takes(symbol)) throw new FormulaError(`lacks a ${symbol} before "${peek().text}"`)
  }
  const nested = <O>(work: () => O): O => {
    if (++depth > maxDepth) throw new FormulaError('is nested too deeply')
    const outcome = work()
    depth--
    return outcome
  }
  const binary = (level: number): Formula => {
    const operators = levels[level]
    if (!operators) return unary()
    let left = binary(level + 1)
    for (;;) {
      const token = peek()
      const name = token.kind === 'symbol' ? operators[token.text] : undefined
      if (name === undefined) return left
      at++
      left = { kind: 'call', name, args: [left, binary(level + 1)] }
    }
  }
  const unary = (): Formula => {
    if (takes('-')) return nested(() => ({ kind: 'call', name: 'NEGATE', args: [unary()] }))
    if (takes('!')) return nested(() => ({ kind: 'call', name: 'NOT', args: [unary()] }))
    return primary()
  }
  const primary = (): Formula => {
    if (takes('(')) {
      const inner = nested(() => binary(0))
      expect(')')
      return inner
    }
    const token = peek()
    at++
    if (token.kind === 'number') return { kind: 'literal', value: Number(token.text) }
    if (token.kind === 'text') return { kind: 'literal', value: token.text }
    if (token.kind !== 'name') throw new FormulaError(`has an unexpected "${token.text || 'end'}"`)
    return takes('(') ? call(token.text.toUpperCase()) : named(token.text)
  }
  const call = (name: string): Formula => {
    const args: Formula[] = []
    if (!takes(')')) {
      do args.push(nested(() => binary(0)))
      while (takes(','))
      expect(')')
    }
    return { kind: 'call', name, args }
  }
  const formula = binary(0)
  if (peek().kind !== 'end') throw new FormulaError(`has an unexpected "${peek().text}"`)
  return formula
}

const named = (text: string): Formula => {
  const word = text.toUpperCase()
  if (word === 'TRUE' || word === 'FALSE') return { kind: 'literal', value: word === 'TRUE' }
  if (word === 'NULL') return { kind: 'literal', value: null }
  return { kind: 'field', path: text.split('.') }
}

/** The names of the functions that a formula calls. */
export const functionsIn = (formula: Formula): string[] =>
  formula.kind === 'call' ? [formula.name, ...formula.args.flatMap(functionsIn)] : []

/** The fields that a formula reads. */
export const fieldsIn = (formula: Formula): (readonly string[])[] =>
  formula.kind === 'field' ? [formula.path] : formula.kind === 'call' ? formula.args.flatMap(fieldsIn) : []
