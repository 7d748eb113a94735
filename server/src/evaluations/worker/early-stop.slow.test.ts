import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testService } from '../../testing.ts'
import { createSuite, pythonScorer, registerCommand, runToEnd } from '../testing-runs.ts'

const isYes = pythonScorer('Same', 'return output.strip() == expected')

describe('a sequential evaluation', () => {
  it('stops when the answer is known, and says it with its error rate', async () => {
    await using service = await testService()
    const suiteId = await createSuite(service, { scorers: [isYes], tasks: 40 })
    const no = await registerCommand(service, 'no', { command: 'printf no > $WORK_DIR/output.txt' })
    const { job, results } = await runToEnd(service, {
      task_suite_id: suiteId,
      agents: [no],
      concurrency: 4,
      sequential: { target_pass_rate: 0.8, error_rate: 0.05 },
    })
    assert.equal(job.status, 'succeeded')
    assert.equal(results.stopped.answer, 'below')
    assert.ok(results.trials.cancelled > 0 && results.trials.finished < 40, JSON.stringify(results.trials))
    assert.deepEqual([results.gate.verdict, results.gate.reasons], ['fail', [results.stopped.reason]])
    assert.match(
      results.stopped.reason,
      /^The pass rate of no@1 is below 80 %, known after \d+ tasks at an error rate of 0.05\.$/,
    )
  })

  it('that uses all its trials without an answer is inconclusive, and one that asks nothing is refused', async () => {
    await using service = await testService()
    const suiteId = await createSuite(service, { scorers: [isYes], tasks: 2 })
    const yes = await registerCommand(service, 'yes', { command: 'printf yes > $WORK_DIR/output.txt' })
    const body = { task_suite_id: suiteId, agents: [yes] }
    const { results } = await runToEnd(service, { ...body, sequential: { target_pass_rate: 0.9 } })
    assert.deepEqual([results.stopped.answer, results.gate.verdict], [null, 'inconclusive'])
    const refused = await service.call('POST', '/v1/backtests/jobs', { ...body, sequential: {} })
    assert.deepEqual([refused.status, refused.body.details[0].pointer], [400, '/sequential'])
  })
})
