import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BadCursor, decodeCursor, encodeCursor, keysetPage, type Position } from './pages.ts'
import { testStorage } from './testing.ts'

test('a cursor returns to the position it was made from', () => {
  for (const at of [new Date('2026-01-02T03:04:05.678Z'), 42, -0.5, 'text with "quotes"', '']) {
    assert.deepEqual(decodeCursor(encodeCursor({ at, id: 'evt_1' })), { at, id: 'evt_1' })
  }
})

test('anything else is a bad cursor and never another error', () => {
  const spelt = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const bad = ['', '!', 'x'.repeat(2_000), spelt({}), spelt([1, 'd', 1]), spelt([2, 'n', 1, 'id'])]
  bad.push(spelt([1, 'd', 1e300, 'id']), spelt([1, 'd', null, 'id']), spelt([1, 's', 'a\0b', 'id']))
  bad.push(spelt([1, 's', '\ud800', 'id']), spelt([1, 'n', 1, 7]), spelt([1, 'n', 1, 'i'.repeat(300)]))
  for (const cursor of bad) assert.throws(() => decodeCursor(cursor), BadCursor, cursor)
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json().map((json) => Buffer.from(json).toString('base64url')),
      ),
      (cursor) => {
        try {
          decodeCursor(cursor)
        } catch (error) {
          assert.ok(error instanceof BadCursor)
        }
      },
    ),
  )
})

test('pages list every row once, newest first, while others are inserted', async () => {
  await using test = await testStorage()
  const { db } = test.storage
  const row = (index: number) => ({
    id: `org_${String(index).padStart(3, '0')}`,
    name: 'Row',
    limits: '{}',
    // Three rows share each time, so that only the id tells them apart.
    created_at: new Date(1_780_000_000_000 + Math.floor(index / 3)),
  })
  await db
    .insertInto('organizations')
    .values(Array.from({ length: 50 }, (_, index) => row(index)))
    .execute()

  const seen: string[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < 10; pages++) {
    const page = await keysetPage(db.selectFrom('organizations').select(['id', 'created_at']), {
      column: 'created_at',
      limit: 7,
      cursor,
      position: ({ created_at, id }): Position => ({ at: created_at, id }),
    })
    seen.push(...page.items.map((item) => item.id))
    if (page.nextCursor === null) break
    cursor = page.nextCursor
    await db
      .insertInto('organizations')
      .values(row(100 + pages))
      .execute()
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 50 }, (_, index) => row(49 - index).id),
  )
})
