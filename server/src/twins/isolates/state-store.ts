import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import type { SeedText } from '@diorama/twin-kit/datasets/seed-text'
import type { Changes } from '@diorama/twin-kit/kernel/diff'
import type { Row } from '@diorama/twin-kit/kernel/table'
import { type Kysely, sql } from 'kysely'
import { saveSeedText } from '../seeds/seed-parts.ts'
import type { TwinTables } from '../tables.ts'

/** Collection, key, and the row, or null where it was deleted. */
export type SnapshotEntry = readonly [collection: string, key: string, row: Row | null]

export interface SnapshotPart {
  readonly seq: number
  readonly entries: readonly SnapshotEntry[]
}

/** The SQL by which twins' states are saved and restored. Everything comes in pages, so that nothing large is held. */
export interface StateStore {
  /** Parts of a snapshot, oldest first: each holds what changed since the one before. */
  readonly snapshotParts: (twinId: string, epoch: number) => AsyncIterable<SnapshotPart>
  readonly saveSnapshotPart: (part: SnapshotPart & { twinId: string; epoch: number }) => Promise<void>
  /** The changes of writes after one, oldest first. */
  readonly changesAfter: (
    twinId: string,
    epoch: number,
    seq: number,
  ) => AsyncIterable<readonly { readonly seq: number; readonly changes: Changes }[]>
  readonly saveSeed: (text: SeedText, entityCount: number) => Promise<string>
  /** The number of the last step in each lane of a twin's life. */
  readonly stepCounts: (twinId: string, epoch: number) => Promise<{ writes: number; reads: number }>
}

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const partsAtOnce = 16
const stepsAtOnce = 1_000

export const stateStore = (db: Kysely<TwinTables>): StateStore => ({
  async *snapshotParts(twinId, epoch) {
    for (let reached = 0; ; ) {
      const parts = await db
        .selectFrom('twin_snapshots')
        .select(['seq', 'body'])
        .where('twin_id', '=', twinId)
        .where('epoch', '=', epoch)
        .where('seq', '>', reached)
        .orderBy('seq')
        .limit(partsAtOnce)
        .execute()
      for (const { seq, body } of parts) {
        reached = seq
        yield { seq, entries: JSON.parse((await decompress(body)).toString('utf8')) }
      }
      if (parts.length < partsAtOnce) return
    }
  },

  saveSnapshotPart: async ({ twinId, epoch, seq, entries }) => {
    const body = await compress(Buffer.from(JSON.stringify(entries)), fastest)
    await db
      .insertInto('twin_snapshots')
      .values({ twin_id: twinId, epoch, seq, body })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },

  async *changesAfter(twinId, epoch, after) {
    for (let reached = after; ; ) {
      const rows = await db
        .selectFrom('twin_steps')
        .select(['seq', 'changes'])
        .where('twin_id', '=', twinId)
        .where('epoch', '=', epoch)
        .where('is_read', '=', false)
        .where('seq', '>', reached)
        .orderBy('seq')
        .limit(stepsAtOnce)
        .execute()
      reached = rows.at(-1)?.seq ?? reached
      yield rows.map(({ seq, changes }) => ({ seq, changes: JSON.parse(changes ?? '[]') as Changes }))
      if (rows.length < stepsAtOnce) return
    }
  },

  saveSeed: (text, entityCount) => db.transaction().execute((trx) => saveSeedText(text, entityCount, trx)),

  stepCounts: async (twinId, epoch) => {
    const { rows } = await sql<{ writes: number | null; reads: number | null }>`
      select (select max(seq) from twin_steps where twin_id = ${twinId} and not is_read and epoch = ${epoch}) as writes,
        (select max(seq) from twin_steps where twin_id = ${twinId} and is_read and epoch = ${epoch}) as reads`.execute(
      db,
    )
    return { writes: rows[0]?.writes ?? 0, reads: rows[0]?.reads ?? 0 }
  },
})
