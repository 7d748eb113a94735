import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AgentResult, TaskResult, Unscored } from '@diorama/contract'
import { agentGate, combinedGate, sequentialGate } from './gate.ts'

const nobody: Unscored = { scorer: 0, model_provider: 0, platform: 0 }
const task = (passed_trials: number, errored_trials = 0, cause: keyof Unscored = 'platform'): TaskResult => ({
  task_id: 'tsk_1',
  title: 'Escalate the case',
  passed: passed_trials === 2,
  failed_scorers: passed_trials + errored_trials < 2 ? ['case-escalated'] : [],
  trials: 2,
  passed_trials,
  errored_trials,
  unscored: { ...nobody, [cause]: errored_trials },
  unasked_trials: 0,
  crashed_trials: 0,
  crash: null,
  flaky: false,
})
const agent = (tasks: TaskResult[], voided_attempts = 0): Omit<AgentResult, 'gate'> => {
  const trials = 2 * tasks.length
  const attempts = trials + voided_attempts
  return {
    agent: 'a@1',
    trials,
    scored_trials: trials,
    passed_trials: trials,
    errored_trials: 0,
    unscored: nobody,
    attempts,
    voided_attempts,
    void_rate: voided_attempts / attempts,
    pass_rate: 1,
    interval: null,
    effective_trials: null,
    pass_at: {},
    pass_all: {},
    weighted_score: 1,
    mean_duration_ms: 1,
    usage: null,
    cost_per_pass_usd: null,
    tasks,
  }
}

describe('the gate of an agent', () => {
  it('passes when the evaluation succeeded and every task passed', () => {
    assert.equal(agentGate('succeeded', agent([task(2), task(2)])).verdict, 'pass')
  })
  it('fails when the agent failed a trial, and names the task and its scorers', () => {
    assert.deepEqual(agentGate('succeeded', agent([task(2), task(1)])), {
      verdict: 'fail',
      reasons: ['Escalate the case: 1 of 2 trials passed; failed case-escalated.'],
    })
    assert.equal(agentGate('succeeded', agent([task(0, 1)])).verdict, 'fail')
  })
  for (const [cause, words] of [
    ['scorer', 'a scorer'],
    ['model_provider', 'a model provider'],
    ['platform', 'the platform'],
  ] as const)
    it(`is inconclusive when only ${words} failed, and says so`, () => {
      assert.deepEqual(agentGate('succeeded', agent([task(2), task(1, 1, cause)])), {
        verdict: 'inconclusive',
        reasons: [`Escalate the case: ${words} failed in 1 of 2 trials, so they have no verdict.`],
      })
    })
  it('is inconclusive when many of its attempts were voided, however well the others went', () => {
    assert.equal(agentGate('succeeded', agent([task(2)], 3)).verdict, 'inconclusive')
    assert.equal(agentGate('succeeded', agent([task(2)], 2)).verdict, 'pass')
    const many = Array.from({ length: 40 }, () => task(2))
    assert.equal(agentGate('succeeded', agent(many, 3)).verdict, 'pass')
  })
  it('is inconclusive without results, and for an evaluation that did not run to its end', () => {
    assert.equal(agentGate('succeeded', agent([])).verdict, 'inconclusive')
    for (const status of ['queued', 'running', 'failed', 'cancelled'] as const)
      assert.equal(agentGate(status, agent([task(2)])).verdict, 'inconclusive')
  })
})

it('several agents pass together when each does; the worst verdict counts and names its agents', () => {
  const gated = (name: string, verdict: 'pass' | 'fail' | 'inconclusive') => ({
    agent: name,
    gate: { verdict, reasons: [`it was ${verdict}`] },
  })
  assert.equal(combinedGate([gated('a@1', 'pass'), gated('b@1', 'pass')]).verdict, 'pass')
  assert.deepEqual(combinedGate([gated('a@1', 'pass'), gated('b@1', 'fail'), gated('c@1', 'inconclusive')]), {
    verdict: 'fail',
    reasons: ['b@1: it was fail'],
  })
})

it('names the candidate and the baseline of a comparison, and the crash of an agent', () => {
  const crashed = { ...task(0), crashed_trials: 2, crash: 'Error: no such channel' }
  const gate = agentGate('succeeded', agent([crashed]))
  assert.deepEqual(combinedGate([{ agent: 'new@2', gate }], 'old@1'), {
    verdict: 'fail',
    reasons: [
      'new@2: Escalate the case: 0 of 2 trials passed; the agent ended early in 2: Error: no such channel; failed case-escalated.',
      'old@1 is the baseline and is not held to the gate.',
    ],
  })
})

describe('the gate of a sequential evaluation', () => {
  const stopped = (answer: 'above' | 'below') => ({
    ...{ answer, reason: `It is ${answer}.`, tasks: 10, error_rate: 0.05, evidence: { above: 50, below: 0 } },
    at: '2026-03-02T09:00:00.000Z',
  })
  const many = Array.from({ length: 10 }, () => task(2))
  const withoutVerdict = (errored_trials: number) => ({ ...agent(many), errored_trials })

  it('passes for what was found above its limit, and fails for what was found below', () => {
    assert.equal(sequentialGate(stopped('above'), [withoutVerdict(2)]).verdict, 'pass')
    assert.equal(sequentialGate(stopped('below'), [withoutVerdict(20)]).verdict, 'fail')
    assert.equal(sequentialGate(null, [agent(many)]).verdict, 'inconclusive')
  })
  it('says nothing of an agent that left too many of its trials without a verdict', () => {
    const { verdict, reasons } = sequentialGate(stopped('above'), [withoutVerdict(3)])
    assert.equal(verdict, 'inconclusive')
    assert.match(reasons.join(' '), /3 of 20 trials have no verdict; above 10 %/)
    assert.equal(sequentialGate(stopped('above'), [agent(many, 4)]).verdict, 'inconclusive')
    // Of two agents, the one that was found better is meant.
    assert.equal(sequentialGate(stopped('above'), [withoutVerdict(9), agent(many)]).verdict, 'pass')
    assert.equal(sequentialGate(stopped('above'), [agent(many), withoutVerdict(9)]).verdict, 'inconclusive')
  })
})
