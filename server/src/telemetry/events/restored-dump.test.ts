import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../../test/eventually.ts'
import { joinService, type TestService, testService } from '../../testing.ts'
import { readStream } from '../testing.ts'

/** How far the transactions of the cluster that the dump came from were ahead of this one's. */
const ahead = 5_000_000_000n

/** What is left in a database when a dump of it is restored into another cluster. */
const restoredElsewhere = async ({ storage: { pool } }: TestService): Promise<void> => {
  for (const table of ['events', 'spans', 'search_positions'])
    await pool.query(`update ${table} set tx = (tx::text::numeric + ${ahead})::text::xid8`)
  await pool.query(`update database_origin set system_identifier = 'another cluster'`)
}

const record = (service: TestService, text: string) =>
  service.call('POST', '/v1/events', {
    source: 'desk',
    topic: 'tickets',
    event_type: 'ticket.opened',
    payload: { text },
  })

const found = async (service: TestService, query: string): Promise<string[]> => {
  const { body } = await service.call('POST', '/v1/search', { query })
  return body.items.map(({ payload }: { payload: { text: string } }) => payload.text)
}

test('a dump that was restored into a new cluster is searched and streamed as before', async () => {
  await using service = await testService({ embeddings: 'local' })
  await record(service, 'The parcel never arrived')
  await eventually(async () => (await found(service, 'parcel')).length === 1, 'it was not indexed')
  await using before = await joinService(service, undefined, { embeddings: 'off' })
  const live = await readStream({ baseUrl: before.baseUrl, key: before.key })
  await live.cut()
  const [tx, ord] = live.lastId.split('.')
  await restoredElsewhere(service)

  await using restored = await joinService(service, undefined, { embeddings: 'local' })
  const resumed = await readStream({
    baseUrl: restored.baseUrl,
    key: restored.key,
    lastId: `${BigInt(tx ?? 0) + ahead}.${ord}`,
  })
  await record(restored, 'The invoice was charged twice')
  await resumed.until(1)
  await resumed.cut()
  assert.deepEqual(
    resumed.messages.map(({ data }) => data.payload.text),
    ['The invoice was charged twice'],
  )
  await eventually(
    async () => (await found(restored, 'invoice charged twice'))[0] === 'The invoice was charged twice',
    'what came after the restore was not indexed',
  )
  const all = await readStream({ baseUrl: restored.baseUrl, key: restored.key, lastId: '0.-1' })
  await all.until(2)
  await all.cut()
  assert.deepEqual(
    all.messages.map(({ data }) => data.payload.text),
    ['The parcel never arrived', 'The invoice was charged twice'],
  )
})
