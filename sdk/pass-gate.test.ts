import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { explainGate, passGate, type Reply } from './index.ts'

type Results = Reply<'readResults'>
type Task = Results['taskResults'][number]

const task = (passedTrials: number, erroredTrials = 0, trials = 2): Task => ({
  taskId: 'tsk_1',
  title: 'Escalate the case',
  passed: passedTrials === trials,
  failedScorers: passedTrials + erroredTrials < trials ? ['case-escalated'] : [],
  trials,
  passedTrials,
  erroredTrials,
  flaky: false,
})
const results = (taskResults: Task[], status: Results['status'] = 'succeeded') => ({
  status,
  taskResults,
  agents: [],
})

describe('the pass gate', () => {
  it('passes when the run succeeded and every task passed', () => {
    assert.equal(passGate(results([task(2), task(2)])), 'pass')
  })
  it('fails when an agent failed a trial, and names the task and its scorers', () => {
    const { verdict, reasons } = explainGate(results([task(2), task(1, 0)]))
    assert.equal(verdict, 'fail')
    assert.deepEqual(reasons, ['Escalate the case: 1 of 2 trials passed; failed case-escalated.'])
  })
  it('is inconclusive when only the platform stood in the way', () => {
    assert.equal(passGate(results([task(1, 1)])), 'inconclusive')
    assert.equal(passGate(results([task(0, 2)])), 'inconclusive')
    assert.equal(passGate(results([task(0, 1)])), 'fail')
  })
  it('is inconclusive without results, and for a run that did not end by itself', () => {
    assert.equal(passGate(results([])), 'inconclusive')
    for (const status of ['queued', 'running', 'failed', 'cancelled'] as const)
      assert.equal(passGate(results([task(2)], status)), 'inconclusive')
    assert.equal(passGate(results([task(2)]), { agent: 'nobody@1' }), 'inconclusive')
  })
})
