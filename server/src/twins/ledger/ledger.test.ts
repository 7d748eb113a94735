import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { notes } from '@diorama/twins/notes/twin'
import { eventually } from '../../../../test/eventually.ts'
import { readStream } from '../../telemetry/testing.ts'
import { joinService, type TestService, testService } from '../../testing.ts'
import { ledgerSource } from './ledger-source.ts'

const models = [
  {
    twin: notes,
    sample: { section: { notes: [{ key: 'first', text: 'Buy pumps' }] }, company: testCompany },
  },
]

interface Started {
  readonly id: string
  readonly path: string
  readonly call: (operation: string, body?: object, as?: string, base?: string) => Promise<number>
  readonly tokenOf: (subject: string) => Promise<string>
}

const start = async (service: TestService): Promise<Started> => {
  const { body: twin } = await service.call('POST', '/v1/twins', { service: 'notes' })
  const path = `/v1/twins/${twin.id}`
  return {
    id: twin.id,
    path,
    call: async (operation, body = {}, as = twin.token, base = service.baseUrl) => {
      const reply = await fetch(`${base}/t/${twin.id}/${operation}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${as}` },
        body: JSON.stringify(body),
      })
      await reply.text()
      return reply.status
    },
    tokenOf: async (subject) => {
      const { body } = await service.call('GET', `${path}/identities`)
      return body.items.find((one: { subject: string }) => one.subject === subject).token
    },
  }
}

const operations = (items: readonly { operation: string }[]) => items.map(({ operation }) => operation)
const texts = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `note ${from + n}`)

/** A read's record follows its reply; a write's is there before it. */
const settle = async ({ call }: Started) => assert.equal(await call('write', { text: 'settled' }), 200)

describe('the list of activity', () => {
  it('is narrowed by operation, status, actor and text, alone and together', async () => {
    await using service = await testService({}, models)
    const twin = await start(service)
    const dev = await twin.tokenOf('dev')
    await twin.call('write', { text: 'a' })
    await twin.call('write', { text: 'b' }, dev)
    await twin.call('read', { id: 'nothing' })
    await twin.call('list', {}, 'no token')
    await twin.call('list', {}, dev)
    await settle(twin)
    const listed = async (query: string) => {
      const { status, body } = await service.call('GET', `${twin.path}/activity?${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return operations(body.items)
    }
    assert.deepEqual(await listed('operation=write'), ['write', 'write', 'write'])
    assert.deepEqual(await listed('operation=writ'), [])
    assert.deepEqual(await listed('status=404'), ['read'])
    assert.deepEqual(await listed('status=4xx'), ['POST /list', 'read'])
    assert.deepEqual(await listed('status=failed'), ['POST /list', 'read'])
    assert.deepEqual(await listed('status=5xx'), [])
    assert.deepEqual(await listed('actor=dev'), ['list', 'write'])
    assert.deepEqual(await listed('q=EA'), ['read'])
    assert.deepEqual(await listed('q=%25'), [])
    assert.deepEqual(await listed('actor=dev&status=2xx&q=/WRITE&mutations_only=true'), ['write'])
    for (const query of ['status=teapot', 'status=6xx', 'status=99', `q=${'x'.repeat(201)}`, 'q=%00']) {
      const refused = await service.call('GET', `${twin.path}/activity?${query}`)
      assert.equal(refused.status, 400, query)
    }
  })

  it('finds what lies pages behind, and pages on without repeat or loss while requests arrive', async () => {
    await using service = await testService({}, models)
    const twin = await start(service)
    for (const text of texts(7)) await twin.call('write', { text })
    for (let n = 0; n < 60; n++) await twin.call('list')
    await settle(twin)
    const seen: string[] = []
    let cursor = ''
    for (let page = 0; page < 10; page++) {
      const { body } = await service.call('GET', `${twin.path}/activity?operation=write&limit=3${cursor}`)
      seen.push(...body.items.map(({ request_id }: { request_id: string }) => request_id))
      await twin.call('write', { text: 'meanwhile' })
      if (body.next_cursor === null) break
      cursor = `&cursor=${body.next_cursor}`
    }
    assert.equal(seen.length, 8)
    assert.equal(new Set(seen).size, 8)
  })
})

describe('the stream of activity', () => {
  it('shows new requests that fit its filters, reads and writes alike', async () => {
    await using service = await testService({}, models)
    const twin = await start(service)
    await twin.call('write', { text: 'before' })
    const path = `${twin.path}/activity/stream`
    const all = await readStream({ ...service, path })
    const refused = await readStream({ ...service, path, query: '?status=failed' })
    const sought = await readStream({ ...service, path, query: '?q=WRI&mutations_only=true' })
    for (const operation of ['list', 'write', 'read']) await twin.call(operation, { text: 'x', id: 'none' })
    await all.until(3)
    await refused.until(1)
    await sought.until(1)
    assert.deepEqual(operations(all.messages.map(({ data }) => data)), ['list', 'write', 'read'])
    assert.deepEqual(operations(refused.messages.map(({ data }) => data)), ['read'])
    assert.deepEqual(operations(sought.messages.map(({ data }) => data)), ['write'])
    assert.equal(all.messages[0]?.event, 'activity')
    const { body } = await service.call('GET', `${twin.path}/activity?limit=3`)
    assert.deepEqual(all.messages.map(({ data }) => data).toReversed(), body.items)
    for (const reader of [all, refused, sought]) await reader.cut()
    assert.equal((await service.call('GET', `${path}?after=nonsense`)).body.code, 'invalid_cursor')
    assert.equal((await service.call('GET', `${path}?after=0.1-0.1`)).body.code, 'invalid_cursor')
    assert.equal((await service.call('GET', '/v1/twins/twn_none/activity/stream')).status, 404)
  })

  it('resumes after any message without loss or repeat, across a reset of the twin', async () => {
    await using service = await testService({}, models)
    const twin = await start(service)
    const path = `${twin.path}/activity/stream`
    const first = await readStream({ ...service, path })
    const start0 = first.lastId
    for (const text of texts(5)) await twin.call('write', { text })
    await first.until(5)
    await service.call('POST', `${twin.path}/reset`)
    await eventually(async () => (await twin.call('list')) === 200)
    for (const text of texts(5)) await twin.call('write', { text })
    await first.until(11)
    await first.cut()
    const all = first.messages.map(({ data }) => data.request_id)
    assert.equal(new Set(all).size, all.length)
    const listed = (await service.call('GET', `${twin.path}/activity?limit=50`)).body.items
    assert.deepEqual(
      all.toSorted(),
      listed.map(({ request_id }: { request_id: string }) => request_id).toSorted(),
    )
    for (const [count, id] of [[0, start0] as const, [3, first.messages[2]?.id] as const]) {
      const again = await readStream({ ...service, path, lastId: id })
      await again.until(all.length - count)
      assert.deepEqual(
        again.messages.map(({ data }) => data.request_id),
        all.slice(count),
      )
      await again.cut()
    }
  })

  it('replays a thousand requests and refuses more, also from another database', async () => {
    await using service = await testService({}, models)
    const twin = await start(service)
    const path = `${twin.path}/activity/stream`
    const opening = await readStream({ ...service, path })
    await opening.cut()
    for (let n = 0; n < 50; n++) await Promise.all(Array.from({ length: 20 }, () => twin.call('list')))
    const live = await readStream({ ...service, path, lastId: opening.lastId })
    await live.until(1_000)
    assert.equal(live.messages.length, 1_000)
    await twin.call('write', { text: 'one too many' })
    await live.until(1_001)
    await live.cut()
    const refused = await readStream({ ...service, path, lastId: opening.lastId })
    await refused.ended
    const [message] = refused.messages
    assert.equal(message?.data.code, 'replay_limit_exceeded')
    assert.match(message?.data.error, /GET \/v1\/twins\/twn_\w+\/activity,/)
    const narrow = await readStream({ ...service, path, lastId: opening.lastId, query: '?operation=write' })
    await narrow.until(1)
    await narrow.cut()
    const further = await readStream({ ...service, path, lastId: message?.data.resume_from })
    await twin.call('write', { text: 'further' })
    await further.until(1)
    assert.equal(further.messages.length, 1)
    await further.cut()
    const foreign = await readStream({ ...service, path, lastId: '0.999999~0.0' })
    await foreign.ended
    assert.equal(foreign.messages[0]?.data.code, 'replay_limit_exceeded')
  })

  it('shows what another process served, and lets a reader move between processes', async () => {
    await using first = await testService({}, models)
    await using second = await joinService(first, models)
    const twin = await start(first)
    const path = `${twin.path}/activity/stream`
    const opening = await readStream({ ...second, path })
    let { lastId } = opening
    await opening.cut()
    const seen: string[] = []
    let written = 0
    const writing = (async () => {
      for (; written < 120; written++)
        await twin.call('write', { text: 'x' }, undefined, (written % 2 ? first : second).baseUrl)
    })()
    for (let cut = 0; cut < 60 && seen.length < 120; cut++) {
      const reader = await readStream({ ...(cut % 2 ? first : second), path, lastId })
      await reader.until(Math.min(1 + (cut % 5), 120 - seen.length))
      await reader.cut()
      seen.push(...reader.messages.map(({ data }) => data.request_id))
      lastId = reader.lastId
    }
    await writing
    const rest = await readStream({ ...second, path, lastId })
    await rest.until(120 - seen.length)
    await rest.cut()
    seen.push(...rest.messages.map(({ data }) => data.request_id))
    const { body } = await first.call('GET', `${twin.path}/activity?limit=200`)
    assert.deepEqual(
      seen,
      body.items.map(({ request_id }: { request_id: string }) => request_id).toReversed(),
    )
  })

  it('waits for a step that another process still writes, but not indefinitely', async () => {
    await using service = await testService({}, models)
    const twin = await start(service)
    const write = (seq: number) =>
      service.storage.pool.query(
        `insert into twin_steps select $1, organization_id, id, world_id, epoch, $2, service, now(), now(), 1,
          'step', null, 'POST', '/step', 200, 0, '{}', '{}', null, '{}' from twins where id = $3`,
        [`req_${seq}`, seq, twin.id],
      )
    const clock = { at: 0 }
    const source = ledgerSource({ db: service.storage.db, now: () => clock.at, twinIds: [twin.id] })
    let from = await source.start()
    const read = async () => {
      const { entries, held } = await source.after(from)
      from = entries.at(-1)?.position ?? from
      return { ids: entries.map(({ row }) => row.id), held }
    }
    await write(2)
    assert.deepEqual(await read(), { ids: [], held: true })
    await write(1)
    assert.deepEqual(await read(), { ids: ['req_1', 'req_2'], held: false })
    await write(4)
    assert.deepEqual(await read(), { ids: [], held: true })
    clock.at += 1_000
    assert.deepEqual(await read(), { ids: ['req_4'], held: false })
  })

  it('reaches a reader on another process within moments of the request', async () => {
    await using first = await testService({}, models)
    await using second = await joinService(first, models)
    const twin = await start(first)
    const reader = await readStream({ ...second, path: `${twin.path}/activity/stream` })
    const taken: number[] = []
    for (let n = 1; n <= 20; n++) {
      const began = performance.now()
      await twin.call('list')
      await reader.until(n)
      taken.push(performance.now() - began)
    }
    await reader.cut()
    // Looking without being woken happens once a second: most are far below that only when the wake-up arrives.
    assert.ok((taken.toSorted((a, b) => a - b)[10] ?? 0) < 500, `took ${taken.map(Math.round)}`)
  })

  it('cuts off a reader that does not read', async () => {
    await using service = await testService({}, models)
    const twin = await start(service)
    const url = new URL(service.baseUrl)
    const socket = connect(Number(url.port), url.hostname)
    socket.on('error', () => {})
    socket.write(
      `GET ${twin.path}/activity/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.key}\r\n\r\n`,
    )
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const readers = async () => {
      const { text } = await service.call('GET', '/metrics')
      return Number(/^diorama_activity_stream_readers (\d+)/m.exec(text)?.[1])
    }
    assert.equal(await readers(), 1)
    await service.storage.pool.query(
      `insert into twin_steps select 'req_' || lpad(seq::text, 6, '0'), organization_id, id, world_id, epoch, seq, service,
        now(), now(), 1, 'step', null, 'POST', repeat('x', 2000), 200, 0, '{}', '{}', null, '{}'
        from twins, generate_series(1, 15000) as seq where id = $1`,
      [twin.id],
    )
    await eventually(async () => (await readers()) === 0)
    socket.resume()
    await closed
  })

  it('ends when the service drains, so that readers resume elsewhere', async () => {
    const service = await testService({}, models)
    const twin = await start(service)
    const reader = await readStream({ ...service, path: `${twin.path}/activity/stream` })
    await service[Symbol.asyncDispose]()
    await reader.ended
  })
})
