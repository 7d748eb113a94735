import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { explainGate, passGate, type Verdict } from './index.ts'

const gate = (verdict: Verdict) => ({ verdict, reasons: [`because ${verdict}`] })
const results = {
  gate: gate('inconclusive'),
  agents: [
    { agent: 'a@1', gate: gate('pass') },
    { agent: 'b@1', gate: gate('fail') },
    { agent: 'b@2', gate: gate('pass') },
  ],
}

describe('the pass gate', () => {
  it('is what the service says of all agents together, or of one of them', () => {
    assert.deepEqual(explainGate(results), gate('inconclusive'))
    assert.deepEqual(explainGate(results, { agent: 'b@1' }), gate('fail'))
  })
  it('takes an agent by its name where that names one version', () => {
    assert.deepEqual(
      [passGate(results, { agent: 'a' }), passGate(results, { agent: 'a@current' })],
      ['pass', 'pass'],
    )
    assert.equal(passGate(results, { agent: 'b@current' }), 'inconclusive')
  })
  it('is inconclusive for an agent that the evaluation does not have', () => {
    assert.deepEqual(explainGate(results, { agent: 'c@1' }), {
      verdict: 'inconclusive',
      reasons: ['c@1 is not an agent of this evaluation.'],
    })
  })
})
