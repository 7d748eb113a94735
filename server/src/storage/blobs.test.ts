import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { openBlobs } from './blobs.ts'
import { blobCases } from './objects/testing-blobs.ts'
import { testStorage } from './testing.ts'

describe('blobs in the database', () => {
  blobCases(() => undefined)

  it('are rows of bounded size', async () => {
    await using test = await testStorage()
    const { db, makeId } = test.storage
    const blobs = openBlobs({ db, makeId, now: Date.now })
    for (const size of [0, 1, 100_000, 262_144, 700_001, 1_100_000]) await blobs.keep(randomBytes(size))
    assert.equal((await db.selectFrom('blob_chunks').select('number').execute()).length, 1 + 1 + 1 + 3 + 5)
  })
})
