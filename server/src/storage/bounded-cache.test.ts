import assert from 'node:assert/strict'
import { it } from 'node:test'
import { BoundedCache } from './bounded-cache.ts'

it('a bounded cache gives back what was used last and forgets what was longest without use', () => {
  const cache = new BoundedCache<string>({ most: 2 })
  cache.set('a', 'one')
  cache.set('b', 'two')
  assert.equal(cache.get('a'), 'one')
  cache.set('c', 'three')
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], ['one', undefined, 'three'])
})

it('a bounded cache counts by weight, and keeps nothing that alone weighs too much', () => {
  const cache = new BoundedCache<string>({ most: 10, weigh: ({ length }) => length })
  cache.set('a', '12345')
  cache.set('b', '1234')
  cache.set('a', '123456')
  assert.equal(cache.size, 2)
  cache.set('c', '12')
  assert.deepEqual([cache.get('b'), cache.get('a'), cache.get('c')], [undefined, '123456', '12'])
  cache.set('d', '12345678901')
  assert.equal(cache.get('d'), undefined)
  assert.equal(cache.get('a'), '123456')
})
