/** A row is plain JSON with a string under the table's key field. */
export type Row = { readonly [field: string]: unknown }

export interface TableSpec<R extends Row = Row> {
  /** The field that identifies a row. */
  readonly key: string
  /** Checks a row; the conformance suite holds every seed and every change against it. */
  readonly row: { parse: (value: unknown) => R }
  readonly indexes?: Readonly<Record<string, IndexSpec>>
  /** Internal tables are kept and restored like others, but are no part of diffs, mutations and entity counts. */
  readonly internal?: boolean
  /** Left out of seeds in which it is empty. A table that is added later has this, so that older seeds keep their bytes. */
  readonly sparse?: boolean
}

/** Rows found by equality of `by`, in the order of `order` (then of the key). A row may stand under several values, or none. */
export interface IndexSpec {
  // biome-ignore lint/suspicious/noExplicitAny: an index is written against its own table's row type.
  readonly by: (row: any) => string | readonly string[] | undefined
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly order?: (row: any) => string | number
}

export interface Range {
  /** Only rows whose order is greater than this. */
  readonly after?: string | number
  /** Only rows whose order is less than this. */
  readonly before?: string | number
  /** From the greatest order down. */
  readonly reverse?: boolean
}

export interface TableView<R extends Row = Row> {
  readonly get: (key: string) => R | undefined
  readonly has: (key: string) => boolean
  /** Every row: the seed's in its order, then the others as they came. */
  readonly all: () => Iterable<R>
  readonly size: () => number
  /** Rows under one value of an index, in its order; costs what it yields. */
  readonly find: (index: string, value: string, range?: Range) => Iterable<R>
  readonly first: (index: string, value: string, range?: Range) => R | undefined
  readonly count: (index: string, value: string) => number
}

export interface WritableTable<R extends Row = Row> extends TableView<R> {
  readonly insert: (row: R) => R
  /** Lays the fields over the row; a field set to undefined is removed. */
  readonly update: (key: string, fields: Partial<R>) => R
  readonly delete: (key: string) => void
}

/** Says what a table is, with its row's type. */
export const table = <R extends Row>(spec: TableSpec<R>): TableSpec<R> => spec

export type Tables = Readonly<Record<string, TableSpec>>
export type Views<T extends Tables = Tables> = { readonly [K in keyof T]: TableView<RowOf<T[K]>> }
export type WritableTables<T extends Tables = Tables> = {
  readonly [K in keyof T]: WritableTable<RowOf<T[K]>>
}
export type RowOf<S> = S extends TableSpec<infer R> ? R : never
