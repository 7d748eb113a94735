import { type Kysely, sql } from 'kysely'
import type { Leases } from '../storage/leases.ts'
import type { Log } from '../storage/log.ts'
import type { TwinTables } from './tables.ts'

export interface RetentionDeps {
  readonly db: Kysely<TwinTables>
  readonly leases: Leases
  readonly holder: string
  readonly log: Log
}

/** Deletes what twins have recorded. */
export interface LedgerRetention {
  /** Deletes twins that have ended, with their ledgers, payloads and snapshots. Live ones are passed over. */
  readonly deleteTwins: (ids: readonly string[]) => Promise<void>
  /** Deletes what is older than each organization keeps; returns how many twins went. */
  readonly sweep: () => Promise<number>
  /** Hands the space of deleted rows back: to other rows, and at the end of a table's file to the disk. */
  readonly reclaim: () => Promise<void>
}

/** What is recorded of a twin; the attempts of a delivery are deleted before it. */
const recordTables = [
  'twin_steps',
  'twin_payloads',
  'twin_snapshots',
  'twin_delivery_attempts',
  'twin_deliveries',
] as const
const rowsPerStatement = 2_000
const twinsPerSweep = 1_000
const leaseMs = 10 * 60_000

export const createLedgerRetention = ({ db, leases, holder, log }: RetentionDeps): LedgerRetention => {
  /** In short statements, so that no one waits for a long one. */
  const deleteTwins = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) {
      for (const table of recordTables) while ((await deleteSome(db, table, id)) === rowsPerStatement);
      const gone = await db
        .deleteFrom('twins')
        .where('id', '=', id)
        .where('status', 'in', [...endedStatuses])
        .returning('clock_id')
        .executeTakeFirst()
      if (gone?.clock_id) await deleteClockOfTrial(db, gone.clock_id)
    }
  }

  const reclaim = async (): Promise<void> => {
    for (const table of [...recordTables, 'twins']) await sql`vacuum ${sql.table(table)}`.execute(db)
  }

  const sweep = async (): Promise<number> => {
    const lease = await leases.acquire('twins.retention', { holder, ttlMs: leaseMs })
    if (!lease) return 0
    try {
      const ids = await expiredTwins(db)
      await deleteTwins(ids)
      if (ids.length > 0) {
        await reclaim()
        log.info({ event: 'retention.swept', twins: ids.length }, 'Old twins were deleted.')
      }
      return ids.length
    } finally {
      await leases.release(lease)
    }
  }

  return { deleteTwins, sweep, reclaim }
}

export const endedStatuses = ['stopped', 'expired', 'failed'] as const

/** The clock of a trial goes with the last of its twins; that of a world goes with the world. */
const deleteClockOfTrial = (db: Kysely<TwinTables>, clockId: string) =>
  sql`delete from world_clocks where id = ${clockId} and trial_id is not null
    and not exists (select 1 from twins where clock_id = ${clockId})`.execute(db)

const deleteSome = async (
  db: Kysely<TwinTables>,
  table: (typeof recordTables)[number],
  twinId: string,
): Promise<number> => {
  const { rows } = await sql`
    with some_rows as (select ctid from ${sql.table(table)} where twin_id = ${twinId} limit ${rowsPerStatement})
    delete from ${sql.table(table)} where ctid = any (array (select ctid from some_rows))
    returning 1`.execute(db)
  return rows.length
}

/** Copies of trials and standalone twins; those of a world go with the world. */
const expiredTwins = async (db: Kysely<TwinTables>): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select twins.id from twins join organizations on organizations.id = twins.organization_id
    where twins.status = any (${[...endedStatuses]}::text[]) and twins.world_id is null
      and (organizations.limits ->> 'ledger_retention_days') is not null
      and twins.updated_at < clock_timestamp()
        - (organizations.limits ->> 'ledger_retention_days')::integer * interval '1 day'
    limit ${twinsPerSweep}`.execute(db)
  return rows.map(({ id }) => id)
}
