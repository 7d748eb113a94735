import type { Storage } from '../../storage/storage.ts'

/**
 * The order in which readers see what was written. Each row carries the number of its transaction, which is given out
 * in order but committed in any. Every writer therefore holds one lock, shared with the others, from before its number
 * is given until after its rows can be seen; a reader asks who holds it, and reads up to the oldest of them. Writers
 * never wait for one another, and transactions of anyone else are no reason to wait. The numbers of a cluster are
 * shifted by an offset, so that they follow those of a dump that was restored into it.
 */
export const writersLock = 'pg_advisory_xact_lock_shared(4400, 3)'

const horizonText = `
  with held as materialized (select * from pg_locks)
  select pg_snapshot_xmax(pg_current_snapshot())::text as future, transaction_offset()::text as shift, array(
    select own.transactionid::text from held as writer join held as own using (pid)
    where writer.locktype = 'advisory' and writer.classid = 4400 and writer.objid = 3 and writer.objsubid = 2
      and writer.database = (select oid from pg_database where datname = current_database())
      and own.locktype = 'transactionid' and own.mode = 'ExclusiveLock') as writing`

export interface Horizon {
  /** Every row below is there or never will be. */
  readonly settledBelow: bigint
  /** No transaction has this number yet. */
  readonly future: bigint
}

/** Must be asked before the rows are read, in its own statement. */
export const readHorizon = async ({ pool }: Pick<Storage, 'pool'>): Promise<Horizon> => {
  const { rows } = await pool.query<{ future: string; shift: string; writing: string[] }>({
    name: 'telemetry-horizon',
    text: horizonText,
  })
  const future = BigInt(rows[0]?.future ?? 0)
  const writing = (rows[0]?.writing ?? []).map((short) => wholeNumber(BigInt(short), future))
  const [oldest = future] = writing.sort((a, b) => Number(a - b))
  const shift = BigInt(rows[0]?.shift ?? 0)
  return { settledBelow: oldest + shift, future: future + shift }
}

/** Locks name a transaction by its lower 32 bits; it is the newest number before `future` that ends in them. */
const wholeNumber = (short: bigint, future: bigint): bigint =>
  future - BigInt.asUintN(32, BigInt.asUintN(32, future) - short)
