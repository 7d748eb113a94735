import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Entry, FeedSource, Range } from '../http/feed-source.ts'
import type { Database } from '../storage/schema.ts'
import { listed, type ShownStep, toActivity } from './activity.ts'
import { type ActivityFilter, conditionsOf, matchesActivity } from './activity-filter.ts'
import {
  isPast,
  type LedgerPosition,
  ledgerOrder,
  type Place,
  parseLedgerPosition,
  placeOf,
} from './ledger-position.ts'

type PlacedStep = ShownStep & { readonly twin: number }

const rowsPerTwin = 500
/**
 * A step that does not follow the last one opens a new life of its twin. What another node was still writing of the life
 * before is waited for this long.
 */
const patienceMs = 300

/** The steps of some twins, for the streams that show them together. */
export const activitySource = ({
  db,
  now,
  twinIds,
}: {
  readonly db: Kysely<Database>
  readonly now: () => number
  readonly twinIds: readonly string[]
}): FeedSource<ShownStep, ActivityFilter, LedgerPosition> => {
  const order = ledgerOrder(twinIds.length)
  const patience = openPatience(now)
  const steps = (
    { from, to }: Omit<Range<LedgerPosition>, 'limit'>,
    conditions: readonly RawBuilder<boolean>[],
    limit: number,
  ) => {
    const lives = twinIds.map((id, twin) => {
      const [start, end] = [placeOf(from, twin), placeOf(to, twin)]
      return { id, twin, epoch: start.epoch, seq: start.seq, last_epoch: end.epoch, last_seq: end.seq }
    })
    const fits = conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
    return sql<PlacedStep>`
      select step.*, life.twin from json_to_recordset(${JSON.stringify(lives)}::json)
        as life (id text, twin integer, epoch integer, seq bigint, last_epoch integer, last_seq bigint), lateral (
        select ${sql.join(listed.map((name) => sql.ref(name)))} from twin_steps
        where twin_id = life.id and (twin_steps.epoch, twin_steps.seq) > (life.epoch, life.seq)
          and (twin_steps.epoch, twin_steps.seq) <= (life.last_epoch, life.last_seq) and ${fits}
        order by twin_steps.epoch, twin_steps.seq limit ${limit}) as step
      order by life.twin, step.epoch, step.seq`
  }
  const everything: LedgerPosition = { places: twinIds.map(() => last), moved: 0 }
  const start = async (): Promise<LedgerPosition> => {
    const { rows } = await sql<Place & { twin: number }>`
      select wanted.twin::integer as twin, step.epoch, step.seq
      from unnest(${[...twinIds]}::text[]) with ordinality as wanted (id, twin), lateral (
        select epoch, seq from twin_steps where twin_id = wanted.id
        order by epoch desc, seq desc limit 1) as step`.execute(db)
    const places = [...order.beforeAll.places]
    for (const { twin, epoch, seq } of rows) places[twin - 1] = { epoch, seq }
    return { places, moved: 0 }
  }
  return {
    kind: 'activity',
    order,
    start,
    matches: matchesActivity,
    after: async (from) => {
      const { rows } = await steps({ from, to: everything }, [], rowsPerTwin).execute(db)
      const { settled, held } = patience.sort(rows, from)
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
const openPatience = (now: () => number) => {
  const waiting = new Map<number, { readonly place: Place; readonly since: number }>()

  const mayGo = (twin: number, place: Place, before: Place): boolean => {
    if (place.epoch === before.epoch && place.seq === before.seq + 1) return true
    const waits = waiting.get(twin)
    if (waits && !isPast(waits.place, place) && !isPast(place, waits.place))
      return now() - waits.since >= patienceMs
    waiting.set(twin, { place, since: now() })
    return false
  }

  return {
    /** Rows come twin by twin, each in its order. */
    sort: (rows: readonly PlacedStep[], from: LedgerPosition) => {
      const places = [...from.places]
      const stopped = new Set<number>()
      const settled = rows.filter((row) => {
        if (stopped.has(row.twin)) return false
        const goes = mayGo(row.twin, row, places[row.twin] ?? row)
        if (goes) places[row.twin] = { epoch: row.epoch, seq: row.seq }
        else stopped.add(row.twin)
        return goes
      })
      return { settled, held: stopped.size > 0 }
    },
  }
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
    places = places.with(row.twin, { epoch: row.epoch, seq: row.seq })
    return { row, position: { places, moved: row.twin }, data: toActivity(row) }
  })
}
