import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { eventually } from '../../../test/eventually.ts'
import { joinService, type TestService, testService } from '../testing.ts'
import { deliveryStore } from './store.ts'
import { hookedNotes } from './testing-twin.ts'

const models = [{ twin: hookedNotes, sample: { section: { notes: [] }, company: testCompany } }]
const loopback = { deliveryAllow: ['public', '127.0.0.0/8'] }

interface Received {
  readonly headers: IncomingMessage['headers']
  readonly body: { note: { text: string } }
}

/** A receiver on loopback with configurable answers. */
const receiver = async (answer: (reply: ServerResponse, nth: number) => void) => {
  const received: Received[] = []
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) })
      answer(reply, received.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const open = async (service: TestService) => {
  const { body: twin } = await service.call('POST', '/v1/twins', { service: 'notes' })
  const base = `/v1/twins/${twin.id}`
  return {
    id: twin.id as string,
    base,
    hook: (url: string) => service.call('PUT', `${base}/settings`, { url }),
    write: async (text: string): Promise<number> => {
      const reply = await fetch(`${service.baseUrl}/t/${twin.id}/write`, {
        method: 'POST',
        headers: { authorization: `Bearer ${twin.token}` },
        body: JSON.stringify({ text }),
      })
      await reply.text()
      return reply.status
    },
    deliveries: async (query = '') =>
      (await service.call('GET', `${base}/deliveries?limit=100${query}`)).body.items,
    /** Waits until nothing is pending. */
    settled: async function settled() {
      await eventually(async () => (await this.deliveries('&status=pending')).length === 0)
      return this.deliveries()
    },
  }
}

describe('deliveries', () => {
  it('are sent in order, signed, recorded with their attempts, and linked to the step that caused them', async () => {
    await using service = await testService(loopback, models)
    await using hook = await receiver((reply) => reply.writeHead(200, { 'x-seen': 'yes' }).end('thanks'))
    const twin = await open(service)
    await twin.hook(hook.url)
    for (let n = 0; n < 20; n++) assert.equal(await twin.write(`note ${n}`), 200)
    const sent = await twin.settled()
    assert.equal(sent.length, 20)
    assert.deepEqual(
      hook.received.map(({ body }) => body.note.text),
      Array.from({ length: 20 }, (_, n) => `note ${n}`),
    )
    assert.equal(hook.received[0]?.headers['x-signature']?.length, 64)
    const [last] = sent
    assert.equal(last.status, 'delivered')
    assert.equal(last.response_status, 200)
    const { body: one } = await service.call('GET', `${twin.base}/deliveries/${last.id}`)
    assert.equal(one.tries[0].response.body, 'thanks')
    assert.equal(one.payload.note.text, 'note 19')
    assert.ok(!JSON.stringify(one).includes('signing-key'))
    const { body: cause } = await service.call('GET', `${twin.base}/activity/${one.cause}`)
    assert.equal(cause.operation, 'write')
  })

  it('are retried by the schedule of the twin with the same id, then given up, and the twin learns of it', async () => {
    await using service = await testService(loopback, models)
    await using hook = await receiver((reply, nth) => reply.writeHead(nth === 2 ? 200 : 500).end())
    await using dead = await receiver((reply) => reply.destroy())
    const twin = await open(service)
    await twin.hook(hook.url)
    await twin.write('first')
    const [once] = await twin.settled()
    assert.deepEqual([once.status, once.attempts], ['delivered', 2])
    assert.deepEqual(
      hook.received.map(({ headers }) => [headers['x-id'], headers['x-try']]),
      [
        [once.emission_id, '1'],
        [once.emission_id, '2'],
      ],
    )
    await twin.hook(dead.url)
    await twin.write('second')
    const failed = (await twin.settled()).find((item: { receiver: string }) => item.receiver === 'h2')
    assert.deepEqual([failed.status, failed.attempts, failed.fault], ['failed', 3, 'connection'])
    const { body: settings } = await service.call('GET', `${twin.base}/settings`)
    assert.equal(settings.hooks[1].failures, 1)
  })

  it('are sent again on demand', async () => {
    await using service = await testService(loopback, models)
    await using hook = await receiver((reply) => reply.end())
    const twin = await open(service)
    await twin.hook(hook.url)
    await twin.write('again')
    const [sent] = await twin.settled()
    assert.equal((await service.call('POST', `${twin.base}/deliveries/${sent.id}/resend`)).status, 202)
    await eventually(async () => hook.received.length === 2)
    assert.equal(hook.received[1]?.headers['x-id'], hook.received[0]?.headers['x-id'])
    assert.equal((await twin.settled())[0].attempts, 2)
    assert.equal((await service.call('POST', `${twin.base}/deliveries/none/resend`)).status, 404)
  })

  it('never go to an address that the deployment does not allow, by number, by name or by redirect', async () => {
    await using service = await testService({ deliveryAllow: ['public', 'localhost:1'] }, models)
    const twin = await open(service)
    const refused = [
      'http://127.0.0.1:9/',
      'http://[::1]/',
      'http://[::ffff:169.254.169.254]/latest',
      'http://169.254.169.254/latest',
      'http://2130706433/',
      'http://100.64.0.1/',
      'http://localhost:2/',
      'ftp://example.com/',
      'http://user:secret@example.com/',
      'no address',
    ]
    for (const url of refused) await twin.hook(url)
    await twin.write('to nowhere')
    const sent = await twin.settled()
    assert.deepEqual([...new Set(sent.map(({ fault }: { fault: string }) => fault))], ['refused'])
    assert.equal(sent.length, refused.length)
    await using elsewhere = await receiver((reply) => reply.end())
    await using moved = await receiver((reply) => reply.writeHead(302, { location: elsewhere.url }).end())
    await using allowing = await testService(loopback, models)
    const other = await open(allowing)
    await other.hook(moved.url)
    await other.write('moved')
    assert.equal((await other.settled())[0].response_status, 302)
    assert.equal(elsewhere.received.length, 0)
  })

  it('do not slow a twin whose receiver hangs, and wait in the outbox for a node that takes over', async () => {
    await using first = await testService(loopback, models)
    await using hook = await receiver((reply, nth) => (nth <= 3 ? undefined : reply.end()))
    let id = ''
    {
      await using second = await joinService(first, models, loopback)
      const twin = await open(second)
      id = twin.id
      assert.equal((await first.call('PUT', `${twin.base}/settings`, { url: hook.url })).status, 200)
      assert.equal(
        (await first.call('PUT', `${twin.base}/settings`, { url: '' })).body.details[0].pointer,
        '/url',
      )
      for (let n = 0; n < 3; n++) assert.equal(await twin.write(`note ${n}`), 200)
      assert.equal((await twin.deliveries('&status=pending')).length, 3)
    }
    await eventually(async () => {
      const { body } = await first.call('GET', `/v1/twins/${id}/deliveries?status=delivered`)
      return body.items.length === 3
    })
    const ids = new Set(hook.received.map(({ headers }) => headers['x-id']))
    assert.equal(ids.size, 3)
  })

  it('wait for a receiver that hangs in a bounded number; newer ones are dropped, and their records say so', async () => {
    await using service = await testService({ ...loopback, deliveryBacklog: 4 }, models)
    await using hook = await receiver(() => undefined)
    const twin = await open(service)
    await twin.hook(hook.url)
    for (let n = 0; n < 7; n++) assert.equal(await twin.write(`note ${n}`), 200)
    const dropped = await eventually(async () => {
      const found = await twin.deliveries('&status=dropped')
      return found.length > 0 && found
    })
    assert.deepEqual([...new Set(dropped.map(({ fault }: { fault: string }) => fault))], ['backlog'])
    const newest = (await twin.deliveries()).slice(0, dropped.length)
    assert.deepEqual(
      newest.map(({ id }: { id: string }) => id),
      dropped.map(({ id }: { id: string }) => id),
    )
  })

  it('of many twins are found page by page, each by the node that runs the twin', async () => {
    await using service = await testService(loopback, models)
    await using hook = await receiver(() => undefined)
    const ids: string[] = []
    for (let n = 0; n < 3; n++) {
      const twin = await open(service)
      await twin.hook(hook.url)
      for (const text of ['one', 'two']) await twin.write(text)
      ids.push(twin.id)
    }
    const { db, pool } = service.storage
    const store = deliveryStore(db, pool)
    const { rows } = await pool.query('select owner from twins where id = $1', [ids[0]])
    const first = await store.dueTwins(rows[0].owner, { after: '', limit: 2 })
    const rest = await store.dueTwins(rows[0].owner, { after: first.at(-1) ?? '', limit: 2 })
    assert.deepEqual([first.length, [...first, ...rest]], [2, ids.toSorted()])
    assert.deepEqual(await store.dueTwins('another node', { after: '', limit: 2 }), [])
  })

  it('that are under way when a node ends run to their end, and the next node goes on from there', async () => {
    await using first = await testService(loopback, models)
    await using hook = await receiver((reply, nth) => (nth === 1 ? undefined : reply.end()))
    let id = ''
    {
      await using second = await joinService(first, models, loopback)
      const twin = await open(second)
      id = twin.id
      await twin.hook(hook.url)
      for (const text of ['one', 'two']) assert.equal(await twin.write(text), 200)
      await eventually(() => hook.received.length === 1)
    }
    const sent = async () =>
      (await first.call('GET', `/v1/twins/${id}/deliveries?status=delivered`)).body.items
    await eventually(async () => (await sent()).length === 2)
    const tries = hook.received.map(({ headers }) => `${headers['x-id']} ${headers['x-try']}`)
    assert.equal(new Set(tries).size, tries.length, 'no attempt is made twice')
    const one = (await sent()).at(-1)
    const { body } = await first.call('GET', `/v1/twins/${id}/deliveries/${one.id}`)
    assert.deepEqual(
      body.tries.map(({ fault }: { fault: string | null }) => fault),
      ['timeout', null],
    )
  })

  it('reach a machine behind a firewall while it polls for them, and take its answer', async () => {
    await using service = await testService({ deliveryAllow: [] }, models)
    const twin = await open(service)
    await twin.hook('https://bot.example.com/hook?a=1')
    const taking = service.call('POST', `${twin.base}/forwarding`)
    await eventually(async () => {
      await twin.write('forwarded')
      const [latest] = await twin.deliveries()
      return latest.fault !== 'refused'
    })
    const { items } = (await taking).body
    assert.equal(items[0].url, 'https://bot.example.com/hook?a=1')
    assert.equal(items[0].headers['x-id'], items[0].emission_id)
    const answer = (id: string) =>
      service.call('POST', `${twin.base}/forwarding/${id}`, { status: 201, body: 'got it' })
    assert.deepEqual((await answer(items[0].id)).body, { accepted: true })
    assert.deepEqual((await answer(items[0].id)).body, { accepted: false })
    await eventually(async () =>
      (await twin.deliveries('&status=delivered')).some(
        (one: { emission_id: string; response_status: number }) =>
          one.emission_id === items[0].emission_id && one.response_status === 201,
      ),
    )
  })
})
