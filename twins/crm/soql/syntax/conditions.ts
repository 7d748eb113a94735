import { readGroupItem, readLiteral } from './expressions.ts'
import type { Reader } from './reader.ts'
import { malformed } from './refuse.ts'
import type { Condition, Literal, Operator, Query } from './tree.ts'

/** Reads a query that is nested in a condition; passed in by the parser of queries, which itself reads conditions. */
export type ReadQuery = (reader: Reader) => Query

/** Conditions of one kind side by side; AND and OR meet only across parentheses, as the service wants it. */
export const readCondition = (reader: Reader, readQuery: ReadQuery): Condition => {
  const first = readNegated(reader, readQuery)
  const kind = reader.sees('and') ? 'and' : reader.sees('or') ? 'or' : undefined
  if (!kind) return first
  const all = [first]
  while (reader.takes(kind)) all.push(readNegated(reader, readQuery))
  if (reader.sees('and') || reader.sees('or')) throw reader.refuse()
  return { kind, all }
}

const readNegated = (reader: Reader, readQuery: ReadQuery): Condition => {
  if (reader.takes('not')) return { kind: 'not', inner: reader.nest(() => readNegated(reader, readQuery)) }
  if (!reader.takes('(')) return readComparison(reader, readQuery)
  const inner = reader.nest(() => readCondition(reader, readQuery))
  reader.expect(')')
  return inner
}

const readComparison = (reader: Reader, readQuery: ReadQuery): Condition => {
  const left = readGroupItem(reader)
  const { at } = reader.peek()
  const operator = readOperator(reader)
  if (operator === 'in' || operator === 'not in')
    return { kind: 'compare', left, operator, at, right: readSet(reader, readQuery) }
  if (operator === 'includes' || operator === 'excludes') {
    reader.expect('(')
    return { kind: 'compare', left, operator, at, right: readLiterals(reader) }
  }
  return { kind: 'compare', left, operator, at, right: readLiteral(reader) }
}

const symbols: Readonly<Record<string, Operator>> = {
  '=': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}

const readOperator = (reader: Reader): Operator => {
  const token = reader.peek()
  const symbol = token.kind === 'symbol' ? symbols[token.text] : undefined
  if (symbol) {
    reader.next()
    return symbol
  }
  for (const word of ['like', 'in', 'includes', 'excludes'] as const) if (reader.takes(word)) return word
  if (reader.sees('not') && reader.sees('in', 1)) {
    reader.next()
    reader.next()
    return 'not in'
  }
  throw reader.refuse()
}

const readSet = (
  reader: Reader,
  readQuery: ReadQuery,
): readonly Literal[] | { kind: 'query'; query: Query } => {
  if (reader.sees(':')) throw malformed('Bind variables only allowed in Apex code')
  reader.expect('(')
  if (!reader.sees('select')) return readLiterals(reader)
  const query = readQuery(reader)
  reader.expect(')')
  return { kind: 'query', query }
}

const readLiterals = (reader: Reader): Literal[] => {
  const literals = [readLiteral(reader)]
  while (reader.takes(',')) literals.push(readLiteral(reader))
  reader.expect(')')
  return literals
}
