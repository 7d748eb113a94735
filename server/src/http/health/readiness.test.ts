import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { eventually } from '../../../../test/eventually.ts'
import { advertisedAddress } from '../../advertised-address.ts'
import { testService } from '../../testing.ts'

/** Takes a database away as a stopped server would: no new connections, and the old ones cut. */
const takeAway = async (databaseUrl: string) => {
  const name = new URL(databaseUrl).pathname.slice(1)
  const admin = new pg.Client({
    connectionString: Object.assign(new URL(databaseUrl), { pathname: '/postgres' }).href,
  })
  await admin.connect()
  const allow = (yes: boolean) => admin.query(`alter database ${name} allow_connections ${yes}`)
  await allow(false)
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  return {
    giveBack: () => allow(true),
    [Symbol.asyncDispose]: () => admin.end(),
  }
}

describe('without its database', () => {
  it('a node is not ready and answers 503 with Retry-After, never 500, and recovers alone', async () => {
    await using service = await testService()
    assert.equal((await service.call('GET', '/readyz')).status, 200)
    {
      await using taken = await takeAway(service.databaseUrl)
      try {
        const ready = await service.call('GET', '/readyz')
        await eventually(async () => (await service.call('GET', '/readyz')).status === 503, ready.text)
        for (const [method, path] of [
          ['GET', '/v1/api-keys'],
          ['GET', '/v1/events'],
          ['POST', '/v1/builder/worlds'],
        ] as const) {
          const key = { key: `dk_${'0'.repeat(40)}` }
          const reply = await service.call(method, path, method === 'POST' ? {} : undefined, key)
          assert.deepEqual([reply.status, reply.body.code], [503, 'unavailable'], `${path} ${reply.text}`)
          assert.equal(reply.headers.get('retry-after'), '1')
        }
        assert.equal((await service.call('GET', '/healthz')).status, 200)
        const metrics = await service.call('GET', '/metrics')
        assert.match(metrics.text, /^diorama_trials_queued Na[nN]$/m, 'metrics outlive the database')
        assert.match(metrics.text, /^diorama_disk_free_bytes \d/m)
      } finally {
        await taken.giveBack()
      }
    }
    await eventually(async () => (await service.call('GET', '/readyz')).status === 200, 'it stays unready')
    assert.equal((await service.call('GET', '/v1/me')).status, 200)
  })
})

describe('the address that is advertised to other nodes', () => {
  const interfaces = [
    { address: '127.0.0.1', family: 'IPv4', internal: true },
    { address: 'fe80::1', family: 'IPv6', internal: false },
    { address: '2001:db8::7', family: 'IPv6', internal: false },
    { address: '192.0.2.7', family: 'IPv4', internal: false },
  ]
  it('is one that another machine can reach when the node listens on all of them', () => {
    const all = { host: '0.0.0.0', listening: 'http://127.0.0.1:4400', interfaces }
    assert.equal(advertisedAddress(all), 'http://192.0.2.7:4400')
    assert.equal(
      advertisedAddress({ ...all, interfaces: interfaces.slice(0, 3) }),
      'http://[2001:db8::7]:4400',
    )
    assert.equal(advertisedAddress({ ...all, interfaces: interfaces.slice(0, 2) }), 'http://127.0.0.1:4400')
    const one = { host: '198.51.100.1', listening: 'http://198.51.100.1:4400', interfaces }
    assert.equal(advertisedAddress(one), 'http://198.51.100.1:4400')
  })
})
