import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Kysely, sql, type Transaction } from 'kysely'
import { BoundedCache } from './bounded-cache.ts'
import type { MakeId } from './ids.ts'
import type { Database } from './schema.ts'

const chunkBytes = 262_144
/** Longer than any upload may take; younger blobs without an owner may be about to get one. */
const abandonedAfterMs = 3_600_000
/** Bytes that were kept so short a time ago are safe from the sweep for much longer than any caller needs to own them. */
const surelyThereMs = 600_000
const maxRemembered = 2_000
/** Up to here bytes are worth sending without asking whether they are there. */
const blindBytes = 65_536
/** Up to here bytes travel in one statement. */
const wholeBytes = 1_048_576

export interface StoredBlob {
  readonly sha256: string
  readonly size: number
}

/** The bytes were more than the limit; nothing of them was kept. */
export class BlobTooLarge extends Error {
  override readonly name = 'BlobTooLarge'
  readonly code = 'blob_too_large'
}

type Connection = Kysely<Database> | Transaction<Database>

/**
 * Bytes of any size by their SHA-256, in the database, since that is all that the nodes of a deployment share. Equal
 * bytes are stored once. A blob lives as long as it has an owner: each referrer says so by `own`, in the
 * transaction that writes the reference.
 */
export interface Blobs {
  /** Writes while it reads. When the source throws or exceeds the limit, nothing is left. */
  put(source: AsyncIterable<Uint8Array>, limitBytes: number): Promise<StoredBlob>
  /** Keeps bytes that are in memory: where they are there already, that is all that is looked up, and nothing is sent. */
  keep(bytes: Uint8Array): Promise<StoredBlob>
  get(sha256: string): Promise<Readable | undefined>
  own(connection: Connection, sha256: string, owner: string): Promise<void>
  /** Gives up everything that the owner held. */
  release(connection: Connection, owner: string): Promise<void>
  /** Removes what has no owner and what a crash left half-written. Returns how many. */
  sweep(): Promise<number>
}

export const openBlobs = ({
  db,
  makeId,
  now,
}: {
  db: Kysely<Database>
  makeId: MakeId
  now: () => number
}): Blobs => {
  const keptAt = new BoundedCache<number>({ most: maxRemembered })

  const keep = async (bytes: Uint8Array): Promise<StoredBlob> => {
    const blob = { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length }
    const at = now()
    if (at - (keptAt.get(blob.sha256) ?? Number.NEGATIVE_INFINITY) < surelyThereMs) return blob
    const there = blob.size > blindBytes && (await touch(blob.sha256))
    if (!there) await (blob.size <= wholeBytes ? insertWhole(blob, bytes) : put(once(bytes), blob.size))
    keptAt.set(blob.sha256, at)
    return blob
  }

  /** Makes a blob young again, if it is there. */
  const touch = async (sha256: string): Promise<boolean> => {
    const touched = await db
      .updateTable('blobs')
      .set({ created_at: new Date(now()) })
      .where('sha256', '=', sha256)
      .returning('id')
      .executeTakeFirst()
    return touched !== undefined
  }

  /** Takes the lock of `finish` before it looks, so that two writers of the same bytes never both name theirs. */
  const insertWhole = async ({ sha256, size }: StoredBlob, bytes: Uint8Array): Promise<void> => {
    const id = makeId('blb')
    await sql`
      with kept as (
        insert into blobs (id, sha256, size, created_at)
        select ${id}, ${sha256}, ${size}::bigint, ${new Date(now())}::timestamptz
        from (select pg_advisory_xact_lock(hashtextextended(${`blob ${sha256}`}, 0))) as locked
        on conflict (sha256) do update set created_at = excluded.created_at
        returning id
      )
      insert into blob_chunks (blob_id, number, bytes)
      select id, number, substring(${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)}::bytea
        from number * ${chunkBytes}::int + 1 for ${chunkBytes}::int)
      from kept, generate_series(0, ${Math.ceil(size / chunkBytes) - 1}::int) as number
      where id = ${id}`.execute(db)
  }

  const put = async (source: AsyncIterable<Uint8Array>, limitBytes: number): Promise<StoredBlob> => {
    const id = makeId('blb')
    const hash = createHash('sha256')
    let size = 0
    await db
      .insertInto('blobs')
      .values({ id, sha256: null, size: 0, created_at: new Date(now()) })
      .execute()
    try {
      let number = 0
      for await (const bytes of inChunks(source)) {
        size += bytes.length
        if (size > limitBytes) throw new BlobTooLarge(`The content is larger than ${limitBytes} bytes.`)
        hash.update(bytes)
        await db.insertInto('blob_chunks').values({ blob_id: id, number, bytes }).execute()
        number++
      }
      return await finish({ id, sha256: hash.digest('hex'), size })
    } catch (error) {
      await db.deleteFrom('blobs').where('id', '=', id).execute()
      throw error
    }
  }

  /** Gives the blob its name; where the same bytes are there already, those stay and these go. */
  const finish = ({ id, sha256, size }: { id: string; sha256: string; size: number }) =>
    db.transaction().execute(async (trx): Promise<StoredBlob> => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`blob ${sha256}`}, 0))`.execute(trx)
      const there = await trx
        .updateTable('blobs')
        .set({ created_at: new Date(now()) })
        .where('sha256', '=', sha256)
        .returning('id')
        .executeTakeFirst()
      if (there) await trx.deleteFrom('blobs').where('id', '=', id).execute()
      else await trx.updateTable('blobs').set({ sha256, size }).where('id', '=', id).execute()
      return { sha256, size }
    })

  async function* read(id: string): AsyncGenerator<Buffer> {
    for (let number = 0; ; number++) {
      const chunk = await db
        .selectFrom('blob_chunks')
        .select('bytes')
        .where('blob_id', '=', id)
        .where('number', '=', number)
        .executeTakeFirst()
      if (!chunk) return
      yield chunk.bytes
    }
  }

  return {
    put,
    keep,
    get: async (sha256) => {
      const blob = await db.selectFrom('blobs').select('id').where('sha256', '=', sha256).executeTakeFirst()
      return blob && Readable.from(read(blob.id), { objectMode: false, highWaterMark: chunkBytes })
    },
    own: async (connection, sha256, owner) => {
      await connection
        .insertInto('blob_owners')
        .values({ sha256, owner })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },
    release: async (connection, owner) => {
      await connection.deleteFrom('blob_owners').where('owner', '=', owner).execute()
    },
    sweep: async () => {
      const gone = await db
        .deleteFrom('blobs')
        .where('created_at', '<', new Date(now() - abandonedAfterMs))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('blob_owners').select('owner').whereRef('blob_owners.sha256', '=', 'blobs.sha256'),
            ),
          ),
        )
        .executeTakeFirst()
      return Number(gone.numDeletedRows)
    },
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function* inChunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let held = 0
  for await (const piece of source) {
    for (let start = 0; start < piece.length; ) {
      const part = piece.subarray(start, start + chunkBytes - held)
      waiting.push(part)
      held += part.length
      start += part.length
      if (held < chunkBytes) continue
      yield Buffer.concat(waiting)
      waiting = []
      held = 0
    }
  }
  if (held > 0) yield Buffer.concat(waiting)
}
