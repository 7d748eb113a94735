import { type Expression, type SelectQueryBuilder, sql } from 'kysely'
import pg from 'pg'

/** Where a page ended: the ordering column's value and the id of its last row. */
export interface Position {
  readonly at: Date | number | string
  readonly id: string
}

export class BadCursor extends Error {
  override readonly name = 'BadCursor'
  readonly code = 'bad_cursor'

  constructor() {
    super('The cursor is not one that this list gave out. Leave it out to start from the first page.')
  }
}

const version = 1
const maxCursorLength = 1_024
const maxIdLength = 256
/** PostgreSQL's own range of times is wider, but no row of ours lies outside these years. */
const earliest = Date.UTC(1, 0, 1)
const latest = Date.UTC(9999, 11, 31)

export const encodeCursor = ({ at, id }: Position): string => {
  const value = at instanceof Date ? ['d', at.getTime()] : [typeof at === 'number' ? 'n' : 's', at]
  return Buffer.from(JSON.stringify([version, ...value, id])).toString('base64url')
}

/** Throws BadCursor for anything that `encodeCursor` did not make. */
export const decodeCursor = (cursor: string): Position => {
  const parts = parse(cursor)
  if (!Array.isArray(parts) || parts.length !== 4) throw new BadCursor()
  const [from, kind, at, id]: unknown[] = parts
  if (from !== version || !isText(id) || id.length > maxIdLength) throw new BadCursor()
  if (kind === 's' && isText(at)) return { at, id }
  if (typeof at !== 'number' || !Number.isFinite(at)) throw new BadCursor()
  if (kind === 'n') return { at, id }
  if (kind === 'd' && at >= earliest && at <= latest) return { at: new Date(at), id }
  throw new BadCursor()
}

const parse = (cursor: string): unknown => {
  if (cursor.length > maxCursorLength || !/^[\w-]+$/.test(cursor)) throw new BadCursor()
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    throw new BadCursor()
  }
}

/** Text that the database can hold: whole characters, and no NUL. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0')

export interface PageRequest<Row> {
  /** The column the list is ordered by, newest or largest first, as the database names it. */
  readonly column: string
  /** The column that tells rows with the same value apart. Default `id`. */
  readonly idColumn?: string
  /** The column holds times: a cursor of another list, whose place is no time, is refused. */
  readonly timed?: true
  readonly limit: number
  readonly cursor?: string | undefined
  /** Where a row stands: its values of the two columns. */
  readonly position: (row: Row) => Position
  /** Runs the page's query in another form, which may leave off rows at its end. */
  readonly run?: (page: Expression<unknown>) => Promise<{ rows: readonly Row[]; cut: boolean }>
}

export interface Page<Row> {
  readonly items: readonly Row[]
  readonly nextCursor: string | null
}

/**
 * One page of a query in the order (column desc, id desc). It starts after a row and not after a count, so
 * that rows added meanwhile neither repeat nor hide others. Times must be stored to the millisecond
 * (`timestamptz(3)`), which is what a Date holds.
 */
export const keysetPage = async <DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { column, idColumn = 'id', timed, limit, cursor, position, run }: PageRequest<Row>,
): Promise<Page<Row>> => {
  const at = sql.ref(column)
  const id = sql.ref(idColumn)
  let page = query
    .orderBy(at, 'desc')
    .orderBy(id, 'desc')
    .limit(limit + 1)
  if (cursor !== undefined) {
    const after = decodeCursor(cursor)
    if (timed && !(after.at instanceof Date)) throw new BadCursor()
    page = page.where(sql<boolean>`(${at}, ${id}) < (${after.at}, ${after.id})`)
  }
  const ran = run ? run(page) : page.execute().then((rows) => ({ rows, cut: false }))
  const { rows, cut } = await ran.catch((error) => {
    throw cursor !== undefined && isWrongValue(error) ? new BadCursor() : error
  })
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const more = (cut || rows.length > limit) && last !== undefined
  return { items, nextCursor: more ? encodeCursor(position(last)) : null }
}

/** Class 22 is a value that is not of its column's type, and 42883 a comparison of two types: the cursor of another list. */
const isWrongValue = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(22|42883)/.test(error.code ?? '')

/** The place of a list that is ordered by a whole number, such as the position of a task. */
export const wholePosition = (cursor: string): number => {
  const { at } = decodeCursor(cursor)
  if (typeof at !== 'number' || !Number.isSafeInteger(at)) throw new BadCursor()
  return at
}
