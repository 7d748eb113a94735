import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openHistory, type ReadOf } from './history.ts'

/** Three writes, of which the second was not answered. */
const written = () => {
  const history = openHistory('twin')
  for (const isAcknowledged of [true, false, true]) {
    const n = history.begin()
    if (isAcknowledged) history.acknowledged(n)
  }
  return history
}
const last = { isWhole: true, isLast: true }
const kindsOf = (numbers: readonly number[], read: ReadOf = last) => {
  const history = written()
  history.seen(history.expect(), numbers, read)
  return history.faults.map(({ kind }) => kind)
}

describe('the history of a client', () => {
  it('accepts a write without an answer whether it is there or not', () => {
    assert.deepEqual(kindsOf([1, 3]), [])
    assert.deepEqual(kindsOf([1, 2, 3]), [])
    assert.deepEqual(kindsOf([1, 3, 2]), [], 'it may arrive late')
  })

  it('finds what is lost, stale, doubled, out of order or never sent', () => {
    assert.deepEqual(kindsOf([1]), ['lost'])
    assert.deepEqual(kindsOf([1], { isWhole: true }), ['stale'])
    assert.deepEqual(kindsOf([1, 3, 3]), ['duplicated'])
    assert.deepEqual(kindsOf([3, 1]), ['reordered'])
    assert.deepEqual(kindsOf([1, 3, 4]), ['invented'])
  })

  it('finds a write that was seen and is gone again', () => {
    const history = written()
    history.seen(history.expect(), [1, 2, 3], { isWhole: true })
    history.seen(history.expect(), [1, 3], { isWhole: true })
    assert.deepEqual(
      history.faults.map(({ kind }) => kind),
      ['stale'],
    )
  })

  it('asks of a page of the newest nothing that is older than the page', () => {
    assert.deepEqual(kindsOf([3], { isWhole: false }), [])
    const history = written()
    history.acknowledged(history.begin())
    history.seen(history.expect(), [2, 4], { isWhole: false })
    assert.deepEqual(history.faults, [], 'the second arrived after the third')
  })

  it('does not ask a read for what was acknowledged after it was sent', () => {
    const history = written()
    const expected = history.expect()
    history.acknowledged(history.begin())
    history.seen(expected, [1, 3], { isWhole: true })
    assert.deepEqual(history.faults, [])
  })
})
