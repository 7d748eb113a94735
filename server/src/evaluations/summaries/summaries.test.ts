import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testService } from '../../testing.ts'
import { createSuite, pythonScorer, registerCommand, runToEnd } from '../testing-runs.ts'

const isYes = pythonScorer('Same', 'return output.strip() == expected')

describe('the list of evaluations', () => {
  it('leads with verdict, rates, suite and history, and is filtered by them', async () => {
    await using service = await testService()
    const suiteId = await createSuite(service, { scorers: [isYes], tasks: 2 })
    const yes = await registerCommand(service, 'yes', { command: 'printf yes > $WORK_DIR/output.txt' })
    const no = await registerCommand(service, 'no', { command: 'printf no > $WORK_DIR/output.txt' })
    const bad = await runToEnd(service, { task_suite_id: suiteId, agents: [no] })
    const good = await runToEnd(service, { task_suite_id: suiteId, agents: [yes] })
    const both = await runToEnd(service, { task_suite_id: suiteId, agents: [no, yes] })

    const list = async (query = '') =>
      (await service.call('GET', `/v1/backtests/jobs${query}`)).body.items as Listed[]
    const all = await list()
    assert.deepEqual(
      all.map(({ id, verdict, task_suite_name, history }) => [id, verdict, task_suite_name, history]),
      [
        [both.job.id, 'fail', 'Suite', [0, 1, 0.5]],
        [good.job.id, 'pass', 'Suite', [0, 1]],
        [bad.job.id, 'fail', 'Suite', [0]],
      ],
    )
    assert.deepEqual(
      all[0]?.results.map(({ agent, pass_rate, verdict }) => [agent, pass_rate, verdict]),
      [
        [no, 0, 'fail'],
        [yes, 1, 'pass'],
      ],
    )
    const ids = async (query: string) => (await list(query)).map(({ id }) => id)
    assert.deepEqual(await ids('?verdict=pass'), [good.job.id])
    assert.deepEqual(await ids('?agent=no'), [both.job.id, bad.job.id])
    assert.deepEqual(await ids(`?agent=${yes}&verdict=fail`), [both.job.id])
    assert.deepEqual(await ids('?since=last_1h'), [both.job.id, good.job.id, bad.job.id])
    assert.deepEqual(await ids('?since=2099-01-01T00:00:00Z'), [])
    assert.equal((await service.call('GET', '/v1/backtests/jobs?since=soon')).status, 400)

    const results = async (query: string) =>
      (await service.call('GET', `/v1/backtests/agent-results${query}`)).body.items as Listed[]
    assert.deepEqual(
      (await results('?agent=no')).map(({ job_id, pass_rate }) => [job_id, pass_rate]),
      [
        [both.job.id, 0],
        [bad.job.id, 0],
      ],
    )
    assert.equal((await results('?latest=true')).length, 2)
    const first = await service.call('GET', '/v1/backtests/agent-results?limit=3')
    const rest = await results(`?limit=3&cursor=${first.body.next_cursor}`)
    assert.deepEqual([first.body.items.length, rest.length], [3, 1])

    // An evaluation whose worker died before it was summarised is summarised by the next list.
    await service.storage.db.updateTable('eval_jobs').set({ verdict: null }).execute()
    await service.storage.db.deleteFrom('run_agent_results').execute()
    assert.deepEqual(await ids('?verdict=pass'), [good.job.id])
    assert.deepEqual(await list(), all)
  })
})

interface Listed {
  readonly id: string
  readonly job_id: string
  readonly verdict: string
  readonly task_suite_name: string
  readonly history: number[]
  readonly pass_rate: number
  readonly results: { agent: string; pass_rate: number; verdict: string }[]
}
