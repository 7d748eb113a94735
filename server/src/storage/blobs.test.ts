import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { BlobTooLarge, openBlobs } from './blobs.ts'
import { testStorage } from './testing.ts'

async function* pieces(...parts: Uint8Array[]) {
  yield* parts
}

describe('blobs', () => {
  it('come back byte for byte by their digest, and equal bytes are stored once', async () => {
    await using test = await testStorage()
    const { db, makeId } = test.storage
    const blobs = openBlobs({ db, makeId, now: Date.now })
    const bytes = randomBytes(700_001)
    const stored = await blobs.put(pieces(bytes.subarray(0, 300_000), bytes.subarray(300_000)), 1_000_000)
    assert.deepEqual(stored, { sha256: createHash('sha256').update(bytes).digest('hex'), size: 700_001 })
    const again = await Promise.all([blobs.put(pieces(bytes), 1e6), blobs.put(pieces(bytes), 1e6)])
    assert.deepEqual(again, [stored, stored])
    const stream = await blobs.get(stored.sha256)
    assert.ok(stream)
    assert.ok(bytes.equals(await buffer(stream)))
    assert.equal((await db.selectFrom('blobs').select('id').execute()).length, 1)
    assert.equal((await db.selectFrom('blob_chunks').select('number').execute()).length, 3)
    assert.equal(await blobs.get('0'.repeat(64)), undefined)
  })

  it('leave nothing behind when they are too large or their source fails', async () => {
    await using test = await testStorage()
    const { db, makeId } = test.storage
    const blobs = openBlobs({ db, makeId, now: Date.now })
    await assert.rejects(blobs.put(pieces(randomBytes(600_000)), 500_000), BlobTooLarge)
    async function* broken() {
      yield randomBytes(300_000)
      throw new Error('the caller went away')
    }
    await assert.rejects(blobs.put(broken(), 1e6), /went away/)
    assert.deepEqual(await db.selectFrom('blobs').selectAll().execute(), [])
    assert.deepEqual(await db.selectFrom('blob_chunks').select('number').execute(), [])
  })

  it('live as long as somebody owns them', async () => {
    await using test = await testStorage()
    const { db, makeId } = test.storage
    let now = Date.now()
    const blobs = openBlobs({ db, makeId, now: () => now })
    const kept = await blobs.put(pieces(Buffer.from('kept')), 100)
    const loose = await blobs.put(pieces(Buffer.from('loose')), 100)
    await blobs.own(db, kept.sha256, 'a')
    assert.equal(await blobs.sweep(), 0)
    now += 7_200_000
    assert.equal(await blobs.sweep(), 1)
    assert.equal(await blobs.get(loose.sha256), undefined)
    await blobs.release(db, 'a')
    assert.equal(await blobs.sweep(), 1)
    assert.equal(await blobs.get(kept.sha256), undefined)
  })

  it('are kept from memory in one look, the same whichever way they came', async () => {
    await using test = await testStorage()
    const { db, makeId } = test.storage
    let now = Date.now()
    const opened = () => openBlobs({ db, makeId, now: () => now })
    for (const size of [0, 1, 100_000, 262_144, 700_001, 1_100_000]) {
      const bytes = randomBytes(size)
      const [kept, again, put] = await Promise.all([
        opened().keep(bytes),
        opened().keep(bytes),
        opened().put(pieces(bytes), 2e6),
      ])
      assert.deepEqual(kept, { sha256: createHash('sha256').update(bytes).digest('hex'), size })
      assert.deepEqual([again, put], [kept, kept])
      const stream = await opened().get(kept.sha256)
      assert.ok(stream)
      assert.ok(bytes.equals(await buffer(stream)))
    }
    assert.equal((await db.selectFrom('blobs').select('id').execute()).length, 6)
    assert.equal((await db.selectFrom('blob_chunks').select('number').execute()).length, 1 + 1 + 1 + 3 + 5)
    const old = randomBytes(100_000)
    const { sha256 } = await opened().keep(old)
    now += 3_000_000
    await opened().keep(old)
    now += 3_000_000
    assert.equal(await opened().sweep(), 6)
    assert.ok(await opened().get(sha256), 'what was kept again within the hour is young')
  })

  it('are looked up again when it is long ago that they were kept', async () => {
    await using test = await testStorage()
    const { db, makeId } = test.storage
    let now = Date.now()
    const blobs = openBlobs({ db, makeId, now: () => now })
    const bytes = randomBytes(10)
    const { sha256 } = await blobs.keep(bytes)
    now += 7_200_000
    assert.equal(await blobs.sweep(), 1)
    await blobs.keep(bytes)
    assert.ok(await blobs.get(sha256))
  })
})
