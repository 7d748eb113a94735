import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { type TestService, testService } from '../testing.ts'
import { sampleCompany } from '../worlds/sample.ts'

const source = (name: string) =>
  readFileSync(new URL(`../../../examples/agents/${name}/agent.mjs`, import.meta.url), 'utf8')

const register = async (service: TestService, name: string, code: string, more: object = {}) => {
  const made = await service.call('POST', '/v1/agents/register', {
    name,
    version: '1.0.0',
    files: { 'agent.mjs': code },
    run: { command: ['node', 'agent.mjs'], timeout_seconds: 60 },
    ...more,
  })
  assert.ok(made.status === 201 || made.status === 200, made.text)
  return `${name}@1.0.0`
}

const launch = async (service: TestService) => {
  const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
  assert.equal(body.evaluation.status, 'ready', JSON.stringify(body.evaluation))
  return { world: body, suiteId: body.evaluation.taskSuiteId as string }
}

const finished = async (service: TestService, jobId: string) => {
  for (let n = 0; n < 1_200; n++) {
    const { body } = await service.call('GET', `/v1/backtests/jobs/${jobId}`)
    if (body.finished_at !== null) return body
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the run did not end in time')
}

describe('an evaluation', () => {
  it('lets an agent that names only the real services pass, and a careless one fail, each in a fresh company', async () => {
    await using service = await testService()
    const { suiteId, world } = await launch(service)
    const careful = await register(service, 'careful', source('careful'))
    const careless = await register(service, 'careless', source('careless'))
    const started = await service.call('POST', '/v1/backtests/jobs', {
      task_suite_id: suiteId,
      agents: [careless, careful],
      mode: 'compare',
      concurrency: 4,
    })
    assert.equal(started.status, 201, started.text)
    assert.equal(started.body.total_trials, 8)
    const job = await finished(service, started.body.id)
    const trials = (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials`)).body.items
    assert.equal(job.status, 'succeeded')
    const why = JSON.stringify(
      trials.map((trial: { agent: string; task_title: string; error: string; scores: unknown }) => [
        trial.agent,
        trial.task_title,
        trial.error,
        trial.scores,
      ]),
      null,
      1,
    )
    const { body: results } = await service.call('GET', `/v1/backtests/jobs/${job.id}/results`)
    const [a, b] = results.agents
    assert.deepEqual([b.agent, b.passed_trials, b.trials], [careful, 4, 4], why)
    assert.deepEqual([a.agent, a.passed_trials, a.trials], [careless, 1, 4], why)
    assert.deepEqual(
      [results.comparisons[0].wins, results.comparisons[0].losses, results.comparisons[0].ties],
      [3, 0, 1],
    )
    const trial = trials.find(
      (one: { agent: string; task_title: string }) =>
        one.agent === careful && one.task_title.startsWith('Escalate'),
    )
    const { body: detail } = await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${trial.id}`)
    assert.deepEqual(
      [...new Set(detail.steps.map(({ kind }: { kind: string }) => kind))],
      ['setup', 'agent', 'tool_call', 'scoring'],
    )
    assert.match(detail.output, /Escalated case/)
    const call = detail.steps.find(({ name }: { name: string }) => name === 'chat.postMessage')
    const seen = await service.call(
      'GET',
      `/v1/twins/${call.detail.twin_id}/activity/${call.detail.request_id}`,
    )
    assert.equal(seen.body.mutations[0].collection, 'message')
    const artifact = await service.call(
      'GET',
      `/v1/backtests/jobs/${job.id}/trials/${trial.id}/artifacts/output.txt`,
    )
    assert.match(artifact.text, /Escalated case/)
    const untouched = await service.call('GET', `/v1/builder/worlds/${world.world.id}/diff`)
    assert.deepEqual(untouched.body.items, [])
    const runs = await service.call('GET', `/v1/task-suites/${suiteId}/eval-runs`)
    assert.equal(runs.body.job_id, job.id)
    assert.equal(runs.body.task_results.length, 4)
    const junit = await service.call('GET', `/v1/backtests/jobs/${job.id}/results.junit.xml`)
    assert.match(junit.text, /<testsuite name="careful@1.0.0" tests="4" failures="0"/)
    const trace = await service.call('GET', `/v1/traces/${detail.trace_id}`)
    assert.equal(trace.status, 200, trace.text)
    assert.deepEqual(
      service.logged.filter(({ level }) => level === 'error'),
      [],
    )
  })
})
