import { type Kysely, sql } from 'kysely'
import { keysetPage, type Page } from '../../storage/pages.ts'
import type { StreamPosition } from '../events/position.ts'
import type { TelemetryTables } from '../tables.ts'
import { narrowTraces, type TraceFilter } from './trace-filter.ts'
import {
  type SpanRow,
  type TraceRow,
  type TraceWrite,
  type TraceWriteParts,
  writeTraces,
} from './trace-writes.ts'
import { type Portion, withinBytes } from './within-bytes.ts'

const spanColumns = [
  'organization_id',
  'trace_id',
  'span_id',
  'id',
  'parent_span_id',
  'name',
  'kind',
  'status',
  'status_message',
  'given_start',
  'given_end',
  'given_duration_ms',
  'started_at',
  'ended_at',
  'duration_ms',
  'attributes',
  'entities',
  'otlp',
  'gen_ai',
  'source',
  'recorded_at',
] as const

const largeColumns = ['attributes', 'otlp', 'gen_ai']

export interface TraceStore {
  /**
   * Writes everything in one transaction and returns the ids of each write's spans. The row of each trace is locked
   * first, in one order everywhere, so that two calls about one trace see each other's spans.
   */
  readonly write: (writes: readonly TraceWrite[], parts: TraceWriteParts) => Promise<string[][]>
  readonly find: (organizationId: string, traceId: string) => Promise<TraceRow | undefined>
  readonly list: (
    organizationId: string,
    filter: TraceFilter,
    page: { limit: number; cursor?: string | undefined },
  ) => Promise<Page<TraceRow>>
  /** The spans of a trace by their start, as many as a portion holds. */
  readonly spansOf: (organizationId: string, traceId: string, limit: number) => Promise<Portion<SpanRow>>
  /** In the order of the ids, as many of them as a portion holds. */
  readonly spansById: (organizationId: string, ids: readonly string[]) => Promise<Portion<SpanRow>>
  /** Spans after a position, in the order in which they were written, settled or not; as many as a portion holds. */
  readonly after: (
    organizationId: string,
    from: StreamPosition,
    limit: number,
  ) => Promise<(SpanRow & { tx: string; ord: number })[]>
  /** Traces of agents whose runs are not recorded yet, the longest waiting first. */
  readonly withoutRun: (limit: number) => Promise<TraceRow[]>
  /** Told, unless the trace has changed meanwhile. */
  readonly runTold: (traceRow: TraceRow) => Promise<void>
}

/** The SQL of traces and their spans. */
export const traceStore = ({ db }: { readonly db: Kysely<TelemetryTables> }): TraceStore => ({
  write: (writes: readonly TraceWrite[], parts: TraceWriteParts): Promise<string[][]> =>
    db.transaction().execute((trx) => writeTraces(trx, writes, parts)),

  find: (organizationId: string, traceId: string): Promise<TraceRow | undefined> =>
    db
      .selectFrom('traces')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('trace_id', '=', traceId)
      .executeTakeFirst(),

  list: (
    organizationId: string,
    filter: TraceFilter,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Page<TraceRow>> => {
    const all = db.selectFrom('traces').selectAll().where('organization_id', '=', organizationId)
    return keysetPage(narrowTraces(all, filter), {
      column: 'started_at',
      idColumn: 'trace_id',
      ...page,
      position: (row) => ({ at: row.started_at, id: row.trace_id }),
      run: (rows) => withinBytes<TraceRow>({ db }, rows, ['attributes']),
    })
  },

  spansOf: (organizationId: string, traceId: string, limit: number): Promise<Portion<SpanRow>> =>
    withinBytes(
      { db },
      db
        .selectFrom('spans')
        .select(spanColumns)
        .where('organization_id', '=', organizationId)
        .where('trace_id', '=', traceId)
        .orderBy('started_at')
        .orderBy('id')
        .limit(limit),
      largeColumns,
    ),

  spansById: (organizationId: string, ids: readonly string[]): Promise<Portion<SpanRow>> =>
    ids.length === 0
      ? Promise.resolve({ rows: [], cut: false })
      : withinBytes(
          { db },
          sql`select spans.* from unnest(${[...ids]}::text[]) with ordinality as wanted (id, place)
            join spans using (id) where organization_id = ${organizationId} order by wanted.place`,
          largeColumns,
        ),

  after: async (organizationId: string, from: StreamPosition, limit: number) => {
    const page = db
      .selectFrom('spans')
      .select([...spanColumns, sql<string>`tx::text`.as('tx'), 'ord'])
      .where('organization_id', '=', organizationId)
      .where(sql<boolean>`(tx, ord) > (${String(from.tx)}::xid8, ${from.ord}::integer)`)
      .orderBy(sql`spans.tx`)
      .orderBy(sql`spans.ord`)
      .limit(limit)
    return (await withinBytes<SpanRow & { tx: string; ord: number }>({ db }, page, largeColumns)).rows
  },

  withoutRun: (limit: number): Promise<TraceRow[]> =>
    db
      .selectFrom('traces')
      .selectAll()
      .where('run_pending', '=', true)
      .orderBy('updated_at')
      .limit(limit)
      .execute(),

  runTold: async ({ organization_id, trace_id, updated_at }: TraceRow): Promise<void> => {
    await db
      .updateTable('traces')
      .set({ run_pending: false })
      .where('organization_id', '=', organization_id)
      .where('trace_id', '=', trace_id)
      .where('updated_at', '=', updated_at)
      .execute()
  },
})
