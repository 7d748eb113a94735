import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { readTs, tsOf } from '../values/time.ts'

/** Cursors are readable keys in base64, as those of the real service are; a page goes on after the key it names. */
export const makeCursor = (kind: string, key: string): string =>
  Buffer.from(`${kind}:${key}`, 'utf8').toString('base64')

export const readCursor = (
  kind: string,
  cursor: string | undefined,
  code = 'invalid_cursor',
): string | undefined => {
  if (cursor === undefined || cursor === '') return undefined
  const text = Buffer.from(cursor, 'base64').toString('utf8')
  if (!text.startsWith(`${kind}:`) || Buffer.from(text, 'utf8').toString('base64') !== cursor.trim())
    throw new VendorError(code)
  return text.slice(kind.length + 1)
}

const tsKind = 'next_ts'
export const makeTsCursor = (ts: string): string => makeCursor(tsKind, ts.replace('.', ''))

export const readTsCursor = (cursor: string | undefined): string | undefined => {
  const digits = readCursor(tsKind, cursor)
  if (digits === undefined) return undefined
  const ts = /^\d{16}$/.test(digits) ? readTs(tsOf(Number(digits))) : undefined
  if (ts === undefined) throw new VendorError('invalid_cursor')
  return ts
}

/** The first `limit` of a run of items, and whether there are more. */
export const take = <V>(items: Iterable<V>, limit: number): { items: V[]; more: boolean } => {
  const taken: V[] = []
  for (const item of items) {
    if (taken.length === limit) return { items: taken, more: true }
    taken.push(item)
  }
  return { items: taken, more: false }
}

/** A page's size; `code` where the method has its own word for a bad one. */
export const clampLimit = (
  limit: number | undefined,
  standard: number,
  most: number,
  code = 'invalid_arguments',
): number => {
  if (limit === undefined || limit === 0) return standard
  if (limit < 0) throw new VendorError(code)
  return Math.min(limit, most)
}

export const nextCursor = (cursor: string): { response_metadata: { next_cursor: string } } => ({
  response_metadata: { next_cursor: cursor },
})

export interface Paging {
  readonly count: number
  readonly page: number
}

/** The older kind of page: by number. */
export const readPaging = (
  args: { count?: number | undefined; page?: number | undefined },
  standard: number,
  most: number,
): Paging => ({
  count: Math.min(Math.max(args.count ?? standard, 1), most),
  page: Math.max(args.page ?? 1, 1),
})

export const pageOf = <V>(items: readonly V[], { count, page }: Paging): V[] =>
  items.slice((page - 1) * count, page * count)

export const pagingShape = (total: number, { count, page }: Paging) => ({
  count,
  total,
  page,
  pages: Math.ceil(total / count),
})
