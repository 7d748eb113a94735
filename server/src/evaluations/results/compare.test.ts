import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FrozenTask } from '@diorama/contract'
import type { JobRow, TrialSummary } from '../store.ts'
import { resultsOf } from './results.ts'
import type { RunRecord } from './run-record.ts'

const taskIds = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`)
const task = (id: string): FrozenTask => ({
  id,
  key: id,
  title: id,
  instruction: '',
  expected_outcome: '',
  environment_version_id: null,
  cutoff_event_id: null,
  events: [],
  scorers: [],
})

/** A finished evaluation in which each agent passed so many of its trials at each task. */
const runOf = (mode: string, repeats: number, passed: Record<string, number[]>): RunRecord => {
  const tasks = taskIds(Math.max(...Object.values(passed).map(({ length }) => length)))
  const trials = Object.entries(passed).flatMap(([agent, counts]) =>
    counts.flatMap((good, place) =>
      Array.from(
        { length: repeats },
        (_, n): TrialSummary => ({
          id: `${agent} ${place} ${n}`,
          agent,
          repetition: 1,
          started_at: null,
          task_id: `t${place}`,
          variant: null,
          status: 'succeeded',
          attempt: 1,
          lease_holder: null,
          error: null,
          cause: null,
          passed: n < good,
          scores: [],
          usage: null,
          duration_ms: 1,
          voided_attempts: [],
          unasked_changes: null,
          variant_detail: null,
        }),
      ),
    ),
  )
  const job = { id: `job ${mode}`, name: mode, mode, status: 'succeeded', agents: Object.keys(passed) }
  const unset = { total_trials: trials.length, stopped: null, sequential: null, variants: [] }
  return { job: { ...job, ...unset } as unknown as JobRow, trials, tasks: tasks.map(task), scoring: null }
}

describe('a comparison', () => {
  it('gives rates and flakes by agent, and none over agents that differ', () => {
    const results = resultsOf(runOf('compare', 2, { 'a@1': [0, 0], 'b@1': [2, 2] }), undefined)
    assert.deepEqual([results.pass_rate, results.agents.map(({ pass_rate }) => pass_rate)], [null, [0, 1]])
    assert.deepEqual(
      results.task_results.map(({ flaky }) => flaky),
      [false, false],
    )
    assert.equal(results.gate.verdict, 'pass')
  })

  it('says what it can and cannot know in words, with the tasks that it would need', () => {
    const [found] = resultsOf(
      runOf('compare', 1, { 'a@1': [0, 1, 1], 'b@1': [1, 1, 1] }),
      undefined,
    ).comparisons
    assert.match(found?.summary ?? '', /^b@1 passes 33\.3 points more than a@1 over 3 tasks \(95 % interval /)
    assert.match(found?.summary ?? '', /as expected if there were no difference \(p = 1\.000\)/)
    assert.ok((found?.tasks_needed.for_ten_points ?? 0) > 100)
    assert.ok((found?.minimum_detectable_difference ?? 0) > 0.5)
  })
})

describe('a regression', () => {
  const before = (passed: number[], repeats = 4) => runOf('suite', repeats, { 'a@1': passed })
  const now = (passed: number[], repeats = 4) => runOf('regression', repeats, { 'a@2': passed })

  it('that chance does not explain fails the gate, which names its baseline', () => {
    const { gate, regression } = resultsOf(now([0, 0, 0, 0, 0, 0]), before([4, 4, 4, 4, 4, 4]))
    assert.equal(gate.verdict, 'fail')
    assert.equal(regression?.agents[0]?.regressed, true)
    assert.equal(gate.reasons.at(-1), 'Held against suite (job suite).')
  })

  it('that chance may explain is inconclusive', () => {
    const { gate, regression } = resultsOf(now([3, 4, 4]), before([4, 4, 4]))
    assert.deepEqual([gate.verdict, regression?.agents[0]?.regressed], ['inconclusive', null])
  })

  it('is none where a task failed before and fails now', () => {
    const { gate, regression } = resultsOf(now([0, 4, 4]), before([0, 4, 4]))
    assert.deepEqual(
      [gate.verdict, regression?.regressed, regression?.agents[0]?.still_failing],
      ['pass', [], 1],
    )
  })

  it('cannot be determined without an earlier evaluation', () => {
    assert.equal(resultsOf(now([4]), undefined).gate.verdict, 'inconclusive')
  })
})
