import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { openStandIn } from '../models/testing.ts'
import { testService } from '../testing.ts'
import { createSuite, launchSample, pythonScorer, registerCommand, runToEnd } from './testing-runs.ts'

const sayYes = { command: 'printf yes > $WORK_DIR/output.txt' }
const isYes = pythonScorer('Same', 'return output.strip() == expected')

describe('whose fault it is', () => {
  it('is the scorer’s when it fails on an untouched world too: no verdict, and no pass rate falls', async () => {
    await using service = await testService()
    const suiteId = await createSuite(service, {
      scorers: [isYes, pythonScorer('Broken', 'raise ValueError("a bug")')],
    })
    const yes = await registerCommand(service, 'yes', sayYes)
    const no = await registerCommand(service, 'no', { command: 'printf no > $WORK_DIR/output.txt' })
    const { trials, results, job } = await runToEnd(service, { task_suite_id: suiteId, agents: [yes, no] })
    const [one, two] = trials
    assert.deepEqual([one.status, one.passed, one.cause], ['errored', null, 'scorer'])
    assert.match(one.error, /^Broken gave no score: ValueError: a bug/)
    // Another scorer has failed the second agent by a score, so its verdict stands.
    assert.deepEqual([two.status, two.passed, two.cause], ['succeeded', false, null])
    const [first, second] = results.agents
    assert.deepEqual([first.pass_rate, first.unscored.scorer, first.weighted_score], [null, 1, null])
    assert.deepEqual([first.gate.verdict, second.gate.verdict], ['inconclusive', 'fail'])
    const junit = await service.call('GET', `/v1/backtests/jobs/${job.id}/results.junit.xml`)
    assert.match(junit.text, /<error type="scorer" message="Task 0: a scorer failed in 1 of 1 trials/)
  })

  it('is the agent’s when a scorer fails only on what the agent left', async () => {
    await using service = await testService()
    const suiteId = await createSuite(service, {
      scorers: [
        pythonScorer('Fragile', 'if output == "bomb":\n    raise MemoryError()\nreturn output == "yes"'),
      ],
    })
    const bomb = await registerCommand(service, 'bomb', { command: 'printf bomb > $WORK_DIR/output.txt' })
    const { trials, results } = await runToEnd(service, { task_suite_id: suiteId, agents: [bomb] })
    assert.deepEqual([trials[0].passed, trials[0].scores[0].cause], [false, 'agent'])
    assert.equal(results.agents[0].gate.verdict, 'fail')
  })

  it('is the model provider’s when the judge does not answer, or answers with garbage', async () => {
    let says: object = { text: 'no JSON at all' }
    await using standIn = await openStandIn(() => says)
    await using service = await testService({
      judgeModel: 'openai/small',
      providers: {
        openai: { apiKey: 'sk-test', baseUrl: standIn.baseUrl },
        anthropic: { apiKey: undefined, baseUrl: undefined },
      },
    })
    const suiteId = await createSuite(service, { scorers: [{ name: 'Judge', passThreshold: 0.5 }] })
    const yes = await registerCommand(service, 'yes', sayYes)
    const garbage = await runToEnd(service, { task_suite_id: suiteId, agents: [yes] })
    assert.deepEqual([garbage.trials[0].status, garbage.trials[0].cause], ['errored', 'model_provider'])
    assert.equal(garbage.results.gate.verdict, 'inconclusive')
    says = { text: JSON.stringify({ score: 0.9, rationale: 'good' }) }
    const good = await runToEnd(service, { task_suite_id: suiteId, agents: [yes] })
    assert.deepEqual([good.trials[0].passed, good.results.gate.verdict], [true, 'pass'])
  })

  it('is the model provider’s when the agent’s own model is dead: the attempt is voided and tried again', async () => {
    await using service = await testService({ agentHosts: ['model.example=http://127.0.0.1:9'] })
    const suiteId = await createSuite(service, { scorers: [isYes] })
    const agent = 'const reply = await fetch("https://model.example/v1"); if (!reply.ok) process.exit(3)'
    const asks = await registerCommand(
      service,
      'asks',
      { command: ['node', 'agent.mjs'], network: 'world' },
      { 'agent.mjs': agent },
    )
    const { trials, results } = await runToEnd(service, { task_suite_id: suiteId, agents: [asks] })
    const [trial] = trials
    assert.deepEqual(
      [trial.status, trial.cause, trial.attempt],
      ['errored', 'model_provider', 3],
      trial.error,
    )
    assert.match(trial.error, /model\.example could not be reached/)
    assert.deepEqual(
      trial.voided_attempts.map((one: { attempt: number; cause: string }) => [one.attempt, one.cause]),
      [1, 2, 3].map((attempt) => [attempt, 'model_provider']),
    )
    assert.deepEqual([results.agents[0].pass_rate, results.agents[0].void_rate], [null, 1])
  })

  it('is the platform’s when a step cannot be made durable: the trial runs again and its verdict is unchanged', async () => {
    await using service = await testService()
    const { world } = await launchSample(service)
    const suiteId = await createSuite(service, {
      scorers: [isYes],
      environmentVersionId: world.evaluation.environmentVersionId,
    })
    // Sequences are not rolled back, so the first insert fails and the ones after it do not.
    await service.storage.pool.query(`create sequence faults;
      create function fail_once() returns trigger language plpgsql as $$ begin
        if nextval('faults') = 1 then raise exception 'disk full' using errcode = '53100'; end if;
        return null; end $$;
      create trigger fail_once before insert on twin_steps for each statement execute function fail_once()`)
    const agent = `import { writeFileSync } from 'node:fs'
      const post = async () => (await fetch(process.env.SVC_CHAT_BASE_URL + '/api/chat.postMessage', {
        method: 'POST', body: new URLSearchParams({ channel: 'general', text: 'Hello' }),
        headers: { authorization: 'Bearer ' + process.env.SVC_CHAT_TOKEN } })).json()
      writeFileSync(process.env.WORK_DIR + '/output.txt', (await post()).ok ? 'yes' : 'no')`
    const posts = await registerCommand(
      service,
      'posts',
      { command: ['node', 'agent.mjs'], network: 'world' },
      { 'agent.mjs': agent },
    )
    const { trials, job } = await runToEnd(service, { task_suite_id: suiteId, agents: [posts] })
    const [trial] = trials
    assert.deepEqual([trial.status, trial.passed, trial.attempt], ['succeeded', true, 2], trial.error)
    assert.deepEqual(
      trial.voided_attempts.map((one: { cause: string; error: string }) => [one.cause, one.error]),
      [['platform', 'A step could not be written to the ledger.']],
    )
    const { body: detail } = await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${trial.id}`)
    const calls = detail.steps.filter(({ kind }: { kind: string }) => kind === 'tool_call')
    assert.deepEqual(
      calls.map((step: { status: string; detail: { status: number } }) => [step.status, step.detail.status]),
      [['succeeded', 200]],
    )
  })
})

describe('an agent that tries to void its trial', () => {
  const odd: [string, string][] = [
    ['with a file name that is not UTF-8', `touch "$WORK_DIR/$(printf 'a\\377b')"`],
    [
      'with a log that is cut in the middle of an emoji',
      'for i in $(seq 1 4100); do printf 😀; done; printf x',
    ],
    ['with NUL and broken UTF-8 in its log', `printf 'a\\000b\\377\\355\\240\\200'; printf 'c\\000' >&2`],
    ['with NUL and broken UTF-8 in its answer', `printf 'no\\000\\377' > $WORK_DIR/output.txt`],
  ]
  it('fails like any other that gives a wrong answer, whatever it leaves behind', async () => {
    await using service = await testService()
    const scorer = pythonScorer(
      'Quoting',
      'return {"score": output.strip() == expected, "reason": "\\ud83d" + output}',
    )
    const suiteId = await createSuite(service, { scorers: [scorer] })
    const agents: string[] = []
    for (const [n, [, line]] of odd.entries())
      agents.push(
        await registerCommand(service, `odd${n}`, { command: `printf no > $WORK_DIR/output.txt; ${line}` }),
      )
    const { trials } = await runToEnd(service, { task_suite_id: suiteId, agents, mode: 'compare' })
    for (const [n, [name]] of odd.entries())
      assert.deepEqual(
        [trials[n].status, trials[n].passed, trials[n].attempt, trials[n].voided_attempts],
        ['succeeded', false, 1, []],
        `${name}: ${JSON.stringify(trials[n])}`,
      )
  })

  it('is stopped at the request budget, and fails for that reason with every request shown', async () => {
    await using outside = await floodingAgent(1_000)
    await using service = await testService({ trialMaxRequests: 40, outsideAgents: [outside.origin] })
    const { world } = await launchSample(service)
    const suiteId = await createSuite(service, {
      scorers: [isYes],
      environmentVersionId: world.evaluation.environmentVersionId,
    })
    const agent = `import { writeFileSync } from 'node:fs'
      writeFileSync(process.env.WORK_DIR + '/output.txt', 'yes')
      const get = (path) => fetch(process.env.SVC_CHAT_BASE_URL + path, {
        headers: { authorization: 'Bearer ' + process.env.SVC_CHAT_TOKEN } }).then((reply) => reply.text())
      for (let n = 0; n < Number(process.argv[2]); n++) await get('/api/conversations.list')`
    const reads = (name: string, times: number) =>
      registerCommand(
        service,
        name,
        { command: ['node', 'agent.mjs', String(times)], network: 'world' },
        { 'agent.mjs': agent },
      )
    const url = `${outside.origin}/run`
    await service.call('POST', '/v1/agents/register', {
      name: 'outside',
      version: '1',
      run: { kind: 'http', url },
    })
    const agents = [await reads('within', 40), await reads('floods', 1_000), 'outside@1']
    const { trials, job } = await runToEnd(service, { task_suite_id: suiteId, agents })
    const [within, ...flooding] = trials
    assert.deepEqual([within.status, within.passed], ['succeeded', true], within.error)
    for (const floods of flooding) {
      assert.deepEqual([floods.status, floods.passed, floods.cause], ['failed', false, 'agent'])
      assert.match(floods.error, /more than 40 requests, which is the budget of a trial/)
    }
    assert.equal(outside.refusedWith(), 429)
    for (const { id } of trials) {
      const { body } = await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${id}`)
      assert.equal(body.steps.filter(({ kind }: { kind: string }) => kind === 'tool_call').length, 40)
    }
  })
})

/** An agent that runs already and asks the chat so many times, or until it is refused. */
const floodingAgent = async (times: number) => {
  let refused: number | undefined
  const server = createServer(async (request, response) => {
    const task = JSON.parse(await text(request))
    const { base_url, token } = task.world.services.find((one: { service: string }) => one.service === 'chat')
    for (let n = 0; n < times && refused === undefined; n++) {
      const reply = await fetch(`${base_url}/api/conversations.list`, {
        headers: { authorization: `Bearer ${token}` },
      })
      await reply.text()
      if (!reply.ok) refused = reply.status
    }
    response.end(JSON.stringify({ output: 'yes' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    refusedWith: () => refused,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
