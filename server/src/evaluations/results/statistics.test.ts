import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { meanInterval, passAll, passAt, signFlipTest, wilson } from './statistics.ts'

const near = (actual: number | null | undefined, expected: number) =>
  assert.ok(
    actual !== null && actual !== undefined && Math.abs(actual - expected) < 1e-3,
    `${actual} is not ${expected}`,
  )

describe('the statistics of results', () => {
  it('give the Wilson interval', () => {
    near(wilson(8, 10)?.low, 0.4902)
    near(wilson(8, 10)?.high, 0.9433)
    assert.deepEqual(wilson(0, 0), null)
    assert.equal(wilson(0, 5)?.low, 0)
    assert.equal(wilson(5, 5)?.high, 1)
  })

  it('give unbiased pass@k and pass^k, and none where there are fewer trials than k', () => {
    near(passAt(1, 4, 2), 0.5)
    near(passAll(3, 4, 2), 0.5)
    assert.equal(passAt(1, 4, 5), null)
    assert.equal(passAll(4, 4, 4), 1)
  })

  it('give an exact paired test for few tasks, and a steady one for many', () => {
    near(signFlipTest([1, 1, 1, 1, 1]), 2 / 32)
    near(signFlipTest([1, -1]), 1)
    assert.equal(signFlipTest([0, 0]), 1)
    assert.equal(signFlipTest([]), null)
    const many = Array.from({ length: 40 }, () => 1)
    assert.equal(signFlipTest(many), signFlipTest(many))
    assert.ok((signFlipTest(many) ?? 1) < 0.001)
  })

  it('give the interval of a mean difference', () => {
    const interval = meanInterval([1, 0, 1, 0])
    near(interval?.low, 0.5 - 3.182 * Math.sqrt(1 / 3 / 4))
    assert.equal(meanInterval([1]), null)
  })
})
