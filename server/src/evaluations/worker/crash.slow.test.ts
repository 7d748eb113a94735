import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { eventually } from '../../../../test/eventually.ts'
import { killProcess, startProcess } from '../../testing-process.ts'
import { sampleCompany } from '../../worlds/sample.ts'

const kills = 20
const repetitions = 10

it(`ends with every trial whole, none lost and none doubled, when the service is killed ${kills} times during an evaluation`, async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'diorama-crash-'))
  const key = `dk_${randomBytes(24).toString('hex')}`
  let running = await startProcess(dataDir, key, { DIORAMA_WORKER_SLOTS: '4' })
  const api = async (method: string, path: string, body?: unknown) => {
    const reply = await fetch(`${running.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return JSON.parse(await reply.text())
  }
  try {
    const world = await api('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
    const agent = readFileSync(
      new URL('../../../../examples/agents/careful/agent.mjs', import.meta.url),
      'utf8',
    )
    await api('POST', '/v1/agents/register', {
      name: 'careful',
      version: '1',
      files: { 'agent.mjs': agent },
      run: { command: ['node', 'agent.mjs'] },
    })
    const job = await api('POST', '/v1/backtests/jobs', {
      task_suite_id: world.evaluation.taskSuiteId,
      agents: ['careful@1'],
      trials_per_task: repetitions,
      concurrency: 4,
    })
    assert.equal(job.total_trials, 40)
    let killed = 0
    let completed = 0
    for (; killed < kills; killed++) {
      // Each life of the service ends at least one trial, however slow the machine is; then it is killed at random.
      completed = await eventually(async () => {
        const { completed_trials, finished_at } = await api('GET', `/v1/backtests/jobs/${job.id}`)
        return (finished_at !== null || completed_trials > completed) && Number(completed_trials)
      }, 'no trial was completed')
      await new Promise((resolve) => setTimeout(resolve, randomInt(0, 500)))
      if ((await api('GET', `/v1/backtests/jobs/${job.id}`)).finished_at !== null) break
      await killProcess(running)
      running = await startProcess(dataDir, key, { DIORAMA_WORKER_SLOTS: '4' })
    }
    context.diagnostic(`killed ${killed} times before the evaluation ended`)
    const finished = async () => {
      const seen = await api('GET', `/v1/backtests/jobs/${job.id}`)
      return seen.finished_at !== null && seen
    }
    const state = await eventually(finished, 'the evaluation did not finish', 15_000)
    assert.deepEqual([state.status, state.completed_trials], ['succeeded', 40])
    const { items } = await api('GET', `/v1/backtests/jobs/${job.id}/trials?limit=200`)
    assert.equal(items.length, 40)
    for (const trial of items) {
      assert.deepEqual([trial.status, trial.passed], ['succeeded', true], JSON.stringify(trial))
      assert.ok(
        trial.scores.every(({ score }: { score: number | null }) => score === 1),
        JSON.stringify(trial),
      )
    }
    const stream = await fetch(`${running.baseUrl}/v1/backtests/jobs/${job.id}/stream`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const events = (await stream.text()).split('\n')
    assert.equal(events.filter((line) => line === 'event: run_finished').length, 1)
    assert.equal(events.filter((line) => line === 'event: trial_finished').length, 40)
    for (const { id } of items)
      for (const path of [`/v1/traces/${id}`, `/v1/agents/runs/${id}`]) {
        const trace = await eventually(async () => {
          const found = await api('GET', path)
          return found.code !== 'not_found' && found
        }, `${path} was not found`)
        assert.equal(trace.trace_id, id, JSON.stringify(trace))
      }
  } finally {
    await killProcess(running)
    rmSync(dataDir, { recursive: true, force: true })
  }
})
