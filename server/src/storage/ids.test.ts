import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { makeIds } from './ids.ts'

test('ids carry their prefix and sort by time of issue, also within a millisecond and when the clock steps back', () => {
  let ms = 1_780_000_000_000
  const makeId = makeIds({ now: () => ms, random: randomBytes })
  const ids: string[] = []
  for (let round = 0; round < 2_000; round++) {
    ids.push(makeId('wld'))
    if (round % 100 === 99) ms += round % 200 === 99 ? 1 : -5
  }
  assert.deepEqual(ids, [...ids].sort())
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^wld_[0-9a-hjkmnp-tv-z]{26}$/)
})

test('ids of different processes do not meet', () => {
  const one = makeIds({ now: () => 1, random: randomBytes })
  const other = makeIds({ now: () => 1, random: randomBytes })
  const ids = Array.from({ length: 1_000 }, () => [one('a'), other('a')]).flat()
  assert.equal(new Set(ids).size, 2_000)
})

test('the counter carries from digit to digit without losing the order', () => {
  const makeId = makeIds({ now: () => 5, random: (bytes) => new Uint8Array(bytes).fill(255) })
  const [first, second] = [makeId('x'), makeId('x')]
  assert.equal(first, 'x_0000000005fzzzzzzzzzzzzzzz')
  assert.equal(second, 'x_0000000005g0000000zzzzzzzz')
})
