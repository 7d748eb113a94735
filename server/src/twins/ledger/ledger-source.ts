import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Entry, FeedSource, Range } from '../../http/feed-source.ts'
import type { TwinTables } from '../tables.ts'
import { type ActivityFilter, conditionsOf, matchesActivity } from './ledger-filter.ts'
import {
  isPast,
  type LedgerPosition,
  laneOf,
  ledgerOrder,
  type Place,
  parseLedgerPosition,
  placeOf,
} from './ledger-position.ts'
import { listed, type ShownStep, toActivity } from './ledger-reader.ts'

type PlacedStep = ShownStep & { readonly twin: number }

const rowsPerLane = 500
/**
 * A step is held back while something that came before it may still be on its way: an earlier step of its lane, steps of
 * the other lane, or what another node was still writing of the twin's life before. This is the longest wait.
 */
const patienceMs = 300

/** The steps of some twins, for the streams that show them together. */
export const ledgerSource = ({
  db,
  now,
  twinIds,
}: {
  readonly db: Kysely<TwinTables>
  readonly now: () => number
  readonly twinIds: readonly string[]
}): FeedSource<ShownStep, ActivityFilter, LedgerPosition> => {
  const order = ledgerOrder(twinIds.length)
  const reorder = createReorderBuffer(now)
  const steps = (
    { from, to }: Omit<Range<LedgerPosition>, 'limit'>,
    conditions: readonly RawBuilder<boolean>[],
    limit: number,
  ) => {
    const lanes = twinIds.flatMap((id, twin) =>
      [false, true].map((isRead) => {
        const lane = laneOf(twin, isRead)
        const [start, end] = [placeOf(from, lane), placeOf(to, lane)]
        return {
          id,
          twin,
          is_read: isRead,
          epoch: start.epoch,
          seq: start.seq,
          last_epoch: end.epoch,
          last_seq: end.seq,
        }
      }),
    )
    const fits = conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
    return sql<PlacedStep>`
      select step.*, lane.twin from json_to_recordset(${JSON.stringify(lanes)}::json)
        as lane (id text, twin integer, is_read boolean, epoch integer, seq bigint, last_epoch integer, last_seq bigint),
      lateral (
        select ${sql.join(listed.map((name) => sql.ref(name)))} from twin_steps
        where twin_id = lane.id and twin_steps.is_read = lane.is_read
          and (twin_steps.epoch, twin_steps.seq) > (lane.epoch, lane.seq)
          and (twin_steps.epoch, twin_steps.seq) <= (lane.last_epoch, lane.last_seq) and ${fits}
        order by twin_steps.epoch, twin_steps.seq limit ${limit}) as step
      order by lane.twin, step.epoch, step.seq + step.preceding`
  }
  const everything: LedgerPosition = { places: twinIds.flatMap(() => [last, last]), moved: 0 }
  const start = async (): Promise<LedgerPosition> => {
    const { rows } = await sql<Place & { twin: number; is_read: boolean }>`
      select wanted.twin::integer as twin, lane.is_read, step.epoch, step.seq
      from unnest(${[...twinIds]}::text[]) with ordinality as wanted (id, twin),
        (values (false), (true)) as lane (is_read),
        lateral (
          select epoch, seq from twin_steps where twin_id = wanted.id and twin_steps.is_read = lane.is_read
          order by epoch desc, seq desc limit 1) as step`.execute(db)
    const places = [...order.beforeAll.places]
    for (const { twin, is_read, epoch, seq } of rows) places[laneOf(twin - 1, is_read)] = { epoch, seq }
    return { places, moved: 0 }
  }
  return {
    kind: 'activity',
    order,
    start,
    matches: matchesActivity,
    after: async (from) => {
      const { rows } = await steps({ from, to: everything }, [], rowsPerLane).execute(db)
      const { settled, held } = reorder.sort(rows, from)
      return { entries: inOrder(settled, from), held }
    },
    countBetween: async (filter, { limit, ...range }) => {
      const page = steps(range, conditionsOf(filter), limit)
      const { rows } = await sql<{
        count: number
      }>`select count(*) from (${page} limit ${limit}) as page`.execute(db)
      return rows[0]?.count ?? 0
    },
    between: async (filter, { limit, ...range }) => {
      const { rows } = await steps(range, conditionsOf(filter), limit).execute(db)
      return { entries: inOrder(rows, range.from), cut: false }
    },
    parse: async (text) => parseLedgerPosition(text, twinIds.length),
    knows: async (position) => order.reaches(await start(), position),
  }
}

/** Beyond every place that there can be. */
const last: Place = { epoch: 2_147_483_647, seq: Number.MAX_SAFE_INTEGER }

/** Holds back what does not follow what was shown, for as long as something older may still come. */
const createReorderBuffer = (now: () => number) => {
  const waiting = new Map<number, { readonly id: string; readonly since: number }>()

  const follows = (row: PlacedStep, places: readonly Place[]): boolean => {
    const own = places[laneOf(row.twin, row.is_read)]
    const other = places[laneOf(row.twin, !row.is_read)]
    const isNext = row.epoch === own?.epoch && row.seq === own.seq + 1
    return isNext && other !== undefined && !isPast({ epoch: row.epoch, seq: row.preceding }, other)
  }

  const isOverdue = ({ twin, id }: PlacedStep): boolean => {
    const waits = waiting.get(twin)
    if (waits?.id === id) return now() - waits.since >= patienceMs
    waiting.set(twin, { id, since: now() })
    return false
  }

  return {
    /** Rows come twin by twin, each twin's in the order of its life. */
    sort: (rows: readonly PlacedStep[], from: LedgerPosition) => {
      const places = [...from.places]
      const stopped = new Set<number>()
      const full = fullLanes(rows)
      const settled = rows.filter((row) => {
        if (stopped.has(row.twin)) return false
        // More of the other lane is there to be read: the clock does not run for what waits for it.
        const mayWait = full.has(laneOf(row.twin, !row.is_read))
        const goes = follows(row, places) || (!mayWait && isOverdue(row))
        if (goes) places[laneOf(row.twin, row.is_read)] = { epoch: row.epoch, seq: row.seq }
        else stopped.add(row.twin)
        return goes
      })
      return { settled, held: stopped.size > 0 }
    },
  }
}

/** Lanes of which there are more rows than were read. */
const fullLanes = (rows: readonly PlacedStep[]): ReadonlySet<number> => {
  const counts = new Map<number, number>()
  for (const { twin, is_read } of rows) {
    const lane = laneOf(twin, is_read)
    counts.set(lane, (counts.get(lane) ?? 0) + 1)
  }
  return new Set([...counts].flatMap(([lane, count]) => (count >= rowsPerLane ? [lane] : [])))
}

/** One line of all twins' steps: by the time of their ids, and each twin's in its own order whatever its clock said. */
const inOrder = (rows: readonly PlacedStep[], from: LedgerPosition): Entry<ShownStep, LedgerPosition>[] => {
  const reached = new Map<number, string>()
  const timed = rows.map((row) => {
    const before = reached.get(row.twin) ?? ''
    const key = row.id > before ? row.id : before
    reached.set(row.twin, key)
    return { row, key }
  })
  timed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  let { places } = from
  return timed.map(({ row }) => {
    const lane = laneOf(row.twin, row.is_read)
    places = places.with(lane, { epoch: row.epoch, seq: row.seq })
    return { row, position: { places, moved: lane }, data: toActivity(row) }
  })
}
