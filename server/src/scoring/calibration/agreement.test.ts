import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { agreementOf } from './agreement.ts'
import golden from './golden/golden.json' with { type: 'json' }

const near = (value: number | undefined, wanted: number | undefined, what: string) =>
  assert.ok(
    Math.abs((value ?? Number.NaN) - (wanted ?? Number.NaN)) < 1e-9,
    `${what}: ${value}, not ${wanted}`,
  )

describe('how far a judge and people agree', () => {
  it("is what other implementations compute (golden.py): confusion, agreement, Cohen's kappa, intervals", () => {
    for (const [n, one] of golden.entries()) {
      const pairs = one.pairs.map(([person = '', judge = '']) => ({ person, judge }))
      const found = agreementOf(one.labels, pairs)
      assert.deepEqual(found.confusion, one.confusion)
      near(found.agreement ?? undefined, one.agreement, `agreement of case ${n}`)
      near(found.agreementInterval?.low, one.agreement_interval[0], `low agreement of case ${n}`)
      near(found.agreementInterval?.high, one.agreement_interval[1], `high agreement of case ${n}`)
      near(found.kappa ?? undefined, one.kappa, `kappa of case ${n}`)
      near(found.kappaInterval?.low, one.kappa_interval[0], `low kappa of case ${n}`)
      near(found.kappaInterval?.high, one.kappa_interval[1], `high kappa of case ${n}`)
    }
  })

  it('has no kappa where only one label occurs, and nothing at all without a verdict', () => {
    const same = agreementOf(['pass', 'fail'], [{ person: 'pass', judge: 'pass' }])
    assert.deepEqual([same.agreement, same.kappa, same.kappaInterval], [1, null, null])
    const none = agreementOf(['pass', 'fail'], [])
    assert.deepEqual([none.agreement, none.kappa, none.agreementInterval], [null, null, null])
  })
})
