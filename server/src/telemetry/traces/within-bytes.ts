import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely'
import type { TelemetryTables } from '../tables.ts'

/** Rows are handed out in portions of about this size, whatever their number. */
export const maxBytesAtOnce = 8 * 1_048_576
/** Smaller values are counted as they are kept; packed as they may be, they unpack to little. */
const smallBytes = 2_000

export interface Portion<Row> {
  readonly rows: Row[]
  /** The page had more rows; the last of them are left off. */
  readonly cut: boolean
}

/**
 * Runs the query of a page, whose number of rows is bounded, and leaves off the rows at its end that would make it too
 * large. The first row always comes. Sizes are summed up as rows are kept and then as text, so that of many large values
 * few are unpacked, and none that is left off is sent.
 */
export const withinBytes = async <Row>(
  { db }: { readonly db: Kysely<TelemetryTables> },
  page: Expression<unknown>,
  large: readonly string[],
): Promise<Portion<Row>> => {
  const sum = (size: (column: RawBuilder<unknown>) => RawBuilder<unknown>) =>
    sql.join(
      large.map((column) => sql`coalesce(${size(sql.ref(column))}, 0)`),
      sql` + `,
    )
  const kept = sum((column) => sql`pg_column_size(${column})`)
  const whole = sum(
    (
      column,
    ) => sql`case when pg_column_size(${column}) < ${sql.lit(smallBytes)} then pg_column_size(${column})
      else octet_length(${column}::text) end`,
  )
  const most = sql.lit(maxBytesAtOnce)
  const { rows } = await sql<Row & { found: number }>`
    select * from (
      select *, sum(whole_size) over (order by place) - whole_size as whole_before from (
        select *, ${whole} as whole_size from (
          select *, sum(kept_size) over (order by place) - kept_size as kept_before from (
            select *, row_number() over () as place, count(*) over () as found, ${kept} as kept_size
            from (${page}) as page
          ) as numbered
        ) as weighed where kept_before < ${most}
      ) as measured
    ) as fitting where whole_before < ${most} order by place`.execute(db)
  return { rows, cut: rows.length < (rows[0]?.found ?? 0) }
}
