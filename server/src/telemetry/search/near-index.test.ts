import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { silentLog } from '../../storage/log.ts'
import type { Storage } from '../../storage/storage.ts'
import { testStorage } from '../../storage/testing.ts'
import { normalized } from './embedder.ts'
import { hasNearIndex, makeNearIndex } from './near-index.ts'
import { nearSearch } from './search-near.ts'
import { searchStore } from './search-store.ts'
import { wordSearch } from './search-words.ts'

const dimensions = 64
const embedder = 'test:model'
const anything = {
  source: undefined,
  topic: undefined,
  eventType: undefined,
  entity: undefined,
  since: undefined,
}

/** The same vectors in every run. */
const vectorOf = (seed: number) => {
  let state = seed + 1
  const values = Array.from({ length: dimensions }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 31 - 1
  })
  return normalized(values)
}

const fill = async (storage: Storage, organizationId: string, count: number, source = 'shop') => {
  const store = searchStore(storage)
  for (let from = 0; from < count; from += 2_000)
    await store.put(
      { organizationId, kind: 'event' },
      embedder,
      Array.from({ length: Math.min(2_000, count - from) }, (_, n) => ({
        eventId: `evt_${organizationId}_${source}_${from + n}`,
        kind: 'event' as const,
        eventTime: new Date(0).toISOString(),
        source,
        topic: 't',
        eventType: 'e',
        vector: vectorOf(from + n),
        words: `parcel ORD ${from + n}`,
      })),
      { tx: 1n, ord: 0 },
    )
}

const hasExtension = async ({ pool }: Storage): Promise<boolean> =>
  (await pool.query(`select 1 from pg_available_extensions where name = 'vector'`)).rowCount === 1

describe('search over many entries', () => {
  it('finds the nearest of its own organization, through an index where the database can have one', async (t) => {
    await using test = await testStorage()
    const { storage } = test
    await fill(storage, 'org_a', 12_000)
    await fill(storage, 'org_b', 100)
    const indexed = await makeNearIndex({ ...storage, log: silentLog }, embedder, dimensions)
    assert.equal(indexed, await hasExtension(storage))
    assert.equal(await hasNearIndex(storage), indexed)
    t.diagnostic(indexed ? 'through an index' : 'by scanning: this database has no pgvector')
    const nearest = nearSearch({ ...storage, now: Date.now })
    const ask = (organizationId: string, n: number, filter = {}) =>
      nearest(
        { organizationId, filter: { ...anything, ...filter } },
        { embedder, vector: vectorOf(n), wanted: 20 },
      )
    for (const n of [0, 77, 5_000, 11_999]) {
      const rows = await ask('org_a', n)
      assert.ok(rows.some(({ event_id }) => event_id === `evt_org_a_shop_${n}`))
      assert.ok(rows.every(({ event_id }) => event_id.startsWith('evt_org_a_')))
    }
    assert.equal((await ask('org_b', 5)).length, 100, 'all of a small organization')
    await fill(storage, 'org_a', 3, 'rare')
    const rare = await ask('org_a', 9_000, { source: 'rare' })
    assert.equal(rare.length, 3, 'what a narrow filter leaves is found, however far it is')
  })

  it('makes the index anew for another model, and leaves a database without pgvector as it is', async () => {
    await using test = await testStorage()
    const { storage } = test
    const there = await hasExtension(storage)
    for (const model of ['one', 'other', 'other'])
      assert.equal(await makeNearIndex({ ...storage, log: silentLog }, model, dimensions), there)
    const { rows } = await storage.pool.query(
      `select count(*)::int as count from pg_indexes where starts_with(indexname, 'search_near_')`,
    )
    assert.equal(rows[0].count, there ? 1 : 0)
  })

  it('finds the one entry with a number, though all entries share the words beside it', async () => {
    await using test = await testStorage()
    const { storage } = test
    await fill(storage, 'org_a', 3_000)
    await fill(storage, 'org_b', 3_000)
    const holding = wordSearch({ ...storage, now: Date.now })
    // Asked twice: the second time it is known which words are common.
    for (const words of ['parcel ord 2345', 'parcel ord 2345', "2345 ' \\ it's"]) {
      const [first] = await holding({ organizationId: 'org_a', filter: anything }, { words, limit: 10 })
      assert.equal(first?.event_id, 'evt_org_a_shop_2345')
    }
    const common = await holding(
      { organizationId: 'org_a', filter: anything },
      { words: 'parcel', limit: 10 },
    )
    assert.equal(common.length, 10)
  })
})
