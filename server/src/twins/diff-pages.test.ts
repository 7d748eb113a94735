import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { notes } from '@diorama/twins/notes/twin'
import { testService } from '../testing.ts'
import { diffPage } from './diff-pages.ts'

const seeded = Array.from({ length: 4 }, (_, n) => ({ key: `key${n}`, text: `seeded ${n}` }))
const models = [{ twin: notes, sample: { section: { notes: seeded }, company: testCompany } }]

it('pages through the difference from the seeds without loss or repeat, and counts all of it on each page', async () => {
  await using service = await testService({}, models)
  const twins = await Promise.all(
    [1, 2, 3].map(async () => (await service.call('POST', '/v1/twins', { service: 'notes' })).body),
  )
  const call = async (twin: { id: string; token: string }, operation: string, body: object) => {
    const reply = await fetch(`${service.baseUrl}/t/${twin.id}/${operation}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${twin.token}` },
      body: JSON.stringify(body),
    })
    return (await reply.json()) as { id: string }[]
  }
  // The second one stays as it was seeded.
  for (const twin of [twins[0], twins[2]]) {
    const [first] = await call(twin, 'list', {})
    await call(twin, 'edit', { id: first?.id, text: 'edited' })
    for (let n = 0; n < 6; n++) await call(twin, 'write', { text: `written ${n}` })
  }
  const path = `/v1/twins/${twins[0].id}/diff`
  const whole = (await service.call('GET', path)).body
  assert.deepEqual(whole.summary, { created: 6, updated: 1, deleted: 0 })
  assert.equal(whole.more, null)
  assert.equal((await service.call('GET', `${path}?after=bm9uZQ`)).body.code, 'invalid_cursor')

  const { store, host } = service.app.runtime
  const rows = await Promise.all(twins.map(async ({ id }) => (await store.findAny(id)) ?? assert.fail()))
  const all = await diffPage(host, rows, { limit: 10_000 })
  assert.equal(all.items.length, 14)
  for (const limit of [1, 3, 7, 14]) {
    const seen: unknown[] = []
    let after: string | undefined
    do {
      const page = await diffPage(host, rows, { limit, after })
      assert.ok(page.items.length <= limit)
      assert.deepEqual(page.summary, all.summary)
      seen.push(...page.items)
      after = page.more ?? undefined
    } while (after !== undefined)
    assert.deepEqual(seen, all.items, `pages of ${limit}`)
  }
})
