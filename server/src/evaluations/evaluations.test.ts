import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { joinService, type TestService, testService } from '../testing.ts'
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

const finished = (service: TestService, jobId: string) =>
  eventually(async () => {
    const { body } = await service.call('GET', `/v1/backtests/jobs/${jobId}`)
    return body.finished_at !== null && body
  }, 'the evaluation did not end in time')

/** A trial's trace and run follow its end within a moment. */
const recorded = (service: TestService, path: string) =>
  eventually(async () => {
    const reply = await service.call('GET', path)
    return reply.status !== 404 && reply
  }, `${path} was never recorded`)

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
    const trace = await recorded(service, `/v1/traces/${detail.trace_id}`)
    assert.equal(trace.body.agent_name, 'careful')
    const run = await recorded(service, `/v1/agents/runs/${trial.id}`)
    assert.deepEqual([run.body.origin, run.body.trace_id], ['evaluation', detail.trace_id])
    assert.deepEqual(
      service.logged.filter(({ level }) => level === 'error'),
      [],
    )
  })
})

/** A suite without a world: tasks are graded by the answer alone. */
const plainSuite = async (service: TestService, tasks: number) => {
  const suite = (await service.call('POST', '/v1/task-suites', { name: 'Plain' })).body
  const code =
    'def handler(input, output, expected, metadata):\n    return {"score": 1 if output.strip() == expected else 0}\n'
  const scorer = (
    await service.call('POST', '/v1/scorers', {
      name: 'Same',
      kind: 'code',
      language: 'python',
      code,
      passThreshold: 1,
    })
  ).body
  const made = await Promise.all(
    Array.from({ length: tasks }, (_, n) =>
      service.call('POST', `/v1/task-suites/${suite.id}/tasks`, {
        title: `Task ${n}`,
        instruction: 'Say yes',
        expected_outcome: 'yes',
        scorers: [{ scorer_id: scorer.id }],
      }),
    ),
  )
  return {
    suiteId: suite.id as string,
    scorerId: scorer.id as string,
    taskIds: made.map(({ body }) => body.id as string),
  }
}
const command = async (service: TestService, name: string, line: string, more: object = {}) => {
  const made = await service.call('POST', '/v1/agents/register', {
    name,
    version: '1',
    run: { command: line, timeout_seconds: 20, network: 'none' },
    ...more,
  })
  assert.ok(made.status < 300, made.text)
  return `${name}@1`
}

describe('starting an evaluation', () => {
  it('is refused with the status and the pointer that say why', async () => {
    await using service = await testService()
    const { suiteId } = await plainSuite(service, 2)
    const yes = await command(service, 'yes', 'printf yes > $WORK_DIR/output.txt')
    await command(service, 'old', 'true', { status: 'deprecated' })
    await service.call('POST', '/v1/agents/register', {
      name: 'talker',
      version: '1',
      model: { provider: 'openai', id: 'x' },
    })
    const start = (body: object, key?: string) =>
      service.call(
        'POST',
        '/v1/backtests/jobs',
        { task_suite_id: suiteId, agents: [yes], ...body },
        key ? { key } : {},
      )
    const cases: [object, number, string][] = [
      [{ agents: ['nobody@1'] }, 400, '/agents/0'],
      [{ agents: ['old@1'] }, 400, '/agents/0'],
      [{ agents: ['talker@1'] }, 400, '/agents/0'],
      [{ tasks: ['tsk_x'] }, 400, '/tasks/0'],
      [{ scorers: ['scr_x'] }, 400, '/scorers/0'],
      [{ environment_version_id: 'envv_x' }, 400, '/environment_version_id'],
      [{ mode: 'replay' }, 400, '/tasks'],
    ]
    for (const [body, status, pointer] of cases) {
      const reply = await start(body)
      assert.deepEqual([reply.status, reply.body.details?.[0]?.pointer], [status, pointer], reply.text)
    }
    assert.equal((await start({ concurrency: 33 })).status, 429)
    assert.equal((await start({ agents: Array.from({ length: 9 }, (_, n) => `a${n}@1`) })).status, 429)
    const small = await service.call('POST', '/v1/organizations', { name: 'S', limits: { sandbox: false } })
    const denied = await start({}, small.body.key.secret)
    assert.deepEqual([denied.status, denied.body.code], [403, 'sandbox_denied'])
    const me = await service.call('GET', '/v1/me')
    await service.call('PATCH', `/v1/organizations/${me.body.organization.id}`, {
      limits: { trials_per_run: 3 },
    })
    assert.equal((await start({ trials_per_task: 2 })).status, 429)
  })

  it('makes one evaluation for one idempotency key', async () => {
    await using service = await testService()
    const { suiteId } = await plainSuite(service, 1)
    const yes = await command(service, 'yes', 'printf yes > $WORK_DIR/output.txt')
    const body = { task_suite_id: suiteId, agents: [yes], idempotency_key: 'once' }
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => service.call('POST', '/v1/backtests/jobs', body)),
    )
    assert.equal(new Set(replies.map((reply) => reply.body.id)).size, 1)
    assert.deepEqual(replies.map(({ status }) => status).sort(), [...Array(7).fill(200), 201])
    assert.equal((await service.call('POST', '/v1/backtests/jobs', { ...body, concurrency: 2 })).status, 409)
    await finished(service, replies[0]?.body.id)
  })

  it('answers 503 with the reason where no sandbox works', async () => {
    await using service = await testService({ sandbox: 'bubblewrap', searchPath: '/nonexistent' })
    const { suiteId } = await plainSuite(service, 1)
    const yes = await command(service, 'yes', 'true')
    const reply = await service.call('POST', '/v1/backtests/jobs', { task_suite_id: suiteId, agents: [yes] })
    assert.deepEqual([reply.status, reply.body.code], [503, 'sandbox_unavailable'])
    assert.match(reply.body.error, /DIORAMA_SANDBOX=process/)
  })
})

describe('an evaluation', () => {
  it('repeats trials, marks what is flaky, tells agent failures apart, and streams its progress once', async () => {
    await using service = await testService()
    const { suiteId } = await plainSuite(service, 1)
    const flaky = await command(
      service,
      'flaky',
      'case $SVC_TRIAL_ID in *[02468acegjmprtwy]) printf yes;; *) printf no;; esac > $WORK_DIR/output.txt',
    )
    const crash = await command(service, 'crash', 'echo broken >&2; exit 3')
    const { body: job } = await service.call('POST', '/v1/backtests/jobs', {
      task_suite_id: suiteId,
      agents: [flaky, crash],
      trials_per_task: 8,
      concurrency: 8,
    })
    const stream = await fetch(`${service.baseUrl}/v1/backtests/jobs/${job.id}/stream`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    const events = (await stream.text())
      .split('\n')
      .flatMap((line) => (line.startsWith('event: ') ? [line.slice(7)] : []))
    assert.equal(events.filter((event) => event === 'trial_started').length, 16)
    assert.equal(events.filter((event) => event === 'trial_finished').length, 16)
    assert.deepEqual(
      [events.filter((event) => event === 'run_finished').length, events.at(-1)],
      [1, 'run_finished'],
    )
    const { body: results } = await service.call('GET', `/v1/backtests/jobs/${job.id}/results`)
    const [one, two] = results.agents
    assert.equal(one.trials, 8)
    assert.equal(one.tasks[0].flaky, one.passed_trials > 0 && one.passed_trials < 8)
    assert.ok('8' in one.pass_all && '8' in one.pass_at)
    assert.equal(two.passed_trials, 0)
    const failed = await service.call('GET', `/v1/backtests/jobs/${job.id}/trials?agent=${crash}&limit=1`)
    assert.deepEqual([failed.body.items[0].status, failed.body.items[0].cause], ['failed', 'agent'])
    assert.match(failed.body.items[0].error, /exit code 3.*broken/)
  })

  it('is recorded as runs and traces by the next sweep of the outbox, where the worker that ran it was killed first', async () => {
    await using service = await testService()
    const { suiteId } = await plainSuite(service, 1)
    const no = await command(service, 'no', 'printf no > $WORK_DIR/output.txt')
    const { body: job } = await service.call('POST', '/v1/backtests/jobs', {
      task_suite_id: suiteId,
      agents: [no],
    })
    await finished(service, job.id)
    const [trial] = (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials`)).body.items
    const before = (await recorded(service, `/v1/agents/runs/${trial.id}`)).body
    await recorded(service, `/v1/traces/${trial.id}`)
    for (const lost of ['agent_runs, spans, traces', 'spans, traces']) {
      await service.storage.pool.query(`truncate ${lost}`)
      await service.storage.pool.query(
        `update eval_trials set recorded_at = null, finished_at = finished_at - interval '3 seconds'`,
      )
      await using next = await joinService(service)
      assert.equal((await recorded(next, `/v1/traces/${trial.id}`)).body.agent_name, 'no')
      const after = (await recorded(next, `/v1/agents/runs/${trial.id}`)).body
      assert.deepEqual(
        [after.status, after.origin, after.trace_id],
        [before.status, before.origin, before.trace_id],
      )
    }
  })

  it('can be cancelled: queued trials never start, finished ones keep their results', async () => {
    await using service = await testService()
    const { suiteId } = await plainSuite(service, 6)
    const slow = await command(service, 'slow', 'sleep 0.7; printf yes > $WORK_DIR/output.txt')
    const { body: job } = await service.call('POST', '/v1/backtests/jobs', {
      task_suite_id: suiteId,
      agents: [slow],
      concurrency: 1,
    })
    await eventually(
      async () => (await service.call('GET', `/v1/backtests/jobs/${job.id}`)).body.completed_trials >= 1,
    )
    const cancelled = await service.call('POST', `/v1/backtests/jobs/${job.id}/cancel`)
    assert.equal(cancelled.body.status, 'cancelled')
    const ended = await finished(service, job.id)
    assert.equal(ended.status, 'cancelled')
    assert.ok(ended.counts.cancelled >= 3 && ended.counts.succeeded >= 1, JSON.stringify(ended.counts))
  })

  it('can be graded again by other scorers without running the agent, beside the first grading', async () => {
    await using service = await testService()
    const { suiteId } = await plainSuite(service, 1)
    const no = await command(service, 'no', 'printf no > $WORK_DIR/output.txt')
    const { body: job } = await service.call('POST', '/v1/backtests/jobs', {
      task_suite_id: suiteId,
      agents: [no],
    })
    await finished(service, job.id)
    assert.equal((await service.call('GET', `/v1/backtests/jobs/${job.id}/results`)).body.pass_rate, 0)
    const code =
      'export const handler = (input: string, output: string) => ({ score: output === "no" ? 1 : 0 })'
    const lenient = (
      await service.call('POST', '/v1/scorers', {
        name: 'Lenient',
        kind: 'code',
        language: 'typescript',
        code,
        passThreshold: 1,
      })
    ).body
    const again = await service.call('POST', `/v1/backtests/jobs/${job.id}/rescore`, {
      scorers: [lenient.id],
      label: 'lenient',
    })
    assert.equal(again.status, 200, again.text)
    const [scoring] = again.body.scorings
    assert.deepEqual(
      [scoring.label, scoring.scorers],
      ['lenient', [{ scorer_id: lenient.id, version: 1, name: 'Lenient' }]],
    )
    const me = (await service.call('GET', '/v1/me')).body
    assert.equal(scoring.created_by, me.key.id)
    const path = `/v1/backtests/jobs/${job.id}/results`
    const { body: first } = await service.call('GET', path)
    assert.deepEqual([first.pass_rate, first.scoring, first.gate.verdict], [0, null, 'fail'])
    const { body: second } = await service.call('GET', `${path}?scoring_id=${scoring.id}`)
    assert.deepEqual([second.pass_rate, second.scoring, second.gate.verdict], [1, scoring, 'pass'])
    assert.equal((await service.call('GET', `${path}?scoring_id=scg_none`)).status, 404)
  })

  it('lists what passed before and fails now, in regression mode', async () => {
    await using service = await testService()
    const { suiteId, taskIds } = await plainSuite(service, 2)
    await command(service, 'bot', 'printf yes > $WORK_DIR/output.txt')
    const first = await service.call('POST', '/v1/backtests/jobs', {
      task_suite_id: suiteId,
      agents: ['bot'],
    })
    await finished(service, first.body.id)
    const worse = await service.call('POST', '/v1/agents/register', {
      name: 'bot',
      version: '2',
      run: { command: 'printf no > $WORK_DIR/output.txt', network: 'none' },
    })
    assert.ok(worse.status < 300)
    const second = await service.call('POST', '/v1/backtests/jobs', {
      task_suite_id: suiteId,
      agents: ['bot'],
      mode: 'regression',
    })
    assert.deepEqual(second.body.agents, ['bot@2'])
    await finished(service, second.body.id)
    const { body: results } = await service.call('GET', `/v1/backtests/jobs/${second.body.id}/results`)
    assert.equal(results.regression.baseline_job_id, first.body.id)
    // Two tasks that ran once each can do that by chance.
    assert.equal(results.gate.verdict, 'inconclusive')
    assert.match(results.gate.reasons.at(-1), new RegExp(`Held against .*${first.body.id}`))
    assert.deepEqual(
      results.regression.regressed.map(({ task_id }: { task_id: string }) => task_id).sort(),
      [...taskIds].sort(),
    )
  })
})
