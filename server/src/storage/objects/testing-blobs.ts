import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { openBlobs } from '../blobs.ts'
import type { Database } from '../schema.ts'
import { testStorage } from '../testing.ts'
import { BlobTooLarge } from './blob-too-large.ts'
import type { ObjectStore } from './object-store.ts'

export async function* pieces(...parts: Uint8Array[]) {
  yield* parts
}

/** As if so much time had passed since all blobs were kept. */
export const ageBlobs = async (db: Kysely<Database>, ms: number): Promise<void> => {
  await sql`update blobs set created_at = created_at - ${ms}::float8 * interval '1 millisecond'`.execute(db)
}

const hour = 3_600_000

/** What holds for blobs wherever their bytes are, unless there is a reason to skip it. */
export const blobCases = (
  objects: () => ObjectStore | undefined,
  whyNot: () => string | undefined = () => undefined,
): void => {
  const holds = (name: string, check: () => Promise<void>) =>
    it(name, (context) => {
      const reason = whyNot()
      return reason === undefined ? check() : context.skip(reason)
    })
  const start = async () => {
    const test = await testStorage()
    const { db, makeId } = test.storage
    let now = Date.now()
    const pass = (ms: number) => {
      now += ms
      return ageBlobs(db, ms)
    }
    const open = () => openBlobs({ db, makeId, now: () => now, objects: objects() })
    return { db, open, pass, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() }
  }

  holds('come back byte for byte by their digest, and equal bytes are stored once', async () => {
    await using test = await start()
    const blobs = test.open()
    const bytes = randomBytes(700_001)
    const stored = await blobs.put(pieces(bytes.subarray(0, 300_000), bytes.subarray(300_000)), 1_000_000)
    assert.deepEqual(stored, { sha256: createHash('sha256').update(bytes).digest('hex'), size: 700_001 })
    const again = await Promise.all([blobs.put(pieces(bytes), 1e6), blobs.put(pieces(bytes), 1e6)])
    assert.deepEqual(again, [stored, stored])
    const stream = await blobs.get(stored.sha256)
    assert.ok(stream)
    assert.ok(bytes.equals(await buffer(stream)))
    assert.equal((await test.db.selectFrom('blobs').select('id').execute()).length, 1)
    assert.equal(await blobs.get('0'.repeat(64)), undefined)
  })

  holds('leave nothing behind when they are too large or their source fails', async () => {
    await using test = await start()
    const blobs = test.open()
    await assert.rejects(blobs.put(pieces(randomBytes(600_000)), 500_000), BlobTooLarge)
    async function* broken() {
      yield randomBytes(300_000)
      throw new Error('the caller went away')
    }
    await assert.rejects(blobs.put(broken(), 1e6), /went away/)
    assert.deepEqual(await test.db.selectFrom('blobs').selectAll().execute(), [])
    assert.deepEqual(await test.db.selectFrom('blob_chunks').select('number').execute(), [])
  })

  holds('live as long as somebody owns them', async () => {
    await using test = await start()
    const { db, open, pass } = test
    const blobs = open()
    const kept = await blobs.put(pieces(randomBytes(100_000)), 1e6)
    const loose = await blobs.put(pieces(randomBytes(100_000)), 1e6)
    await blobs.own(db, kept.sha256, 'a')
    assert.equal(await blobs.sweep(), 0)
    await pass(2 * hour)
    assert.equal(await blobs.sweep(), 1)
    assert.equal(await blobs.get(loose.sha256), undefined)
    assert.ok(await blobs.get(kept.sha256).then((stream) => stream && buffer(stream)))
    await blobs.release(db, 'a')
    assert.equal(await blobs.sweep(), 1)
    assert.equal(await blobs.get(kept.sha256), undefined)
    assert.deepEqual(await db.selectFrom('blob_removals').selectAll().execute(), [])
  })

  holds('are kept from memory in one look, the same whichever way they came', async () => {
    await using test = await start()
    const { db, open, pass } = test
    const sizes = [0, 1, 65_536, 65_537, 262_144, 1_100_000]
    for (const size of sizes) {
      const bytes = randomBytes(size)
      const [kept, again, put] = await Promise.all([
        open().keep(bytes),
        open().keep(bytes),
        open().put(pieces(bytes), 2e6),
      ])
      assert.deepEqual(kept, { sha256: createHash('sha256').update(bytes).digest('hex'), size })
      assert.deepEqual([again, put], [kept, kept])
      const stream = await open().get(kept.sha256)
      assert.ok(stream)
      assert.ok(bytes.equals(await buffer(stream)))
    }
    assert.equal((await db.selectFrom('blobs').select('id').execute()).length, sizes.length)
    const old = randomBytes(100_000)
    const { sha256 } = await open().keep(old)
    await pass(3_000_000)
    await open().keep(old)
    await pass(3_000_000)
    assert.equal(await open().sweep(), sizes.length)
    const young = await open().get(sha256)
    assert.ok(young, 'what was kept again within the hour is young')
    assert.ok(old.equals(await buffer(young)))
  })

  holds('are looked up again when it is long ago that they were kept', async () => {
    await using test = await start()
    const blobs = test.open()
    for (const bytes of [randomBytes(10), randomBytes(100_000)]) {
      const { sha256 } = await blobs.keep(bytes)
      await test.pass(2 * hour)
      assert.equal(await blobs.sweep(), 1)
      await blobs.keep(bytes)
      const stream = await blobs.get(sha256)
      assert.ok(stream)
      assert.ok(bytes.equals(await buffer(stream)))
      await blobs.own(test.db, sha256, 'a')
    }
  })

  holds('survive that nodes sweep while others keep the same bytes again', async () => {
    await using test = await start()
    const { db, open, pass } = test
    for (let round = 0; round < 5; round++) {
      const bytes = randomBytes(100_000)
      await open().keep(bytes)
      await pass(2 * hour)
      const [one, two, kept] = await Promise.all([
        open().sweep(),
        open().sweep(),
        open()
          .keep(bytes)
          .then(async (blob) => {
            await open().own(db, blob.sha256, `round ${round}`)
            return blob
          }),
      ])
      assert.ok(one + two <= 1)
      await open().sweep()
      const stream = await open().get(kept.sha256)
      assert.ok(stream)
      assert.ok(bytes.equals(await buffer(stream)))
    }
  })
}
