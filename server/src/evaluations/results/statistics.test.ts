import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  differenceInterval,
  differencesOf,
  fisherDrop,
  holm,
  inWords,
  minimumDetectable,
  signFlipTest,
  tasksNeeded,
} from './differences.ts'
import { sequentialTest } from './sequential.ts'
import { clusteredRate, passAll, passAt } from './statistics.ts'

type Counts = [passed: number, total: number]
interface Golden {
  clustered: { clusters: Counts[]; rate: number; effective: number; interval: [number, number] }[]
  paired: {
    pairs: [Counts, Counts][]
    interval: [number, number]
    sign_flip: [number, number]
    power: [number, number]
  }[]
  fisher: { before: Counts; after: Counts; p: number }[]
  sequential: {
    values: number[]
    limit: number
    alpha: number
    answer: string | null
    above: number
    below: number
    n: number
  }[]
}
const script = new URL('./golden/golden.py', import.meta.url)
/** Made by golden.py, which computes everything again from the definitions. */
const golden: Golden = JSON.parse(readFileSync(new URL('./golden/golden.json', import.meta.url), 'utf8'))

const near = (actual: number | null | undefined, expected: number, what = '') =>
  assert.ok(
    typeof actual === 'number' && Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
    `${what} ${actual} is not ${expected}`,
  )
const cluster = ([passed, total]: Counts) => ({ passed, total })
const pairsOf = (pairs: [Counts, Counts][]) =>
  pairs.map(([baseline, agent]) => ({ baseline: cluster(baseline), agent: cluster(agent) }))

it('the golden values are what the script computes now', () => {
  const printed = execFileSync('python3', [fileURLToPath(script)], { encoding: 'utf8' })
  assert.deepEqual(JSON.parse(printed), golden)
})

describe('the statistics of results agree with an independent implementation', () => {
  it('for pass rates clustered by task', () => {
    for (const one of golden.clustered) {
      const found = clusteredRate(one.clusters.map(cluster))
      near(found?.rate, one.rate)
      near(found?.effectiveTrials, one.effective)
      near(found?.interval.low, one.interval[0])
      near(found?.interval.high, one.interval[1])
    }
  })

  it('for paired differences, their tests and their power', () => {
    for (const one of golden.paired) {
      const pairs = pairsOf(one.pairs)
      const interval = differenceInterval(pairs)
      near(interval?.low, one.interval[0])
      near(interval?.high, one.interval[1])
      const differences = differencesOf(pairs)
      near(signFlipTest(differences), one.sign_flip[0])
      near(signFlipTest(differences, 'drop'), one.sign_flip[1])
      near(minimumDetectable(differences), one.power[0])
      near(tasksNeeded(differences, 0.1), one.power[1])
    }
  })

  it('for the exact test of one task', () => {
    for (const { before, after, p } of golden.fisher) near(fisherDrop(cluster(before), cluster(after)), p)
  })

  it('for sequential tests', () => {
    for (const { values, limit, alpha, ...expected } of golden.sequential) {
      const found = sequentialTest(values, { limit, errorRate: alpha })
      assert.deepEqual([found.answer, found.observations], [expected.answer, expected.n])
      near(found.evidence.above, expected.above)
      near(found.evidence.below, expected.below)
    }
  })
})

describe('an interval', () => {
  it('counts tasks and not repeats: ten tasks that always pass leave room for what an eleventh does', () => {
    const ten = clusteredRate(Array.from({ length: 10 }, () => ({ passed: 10, total: 10 })))
    assert.ok((ten?.interval.low ?? 1) < 0.75, JSON.stringify(ten))
  })

  it('of a difference never leaves -100 to 100 points', () => {
    for (const one of golden.paired) {
      const interval = differenceInterval(pairsOf(one.pairs))
      assert.ok(interval && interval.low >= -1 && interval.high <= 1 && interval.low <= interval.high)
    }
  })
})

it('a sequential test keeps its error rate however often one looks', () => {
  let state = 12345
  const random = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return state / 2 ** 32
  }
  let wrong = 0
  const runs = 400
  for (let n = 0; n < runs; n++) {
    const values = Array.from({ length: 80 }, () => (random() < 0.7 ? 1 : 0))
    if (sequentialTest(values, { limit: 0.7, errorRate: 0.1 }).answer !== null) wrong++
  }
  assert.ok(wrong / runs <= 0.1, `${wrong} of ${runs}`)
})

it('unbiased pass@k and pass^k are given, and none where there are fewer trials than k', () => {
  near(passAt(1, 4, 2), 0.5)
  near(passAll(3, 4, 2), 0.5)
  assert.equal(passAt(1, 4, 5), null)
  assert.equal(passAll(4, 4, 4), 1)
})

it('the test of many tasks gives the same number each time, and none for no tasks', () => {
  const many = Array.from({ length: 40 }, () => 1)
  assert.equal(signFlipTest(many), signFlipTest(many))
  assert.ok((signFlipTest(many) ?? 1) < 0.001)
  assert.equal(signFlipTest([]), null)
})

it('tests of many tasks together are corrected for their number, and p-values are said in words', () => {
  assert.deepEqual(holm([0.04, 0.01]), [0.04, 0.02])
  assert.equal(inWords(0.031), 'about 3 times in 100 runs if there were no difference')
})
