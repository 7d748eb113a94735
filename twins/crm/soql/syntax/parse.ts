import { readCondition } from './conditions.ts'
import { readCall, readGroupItem, readPath } from './expressions.ts'
import { type Reader, readerOf } from './reader.ts'
import { malformed } from './refuse.ts'
import { tokensOf } from './tokens.ts'
import type { GroupItem, Named, OrderItem, Path, Query, SelectItem } from './tree.ts'

/** Words that end a FROM entry, and so are no alias. */
const clauses = [
  'where',
  'group',
  'having',
  'order',
  'limit',
  'offset',
  'using',
  'with',
  'for',
  'update',
  'all',
]

export const parseQuery = (text: string): Query => {
  const reader = readerOf(text, tokensOf(text))
  const query = readQuery(reader)
  if (reader.sees('all') && reader.sees('rows', 1)) throw malformed('ALL ROWS not allowed in this context')
  if (reader.peek().kind !== 'end') throw reader.refuse()
  return query
}

/** A WHERE clause's condition on its own, as validation rules and searches write it. */
export const parseCondition = (text: string) => {
  const reader = readerOf(text, tokensOf(text))
  const condition = readCondition(reader, readQuery)
  if (reader.peek().kind !== 'end') throw reader.refuse()
  return condition
}

export const readQuery = (reader: Reader): Query => reader.nest(() => readClauses(reader))

const readClauses = (reader: Reader): Query => {
  reader.expect('select')
  const select = readSelect(reader)
  const { from, alias, joins } = readFrom(reader)
  const scope = readScope(reader)
  const where = reader.takes('where') ? readCondition(reader, readQuery) : undefined
  readWith(reader)
  const { groupBy, grouping } = readGroupBy(reader)
  const having = reader.takes('having') ? readCondition(reader, readQuery) : undefined
  const orderBy = readOrderBy(reader)
  const limit = readCount(reader, 'limit')
  const offset = readCount(reader, 'offset')
  const purpose = readPurpose(reader)
  return {
    select,
    from,
    alias,
    joins,
    scope,
    where,
    groupBy,
    grouping,
    having,
    orderBy,
    limit,
    offset,
    purpose,
  }
}

const readSelect = (reader: Reader): SelectItem[] => {
  const items: SelectItem[] = [readSelectItem(reader)]
  while (reader.takes(',')) items.push(readSelectItem(reader))
  return items
}

const readSelectItem = (reader: Reader): SelectItem => {
  if (reader.sees('(')) {
    const { at } = reader.next()
    const query = readQuery(reader)
    reader.expect(')')
    return { kind: 'subquery', query, at }
  }
  if (reader.sees('typeof')) return readTypeOf(reader)
  if (reader.peek().kind === 'word' && reader.sees('(', 1))
    return { kind: 'call', call: readCall(reader), alias: readAlias(reader) }
  const path = readPath(reader)
  return { kind: 'path', path, alias: readAlias(reader) }
}

const readAlias = (reader: Reader): Named | undefined => {
  const token = reader.peek()
  if (token.kind !== 'word' || reader.sees('from')) return undefined
  reader.next()
  return { name: token.text, at: token.at }
}

const readTypeOf = (reader: Reader): SelectItem => {
  reader.expect('typeof')
  const path = readPath(reader)
  const branches: { type: Named; paths: Path[] }[] = []
  while (reader.takes('when')) {
    const type = reader.word()
    reader.expect('then')
    branches.push({ type: { name: type.text, at: type.at }, paths: readPaths(reader) })
  }
  if (branches.length === 0) throw reader.refuse()
  const otherwise = reader.takes('else') ? readPaths(reader) : []
  reader.expect('end')
  return { kind: 'typeof', path, branches, otherwise }
}

const readPaths = (reader: Reader): Path[] => {
  const paths = [readPath(reader)]
  while (reader.takes(',')) paths.push(readPath(reader))
  return paths
}

const readFrom = (reader: Reader): Pick<Query, 'from' | 'alias' | 'joins'> => {
  reader.expect('from')
  const path = readPath(reader)
  const from: Named = { name: path.parts.map(({ name }) => name).join('.'), at: path.at }
  const alias = readFromAlias(reader)
  const joins: { path: Path; alias: string }[] = []
  while (reader.takes(',')) {
    const joined = readPath(reader)
    joins.push({ path: joined, alias: readFromAlias(reader) ?? joined.parts.at(-1)?.name ?? '' })
  }
  return { from, alias, joins }
}

const readFromAlias = (reader: Reader): string | undefined => {
  const token = reader.peek()
  if (reader.takes('as')) return reader.word().text
  if (token.kind !== 'word' || clauses.includes(token.text.toLowerCase())) return undefined
  return reader.next().text
}

const readScope = (reader: Reader): Named | undefined => {
  if (!reader.takes('using')) return undefined
  reader.expect('scope')
  const { text, at } = reader.word()
  return { name: text, at }
}

/** WITH restricts what a caller sees. The security model applies to every query anyway, so the clause is parsed and ignored. */
const readWith = (reader: Reader): void => {
  if (!reader.takes('with')) return
  if (['security_enforced', 'user_mode', 'system_mode'].some((mode) => reader.takes(mode))) return
  if (!reader.takes('data')) throw reader.refuse()
  reader.expect('category')
  do {
    reader.word()
    reader.word()
    if (!reader.takes('(')) reader.word()
    else {
      do reader.word()
      while (reader.takes(','))
      reader.expect(')')
    }
  } while (reader.takes('and'))
}

const readGroupBy = (reader: Reader): Pick<Query, 'groupBy' | 'grouping'> => {
  if (!reader.takes('group')) return { groupBy: [], grouping: 'plain' }
  reader.expect('by')
  const grouping =
    reader.sees('(', 1) && reader.sees('rollup')
      ? 'rollup'
      : reader.sees('(', 1) && reader.sees('cube')
        ? 'cube'
        : 'plain'
  if (grouping === 'plain') return { groupBy: readGroupItems(reader), grouping }
  reader.next()
  reader.expect('(')
  const groupBy = readGroupItems(reader)
  reader.expect(')')
  return { groupBy, grouping }
}

const readGroupItems = (reader: Reader): GroupItem[] => {
  const items = [readGroupItem(reader)]
  while (reader.takes(',')) items.push(readGroupItem(reader))
  return items
}

const readOrderBy = (reader: Reader): OrderItem[] => {
  if (!reader.takes('order')) return []
  reader.expect('by')
  const items: OrderItem[] = []
  do {
    const by = readGroupItem(reader)
    const descending = reader.takes('desc')
    if (!descending) reader.takes('asc')
    let nullsLast = false
    if (reader.takes('nulls')) {
      nullsLast = reader.takes('last')
      if (!nullsLast) reader.expect('first')
    }
    items.push({ by, descending, nullsLast })
  } while (reader.takes(','))
  return items
}

const readCount = (reader: Reader, clause: 'limit' | 'offset'): number | undefined => {
  if (!reader.takes(clause)) return undefined
  const token = reader.peek()
  if (reader.sees(':')) throw malformed('Bind variables only allowed in Apex code')
  if (token.kind !== 'number' || !/^\d+$/.test(token.text)) throw reader.refuse()
  reader.next()
  return Number(token.text)
}

const readPurpose = (reader: Reader): Query['purpose'] => {
  let purpose: Query['purpose']
  for (let clauses = 0; clauses < 4; clauses++) {
    if (reader.takes('for')) {
      do {
        if (reader.takes('view')) purpose = 'view'
        else if (reader.takes('reference')) purpose ??= 'reference'
        else if (reader.takes('update')) purpose ??= 'update'
        else throw reader.refuse()
      } while (reader.takes(','))
    } else if (reader.takes('update')) {
      do {
        if (!reader.takes('tracking') && !reader.takes('viewstat')) throw reader.refuse()
      } while (reader.takes(','))
    } else break
  }
  return purpose
}
