import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { openApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { silentLog } from '../../storage/log.ts'
import { openStorage } from '../../storage/storage.ts'
import { type TestService, testService } from '../../testing.ts'
import { readStream } from '../testing.ts'

const batch = (count: number, from: number) =>
  Array.from({ length: count }, (_, n) => ({
    source: 'shop',
    topic: 'orders',
    event_type: 'created',
    payload: { n: from + n },
  }))

/** A second process in all but name: its own connections and port on the same database. */
const neighbour = async (service: TestService) => {
  const storage = await openStorage({
    databaseUrl: service.databaseUrl,
    dataDir: '/nonexistent',
    log: silentLog,
    now: Date.now,
    random: randomBytes,
  })
  const app = await openApp({
    config: { ...readConfig({ PORT: '0', DIORAMA_EMBEDDINGS: 'off' }), dataDir: service.dataDir },
    storage,
    log: silentLog,
    now: Date.now,
    random: randomBytes,
    version: '0.0.0-test',
    holder: randomBytes(8).toString('hex'),
  })
  return {
    baseUrl: app.baseUrl,
    key: service.key,
    [Symbol.asyncDispose]: async () => {
      await app.drain()
      await storage.close()
    },
  }
}

describe('a reader that is cut again and again', () => {
  it('misses nothing over fifty cuts while several processes write and read', async () => {
    await using service = await testService()
    await using second = await neighbour(service)
    const total = 400
    const opening = await readStream(service)
    let { lastId } = opening
    await opening.cut()
    const seen: string[] = []
    let next = 0
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      const base = writer % 2 ? second.baseUrl : service.baseUrl
      while (next < total) {
        const size = writer < 2 ? 1 : 5
        const from = next
        next += size
        await fetch(`${base}/v1/events/batch`, {
          method: 'POST',
          headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
          body: JSON.stringify(batch(size, from)),
        }).then((reply) => assert.equal(reply.status, 201))
      }
    })
    let cuts = 0
    const written = Promise.all(writers)
    while (cuts < 50) {
      const reader = await readStream({ ...(cuts % 2 ? second : service), key: service.key, lastId })
      await Promise.race([reader.until(1 + (cuts % 40)), new Promise((r) => setTimeout(r, 20))])
      await reader.cut()
      seen.push(...reader.messages.filter((m) => m.event === 'event').map(({ data }) => data.id))
      lastId = reader.lastId
      cuts++
    }
    await written
    const { rows } = await service.storage.pool.query('select id from events')
    const last = await readStream({ ...service, lastId })
    await last.until(rows.length - seen.length)
    seen.push(...last.messages.map(({ data }) => data.id))
    await last.cut()
    assert.equal(seen.length, new Set(seen).size, 'an event came twice')
    assert.deepEqual([...seen].sort(), rows.map(({ id }) => id).sort())
  })
})
