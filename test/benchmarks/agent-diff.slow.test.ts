import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createClient } from '@diorama/sdk/index.ts'
import { agentDiff, type DiffTask, readTasks, scorerCode } from '../../cli/bench/agent-diff.ts'
import type { Imported } from '../../cli/bench/pack.ts'
import { type TestService, testService } from '../../server/src/testing.ts'
import { operate } from './oracle-operations.ts'
import { oracles } from './oracles.ts'

const folder = process.env.DIORAMA_AGENT_DIFF
const skip =
  folder === undefined && 'DIORAMA_AGENT_DIFF names no folder with the train split of the benchmark'

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape.
type Any = any

describe('the train split of Agent-Diff', { skip }, () => {
  let service: TestService
  let made: Imported
  let tasks: readonly DiffTask[]
  before(async () => {
    service = await testService()
    const client = createClient({ baseUrl: service.baseUrl, apiKey: service.key, timeoutMs: 600_000 })
    made = await agentDiff.import(client, folder ?? '', { split: 'train', note: () => {} })
    tasks = await readTasks(folder ?? '', 'train')
  })
  after(() => service?.[Symbol.asyncDispose]())

  it('is imported whole: 93 tasks, with the loose and the unsolvable ones named', () => {
    assert.equal(tasks.length, 93)
    assert.deepEqual(
      made.tasks.map(({ key }) => key),
      tasks.map(({ id }) => id),
    )
    const named = (defect: string) =>
      made.tasks.flatMap(({ key, defects }) => (defects.includes(defect) ? [key] : [])).sort()
    assert.deepEqual(named('unsolvable'), ['slack_108', 'slack_113'])
    assert.deepEqual(named('loose'), ['slack_94', 'slack_97'])
    assert.deepEqual(named('partly loose'), [
      ...['linear_18', 'linear_22', 'linear_41', 'linear_44', 'linear_50', 'slack_100', 'slack_95'],
    ])
  })

  it('fails an agent that does nothing in every task', async () => {
    const passing: string[] = []
    let proved = 0
    for (let from = 0; from < made.tasks.length; from += 8) {
      const taskIds = made.tasks.slice(from, from + 8).map(({ id }) => id)
      const proof = await service.call('POST', `/v1/task-suites/${made.suiteId}/check-tasks`, { taskIds })
      assert.equal(proof.status, 200, proof.text)
      proved += proof.body.tasks.length
      passing.push(
        ...proof.body.tasks.flatMap((one: Any) => (one.do_nothing_fails === true ? [] : [one.title])),
      )
    }
    assert.deepEqual([proved, passing], [93, []])
  })

  it('has at least forty tasks that an oracle passes by operations of the services', async () => {
    const byTask = new Map(made.tasks.map(({ key, id }) => [key, id]))
    const passed: string[] = []
    const failed: string[] = []
    for (const [key, steps] of Object.entries(oracles)) {
      const task = tasks.find(({ id }) => id === key)
      if (!task) continue
      const { body } = await service.call('GET', `/v1/task-suites/${made.suiteId}/tasks/${byTask.get(key)}`)
      const score = await solve(service, task, steps, body.environment_version_id)
      if (score === 1) passed.push(key)
      else failed.push(`${key}: ${score}`)
    }
    assert.deepEqual(failed, [])
    assert.ok(passed.length >= 40, `${passed.length} passed`)
  })
})

/** Does the steps of an oracle in a fresh world, and lets the task's own scorer judge them. */
const solve = async (
  service: TestService,
  task: DiffTask,
  steps: readonly string[],
  versionId: string,
): Promise<unknown> => {
  const { body } = await service.call('POST', '/v1/builder/worlds', { datasetVersionId: versionId })
  const [twin] = body.twins as Any[]
  const seed = JSON.parse(await readFile(join(folder ?? '', `${task.template}.json`), 'utf8'))
  const send = async (path: string, headers: Record<string, string>, content: string | URLSearchParams) =>
    (await fetch(`${twin.baseUrl}${path}`, { method: 'POST', headers, body: content })).json() as Promise<Any>
  await operate(steps, {
    answer: task.answer,
    seed,
    chat: async (method, fields) => {
      const headers = { authorization: `Bearer ${twin.token}` }
      const reply = await send(`/api/${method}`, headers, new URLSearchParams(fields))
      assert.equal(reply.ok, true, `${task.id} ${method}: ${reply.error}`)
      return reply
    },
    tracker: async (query, variables) => {
      const headers = { authorization: twin.token, 'content-type': 'application/json' }
      const reply = await send('/graphql', headers, JSON.stringify({ query, variables }))
      assert.equal(reply.errors, undefined, `${task.id} ${query}`)
      return reply.data
    },
  })
  const tried = await service.call('POST', '/v1/scorers/test', {
    ...{ kind: 'code', language: 'typescript', code: scorerCode(task), world_id: body.world.id },
  })
  await service.call('POST', `/v1/builder/worlds/${body.world.id}/stop`)
  assert.equal(tried.body.error, null, tried.text)
  return tried.body.score
}
