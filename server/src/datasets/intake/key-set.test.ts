import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createKeySet } from './key-set.ts'

it('a set of keys knows a hundred thousand of them, and no others', () => {
  const keys = createKeySet()
  const key = (n: number) => `C_OLD:${1_500_000_000 + n}.000100`
  for (let n = 0; n < 100_000; n++) assert.equal(keys.add(key(n)), true)
  for (let n = 0; n < 100_000; n++) assert.equal(keys.add(key(n)), false)
  assert.equal(keys.size, 100_000)
  assert.equal(keys.has(key(99_999)), true)
  assert.equal(keys.has(key(100_000)), false)
  assert.equal(keys.has(''), false)
})
