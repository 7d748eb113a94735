import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Kysely, sql, type Transaction } from 'kysely'
import { BoundedCache } from './bounded-cache.ts'
import type { MakeId } from './ids.ts'
import { BlobTooLarge } from './objects/blob-too-large.ts'
import { chunkBytes, inChunks, once } from './objects/in-chunks.ts'
import type { ObjectStore } from './objects/object-store.ts'
import { spool } from './objects/spool.ts'
import type { Database } from './schema.ts'

/** Longer than any upload may take; younger blobs without an owner may be about to get one. */
const abandonedAfter = sql`interval '1 hour'`
/** Bytes that were kept so short a time ago are safe from the sweep for much longer than any caller needs to own them. */
const surelyThereMs = 600_000
const maxRemembered = 2_000
/** Objects that one sweep removes. */
const maxRemovals = 1_000
/** Up to here bytes are worth sending without asking whether they are there, and stay out of the object store. */
const blindBytes = 65_536
/** Up to here bytes travel in one statement. */
const wholeBytes = 1_048_576

export interface StoredBlob {
  readonly sha256: string
  readonly size: number
}

type Connection = Kysely<Database> | Transaction<Database>

/**
 * Bytes of any size by their SHA-256: in the database, or, where there is an object store and they are not small, there.
 * Equal bytes are stored once. A blob lives as long as it has an owner: each referrer says so by `own`, in the
 * transaction that writes the reference. The database's clock alone judges age.
 *
 * An object's key is the id of its row, never its digest: bytes that come again while they are removed get another key,
 * so that no node removes what another has just written. A row is there before its object and an entry in
 * `blob_removals` after it, so that an object is never forgotten.
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

export interface BlobDeps {
  readonly db: Kysely<Database>
  readonly makeId: MakeId
  readonly now: () => number
  /** For large contents; the database keeps them where there is none. */
  readonly objects?: ObjectStore | undefined
}

export const openBlobs = ({ db, makeId, now, objects }: BlobDeps): Blobs => {
  const keptAt = new BoundedCache<number>({ most: maxRemembered })

  const keep = async (bytes: Uint8Array): Promise<StoredBlob> => {
    const blob = { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length }
    const at = now()
    if (at - (keptAt.get(blob.sha256) ?? Number.NEGATIVE_INFINITY) < surelyThereMs) return blob
    const there = blob.size > blindBytes && (await touch(blob.sha256))
    if (!there) await write(blob, bytes)
    keptAt.set(blob.sha256, at)
    return blob
  }

  const write = (blob: StoredBlob, bytes: Uint8Array): Promise<unknown> => {
    if (objects && blob.size > blindBytes) return upload(objects, blob, new Blob([Buffer.from(bytes)]))
    return blob.size <= wholeBytes ? insertWhole(blob, bytes) : put(once(bytes), blob.size)
  }

  /** Makes a blob young again, if it is there. */
  const touch = async (sha256: string): Promise<boolean> => {
    const touched = await db
      .updateTable('blobs')
      .set({ created_at: sql<Date>`clock_timestamp()` })
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
        select ${id}, ${sha256}, ${size}::bigint, clock_timestamp()
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

  const begin = async (id: string, inObjects: boolean): Promise<void> => {
    await db.insertInto('blobs').values({ id, sha256: null, size: 0, in_objects: inObjects }).execute()
  }

  const put: Blobs['put'] = async (source, limitBytes) => {
    if (!objects) return putChunks(source, limitBytes)
    await using spooled = await spool(source, limitBytes)
    const { sha256, size, body } = spooled
    if (size <= blindBytes) return await keep(new Uint8Array(await body.arrayBuffer()))
    const blob = { sha256, size }
    // Awaited here: the temporary file goes with this scope.
    return (await touch(sha256)) ? blob : await upload(objects, blob, body)
  }

  const putChunks: Blobs['put'] = async (source, limitBytes) => {
    const id = makeId('blb')
    const hash = createHash('sha256')
    let size = 0
    await begin(id, false)
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
      await discard(db, id)
      throw error
    }
  }

  const upload = async (store: ObjectStore, blob: StoredBlob, body: Blob): Promise<StoredBlob> => {
    const id = makeId('blb')
    await begin(id, true)
    try {
      await store.put(id, body, blob.sha256)
      return await finish({ id, ...blob })
    } catch (error) {
      await discard(db, id)
      throw error
    }
  }

  /** Gives the blob its name; where the same bytes are there already, those stay and these go. */
  const finish = ({ id, sha256, size }: { id: string; sha256: string; size: number }) =>
    db.transaction().execute(async (trx): Promise<StoredBlob> => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`blob ${sha256}`}, 0))`.execute(trx)
      const there = await trx
        .updateTable('blobs')
        .set({ created_at: sql<Date>`clock_timestamp()` })
        .where('sha256', '=', sha256)
        .returning('id')
        .executeTakeFirst()
      if (there) {
        await discard(trx, id)
        return { sha256, size }
      }
      const named = await trx
        .updateTable('blobs')
        .set({ sha256, size })
        .where('id', '=', id)
        .executeTakeFirst()
      if (named.numUpdatedRows !== 1n) throw new Error('An upload took longer than an hour and was removed.')
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
      const blob = await db
        .selectFrom('blobs')
        .select(['id', 'in_objects'])
        .where('sha256', '=', sha256)
        .executeTakeFirst()
      if (!blob) return undefined
      return blob.in_objects
        ? fromObjects(objects, blob.id)
        : Readable.from(read(blob.id), { objectMode: false, highWaterMark: chunkBytes })
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
      const { rows } = await sql<{ count: number }>`
        with gone as (
          delete from blobs where created_at < clock_timestamp() - ${abandonedAfter}
            and not exists (select 1 from blob_owners o where o.sha256 = blobs.sha256)
          returning id, in_objects
        ), noted as (insert into blob_removals (id) select id from gone where in_objects)
        select count(*)::integer as count from gone`.execute(db)
      if (objects) await removeObjects(db, objects)
      return rows[0]?.count ?? 0
    },
  }
}

const discard = async (connection: Connection, id: string): Promise<void> => {
  await sql`
    with gone as (delete from blobs where id = ${id} returning id, in_objects)
    insert into blob_removals (id) select id from gone where in_objects`.execute(connection)
}

/** Several nodes may do this at the same time: a key is used once, and removing it twice is no error. */
const removeObjects = async (db: Kysely<Database>, objects: ObjectStore): Promise<void> => {
  const removals = await db.selectFrom('blob_removals').select('id').limit(maxRemovals).execute()
  for (const { id } of removals) {
    await objects.remove(id)
    await db.deleteFrom('blob_removals').where('id', '=', id).execute()
  }
}

const fromObjects = async (objects: ObjectStore | undefined, id: string): Promise<Readable> => {
  if (!objects)
    throw new Error('This content is in an object store, and none is configured: set DIORAMA_S3_BUCKET.')
  const stream = await objects.get(id)
  if (!stream) throw new Error(`The object ${id} is missing from the bucket.`)
  return stream
}
