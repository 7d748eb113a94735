import assert from 'node:assert/strict'
import { it } from 'node:test'
import { slopeOf } from '../../bench/soak/slope.ts'

const samples = (value: (at: number) => number) =>
  Array.from({ length: 40 }, (_, at) => ({ at, value: value(at) }))

it('the slope of samples is flat where they only scatter, and is not where they also rise', () => {
  const scatter = (at: number) => [0, 3, -2, 1, -3, 2][at % 6] ?? 0
  assert.equal(slopeOf(samples((at) => 100 + scatter(at))).isFlat, true)
  const rising = slopeOf(samples((at) => 100 + at + scatter(at)))
  assert.equal(rising.isFlat, false)
  assert.ok(Math.abs(rising.perUnit - 1) < 0.1, String(rising.perUnit))
})
