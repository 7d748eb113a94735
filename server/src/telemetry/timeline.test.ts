import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Storage } from '../storage/storage.ts'
import { testStorage } from '../storage/testing.ts'
import { recordChangesIn } from '../twins/ledger/record-changes.ts'
import { eventStore } from './events/event-store.ts'
import { openTimeline } from './timeline.ts'
import { traceStore } from './traces/trace-store.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute))

/** A row of the twins' ledger. */
const step = (storage: Storage, n: number, changes: object[], records: string[]) =>
  storage.pool.query(
    `insert into twin_steps (id, organization_id, twin_id, world_id, epoch, seq, service, at, world_time, duration_ms,
       operation, method, path, status, mutations, not_emulated, detail, changes, records)
     values ($1, 'org_a', 'twn_1', null, 0, $2, 'tracker', $3, $3, 1, 'edit', 'POST', '/', 200, $4, '{}', '{}', $5, $6)`,
    [`req_${n}`, n, at(n), records.length, JSON.stringify(changes), records],
  )

describe('the timeline of a record', () => {
  it("shows the twins' own changes between the events, marked as what they are, also across pages", async () => {
    await using test = await testStorage()
    const { storage } = test
    const events = eventStore(storage)
    const timeline = openTimeline({
      events,
      traces: traceStore(storage),
      twinChanges: recordChangesIn({ db: storage.db, show: async () => undefined }),
    })
    const event = (n: number) => ({
      id: `evt_${n}`,
      organization_id: 'org_a',
      event_time: at(n).toISOString(),
      recorded_at: at(n).toISOString(),
      source: 'desk',
      topic: 't',
      event_type: 'e',
      entities: { issue: 'i-1' },
      payload: {},
    })
    await events.insert([event(1), event(3), event(5)])
    const changed = (id: string, before: object | null, after: object | null) => ({
      collection: 'Issue',
      id,
      operation: before ? 'update' : 'create',
      before,
      after,
    })
    await step(
      storage,
      2,
      [changed('i-1', null, { title: 'a' }), changed('i-2', null, {})],
      ['Issue:i-1', 'Issue:i-2'],
    )
    await step(storage, 4, [changed('i-1', { title: 'a' }, { title: 'b' })], ['Issue:i-1'])
    await step(storage, 6, [changed('i-2', {}, {})], ['Issue:i-2'])
    const entity = { type: 'issue', id: 'i-1' }
    const whole = await timeline.page('org_a', entity, { limit: 50 })
    assert.deepEqual(
      whole.items.map(({ kind, source }) => `${kind} ${source}`),
      ['event desk', 'change tracker', 'event desk', 'change tracker', 'event desk'],
    )
    assert.deepEqual(whole.items[1]?.payload.after, { title: 'b' })
    const paged: string[] = []
    let cursor: string | undefined
    for (let page = 0; page < 10; page++) {
      const { items, nextCursor } = await timeline.page('org_a', entity, { limit: 1, cursor })
      paged.push(...items.map(({ id }) => id))
      if (nextCursor === null) break
      cursor = nextCursor
    }
    assert.deepEqual(
      paged,
      whole.items.map(({ id }) => id),
    )
    assert.deepEqual((await timeline.page('org_b', entity, { limit: 50 })).items, [])
  })
})
