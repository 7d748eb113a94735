import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testService } from '../../testing.ts'
import { createSuite, pythonScorer, registerCommand } from '../testing-runs.ts'

it('the matrix names the tasks that an evaluation tries, and on request has only the trials of the first ones', async () => {
  await using service = await testService({ roles: ['api', 'twins'] })
  const suiteId = await createSuite(service, { scorers: [pythonScorer('any', 'return 1')], tasks: 3 })
  const agents = [
    await registerCommand(service, 'one', { command: 'true' }),
    await registerCommand(service, 'two', { command: 'true' }),
  ]
  const { body: job } = await service.call('POST', '/v1/backtests/jobs', { task_suite_id: suiteId, agents })
  const read = async (query = '') =>
    (await service.call('GET', `/v1/backtests/jobs/${job.id}/matrix${query}`)).body
  // Twice: the titles of the tasks are memoised by the first request.
  for (const _ of [1, 2]) {
    const first = await read('?first_tasks=2')
    assert.deepEqual(
      first.tasks.map(({ title }: { title: string }) => title),
      ['Task 0', 'Task 1', 'Task 2'],
    )
    assert.deepEqual(
      first.trials.map(({ task, agent }: { task: number; agent: number }) => [task, agent]).toSorted(),
      [
        [0, 0],
        [0, 1],
        [1, 0],
        [1, 1],
      ],
    )
  }
  assert.equal((await read()).trials.length, 6)
})
