import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AnyTwin } from '@diorama/twin-kit/kernel/twin'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { notes } from '@diorama/twins/notes/twin'
import { eventually } from '../../../test/eventually.ts'
import { type TestService, testService } from '../testing.ts'
import type { TwinModel } from './registry.ts'

const sample = { section: { notes: [{ key: 'first', text: 'Buy pumps' }] }, company: testCompany }
const model = (twin: AnyTwin = notes): TwinModel => ({ twin, sample })

const start = async (service: TestService, body: object = {}) => {
  const made = await service.call('POST', '/v1/twins', { service: 'notes', ...body })
  assert.equal(made.status, 201, made.text)
  const record = made.body
  const call = async (path: string, input: unknown = {}, token: string = record.token) => {
    const reply = await fetch(`${record.baseUrl}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(input),
    })
    return { status: reply.status, body: JSON.parse(await reply.text()), headers: reply.headers }
  }
  return { record, call, path: `/v1/twins/${record.id}` }
}

describe('a standalone twin', () => {
  it('starts with sample data and answers its own API at its base URL', async () => {
    await using service = await testService({}, [model()])
    const { record, call } = await start(service)
    assert.equal(record.status, 'running')
    assert.equal(record.baseUrl, `${service.baseUrl}/t/${record.id}`)
    const { body } = await call('list')
    assert.deepEqual(
      body.map(({ text }: { text: string }) => text),
      ['Buy pumps'],
    )
    assert.equal((await call('list', {}, 'wrong')).status, 401)
  })

  it('records every request with the records it changed, whole, before and after, and never a token', async () => {
    await using service = await testService({}, [model()])
    const { record, call, path } = await start(service)
    const [seeded] = (await call('list')).body
    await call('edit', { id: seeded.id, text: `leaks ${record.token}` })
    await call('share')
    const { body } = await service.call('GET', `${path}/activity`)
    assert.deepEqual(
      body.items.map((item: { operation: string; mutation_count: number }) => [
        item.operation,
        item.mutation_count,
      ]),
      [
        ['POST /share', 0],
        ['edit', 1],
        ['list', 0],
      ],
    )
    assert.deepEqual(body.items[0].not_emulated, ['share'])
    const detail = await service.call('GET', `${path}/activity/${body.items[1].request_id}`)
    assert.equal(detail.body.request.path, '/edit')
    assert.equal(detail.body.request.headers.authorization, '[redacted]')
    assert.match(detail.body.request.body, /leaks \[redacted\]/)
    const [mutation] = detail.body.mutations
    assert.deepEqual([mutation.collection, mutation.operation, mutation.key], ['note', 'update', 'first'])
    assert.equal(mutation.before.text, 'Buy pumps')
    const only = await service.call('GET', `${path}/activity?mutations_only=true&limit=1`)
    assert.equal(only.body.items.length, 1)
  })

  it('shows its difference from the seed, and returns to the seed when it is reset', async () => {
    await using service = await testService({}, [model()])
    const { call, path } = await start(service)
    await call('write', { text: 'new' })
    const diff = await service.call('GET', `${path}/diff`)
    assert.deepEqual(diff.body.summary, { created: 1, updated: 0, deleted: 0 })
    const reset = await service.call('POST', `${path}/reset`)
    assert.equal(reset.body.status, 'provisioning')
    await eventually(async () => (await service.call('GET', path)).body.status === 'running')
    assert.deepEqual((await service.call('GET', `${path}/diff`)).body.items, [])
    assert.equal((await call('list')).body.length, 1)
  })

  it('pages through the records of a collection, and lists its people with tokens that act as them', async () => {
    await using service = await testService({}, [model()])
    const { call, path } = await start(service)
    const first = await service.call('GET', `${path}/state?collection=person&limit=2`)
    const second = await service.call(
      'GET',
      `${path}/state?collection=person&limit=2&cursor=${first.body.next_cursor}`,
    )
    const ids = [...first.body.items, ...second.body.items].map(({ id }: { id: string }) => id)
    assert.deepEqual(ids, ['dev', 'lucia', 'mira'])
    assert.equal((await service.call('GET', `${path}/state?collection=nothing`)).status, 400)
    const people = await service.call('GET', `${path}/identities`)
    const dev = people.body.items.find(({ subject }: { subject: string }) => subject === 'dev')
    await call('write', { text: 'by dev' }, dev.token)
    assert.deepEqual(
      (await call('list', {}, dev.token)).body.map(({ text }: { text: string }) => text),
      ['by dev'],
    )
  })

  it('answers 410 after it was stopped, and stays readable', async () => {
    await using service = await testService({}, [model()])
    const { call, path } = await start(service)
    await call('write', { text: 'kept' })
    assert.equal((await service.call('DELETE', path)).body.status, 'stopped')
    assert.equal((await call('list')).status, 410)
    assert.equal((await service.call('GET', `${path}/diff`)).body.summary.created, 1)
    assert.equal((await service.call('POST', `${path}/reset`)).status, 409)
  })

  it('expires when its time has passed', async () => {
    await using service = await testService({}, [model()])
    const { record, call, path } = await start(service, { ttl_hours: 1 })
    await service.storage.db
      .updateTable('twins')
      .set({ expires_at: new Date(0) })
      .where('id', '=', record.id)
      .execute()
    service.app.runtime.host.forget(record.id)
    await service.app.runtime.twins.sweepExpired()
    assert.equal((await service.call('GET', path)).body.status, 'expired')
    assert.equal((await call('list')).status, 410)
  })

  it('is degraded while its health probe fails, and recovers', async () => {
    const poisoned: AnyTwin = {
      ...notes,
      wire: (request, session) => {
        if (
          [...(session.views.note?.all() ?? [])].some(({ text }) => text === 'poison') &&
          request.path === '/'
        )
          throw new Error('poisoned')
        return notes.wire(request, session)
      },
    }
    await using service = await testService({}, [model(poisoned)])
    const { call, path } = await start(service)
    const { body } = await call('write', { text: 'poison' })
    await service.app.runtime.twins.sweepHealth()
    assert.equal((await service.call('GET', path)).body.status, 'degraded')
    await call('edit', { id: body.id, text: 'cure' })
    await service.app.runtime.twins.sweepHealth()
    assert.equal((await service.call('GET', path)).body.status, 'running')
  })

  it('fails with a reason when it cannot be provisioned', async () => {
    const broken: AnyTwin = {
      ...notes,
      wire: () => {
        throw new Error('no engine')
      },
    }
    await using service = await testService({}, [model(broken)])
    const made = await service.call('POST', '/v1/twins', { service: 'notes' })
    assert.equal(made.body.status, 'failed')
    assert.match(made.body.error, /no engine/)
  })

  it('is refused for an unknown service, a wrong lifetime, or beyond the capacity of the organization', async () => {
    await using service = await testService({}, [model()])
    const unknown = await service.call('POST', '/v1/twins', { service: 'fax' })
    assert.deepEqual([unknown.status, unknown.body.details[0].pointer], [400, '/service'])
    const long = await service.call('POST', '/v1/twins', { service: 'notes', ttl_hours: 721 })
    assert.deepEqual([long.status, long.body.details[0].pointer], [400, '/ttl_hours'])
    const other = await service.call('POST', '/v1/organizations', {
      name: 'Small',
      limits: { live_twins: 2 },
    })
    const key = other.body.key.secret
    const made = await Promise.all(
      Array.from({ length: 6 }, () => service.call('POST', '/v1/twins', { service: 'notes' }, { key })),
    )
    assert.deepEqual(made.map(({ status }) => status).sort(), [201, 201, 403, 403, 403, 403])
    assert.equal(
      (await service.call('GET', `/v1/twins/${made.find((one) => one.status === 201)?.body.id}`)).status,
      404,
    )
  })
})

describe('a twin whose step cannot be written', () => {
  it('answers in its own 5xx form, and the change is as if it had never been', async () => {
    await using service = await testService({}, [model()])
    const { record, call } = await start(service)
    await call('write', { text: 'one' })
    await service.storage.pool.query(
      `alter table twin_steps add constraint broken check (operation <> 'write') not valid`,
    )
    assert.equal((await call('write', { text: 'two' })).status, 503)
    await service.storage.pool.query('alter table twin_steps drop constraint broken')
    assert.deepEqual(
      (await call('list')).body.map(({ text }: { text: string }) => text),
      ['Buy pumps', 'one'],
    )
    assert.equal((await call('write', { text: 'three' })).status, 200)
    assert.equal(record.status, 'running')
  })

  it('does not show it to a read that comes before it is known to be lost', async () => {
    await using service = await testService({}, [model()])
    const { call } = await start(service)
    await call('write', { text: 'one' })
    const { pool } = service.storage
    const blocker = await pool.connect()
    try {
      await blocker.query('begin')
      await blocker.query('lock table twin_steps in exclusive mode')
      const writing = call('write', { text: 'two' })
      const waiting = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await eventually(async () => (await blocker.query(`select ${waiting}`)).rowCount === 1)
      const reading = call('list')
      // By the time that these are answered the read has reached the twin.
      for (let n = 0; n < 5; n++) await service.call('GET', '/v1/me')
      await blocker.query(`select pg_terminate_backend(pid) ${waiting}`)
      const [written, read] = await Promise.all([writing, reading])
      assert.equal(written.status, 503)
      assert.ok(!JSON.stringify(read.body).includes('two'), JSON.stringify(read.body))
    } finally {
      await blocker.query('rollback')
      blocker.release()
    }
  })
})
