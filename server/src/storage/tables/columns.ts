import type { ColumnType } from 'kysely'

/** Read as a value and written as JSON text. */
export type Json<T = unknown> = ColumnType<T, string, string>
export type NullableJson<T = unknown> = ColumnType<T | null, string | null, string | null>
/** Null, or left out, when there is none. */
export type Maybe<T> = ColumnType<T | null, T | null | undefined, T | null>
/** The transaction that wrote a row, and its position in it: the order in which readers of a stream see rows. */
export interface StreamOrder {
  tx: ColumnType<string, never, never>
  ord: number
}
