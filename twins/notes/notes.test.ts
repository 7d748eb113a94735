import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { conforms } from '@diorama/twin-kit/conformance'
import type { TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { seedFor, serveTwin, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { notes } from './twin.ts'

const section = {
  notes: [
    { key: 'first', text: 'Buy pumps', author: null },
    { key: 'second', text: 'Sell pumps', author: null },
  ],
}
const post = (name: string, credential: string | undefined, body: unknown = {}): TwinRequest => ({
  method: 'POST',
  path: `/${name}`,
  query: '',
  headers: credential ? { authorization: `Bearer ${credential}` } : {},
  body: Buffer.from(JSON.stringify(body)),
  baseUrl: 'http://twin.example',
})
const seeded = seedFor(notes, section).seed.keys[0]?.id

conforms(notes, {
  section,
  company: testCompany,
  request: (operation, credential) =>
    post(operation, credential, { id: seeded, text: 'x', at: testCompany.clock + 5 }),
  refuses: (status) => status === 401,
  script: (credential) => [
    post('write', credential, { text: 'one' }),
    post('edit', credential, { id: seeded, text: 'two' }),
    post('remind', credential, { text: 'soon', at: testCompany.clock }),
    post('write', credential, { text: 'three' }),
    post('erase', credential, { id: seedFor(notes, section).seed.keys[1]?.id }),
  ],
})

describe('an instance', () => {
  it('records one change a row, whole, from before the step to after it', () => {
    const { instance, token } = startInstance(seedFor(notes, section))
    const { step } = instance.handle(
      post('edit', token, { id: seeded, text: 'Buy no pumps' }),
      testCompany.clock,
    )
    assert.equal(step.operation, 'edit')
    assert.deepEqual(step.changes, [
      {
        collection: 'note',
        id: seeded,
        operation: 'update',
        before: { id: seeded, text: 'Buy pumps', author: 'mira', at: testCompany.clock },
        after: { id: seeded, text: 'Buy no pumps', author: 'mira', at: testCompany.clock },
      },
    ])
  })

  it('records what comes due as a separate step', () => {
    const { instance, token } = startInstance(seedFor(notes, section))
    instance.handle(post('remind', token, { text: 'tea', at: testCompany.clock + 60_000 }), testCompany.clock)
    assert.equal(instance.due(testCompany.clock + 59_999), undefined)
    const { due, step } = instance.handle(post('list', token), testCompany.clock + 60_000)
    assert.deepEqual(
      due?.changes.map(({ collection, operation }) => [collection, operation]),
      [
        ['reminder', 'delete'],
        ['$series', 'create'],
        ['note', 'create'],
      ],
    )
    assert.deepEqual(step.changes, [])
  })

  it('shows its difference from the seed without internal tables, and none after a change is undone by hand', () => {
    const { instance, token } = startInstance(seedFor(notes, section))
    instance.handle(post('edit', token, { id: seeded, text: 'other' }), testCompany.clock)
    assert.deepEqual(
      instance.diff().map(({ collection, operation }) => [collection, operation]),
      [['note', 'update']],
    )
    instance.handle(post('edit', token, { id: seeded, text: 'Buy pumps' }), testCompany.clock)
    assert.deepEqual(instance.diff(), [])
  })

  it('can be called over HTTP', async () => {
    await using host = await serveTwin(notes, section)
    const reply = await fetch(`${host.baseUrl}/list`, {
      method: 'POST',
      headers: { authorization: `Bearer ${host.token}` },
    })
    assert.equal(reply.status, 200)
    assert.equal(((await reply.json()) as unknown[]).length, 2)
    assert.equal(host.steps.length, 1)
  })
})
