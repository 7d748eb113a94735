import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { registerCommand, runToEnd } from '../evaluations/testing-runs.ts'
import { type TestService, testService } from '../testing.ts'
import { sampleCompany } from '../worlds/sample.ts'

describe('the check of a suite', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service[Symbol.asyncDispose]())

  const post = async (path: string, body?: object) => {
    const reply = await service.call('POST', path, body)
    assert.ok(reply.status < 300, reply.text)
    return reply.body
  }
  /** A suite with one task that these scorers decide. */
  const suiteWith = async (codes: readonly string[], more: object = {}): Promise<string> => {
    const scorers: object[] = []
    for (const code of codes) {
      const made = await post('/v1/scorers', {
        name: 'Code',
        kind: 'code',
        language: 'python',
        code: `def handler(input, output, expected, metadata):\n    ${code}\n`,
      })
      scorers.push({ scorer_id: made.id, pass_threshold: 1 })
    }
    const { id } = await post('/v1/task-suites', { name: 'Suite' })
    await post(`/v1/task-suites/${id}/tasks`, {
      title: 'Task',
      instruction: 'Do it',
      expected_outcome: 'Done',
      scorers,
      ...more,
    })
    return `/v1/task-suites/${id}`
  }
  const check = async (path: string) => post(`${path}/check`)

  it('passes the suite of a launched world, and keeps the proof with the version', async () => {
    const launched = await post('/v1/builder/worlds', { blueprint: sampleCompany })
    const path = `/v1/task-suites/${launched.evaluation.taskSuiteId}`
    const before = await service.call('GET', `/v1/me`)
    const proof = await check(path)
    assert.deepEqual(
      proof.tasks.flatMap(({ problems }: { problems: string[] }) => problems),
      [],
    )
    assert.equal(proof.ok, true)
    assert.equal(proof.version_id, launched.evaluation.taskSuiteVersionId)
    assert.equal(proof.tasks.length, launched.evaluation.tasks.length)
    for (const task of proof.tasks) {
      assert.equal(task.do_nothing_fails && task.repeatable, true)
      assert.ok(task.scorers.length > 0)
      for (const { error } of task.scorers) assert.equal(error, null)
    }
    const kept = await service.call('GET', `${path}/versions/${proof.version_id}`)
    assert.deepEqual(kept.body.proof, proof)
    const after = await service.call('GET', `/v1/me`)
    assert.deepEqual(after.body.usage, before.body.usage)
  })

  it('finds a task that an agent passes by doing nothing', async () => {
    const proof = await check(await suiteWith(['return 1']))
    assert.deepEqual(
      [proof.ok, proof.tasks[0].do_nothing_fails, proof.tasks[0].repeatable],
      [false, false, true],
    )
    assert.match(proof.tasks[0].problems[0], /does nothing passes/)
  })

  it('is content when one of several scorers fails the agent by a score', async () => {
    const proof = await check(await suiteWith(['return 1', 'return 1 if output == expected else 0']))
    assert.equal(proof.ok, true)
    assert.deepEqual(
      proof.tasks[0].scorers.map(({ scores }: { scores: number[] }) => scores),
      [
        [1, 1],
        [0, 0],
      ],
    )
  })

  it('finds a scorer that does not repeat itself', async () => {
    const proof = await check(await suiteWith(['import random; return random.random() * 0.9']))
    assert.deepEqual(
      [proof.ok, proof.tasks[0].do_nothing_fails, proof.tasks[0].repeatable],
      [false, true, false],
    )
    assert.match(proof.tasks[0].problems[0], /does not repeat itself: 0\.\d+, then 0\.\d+/)
  })

  it('takes no comfort from a scorer that broke down', async () => {
    const proof = await check(await suiteWith(['return output["x"]']))
    assert.equal(proof.tasks[0].do_nothing_fails, false)
    assert.match(proof.tasks[0].problems[0], /gave no score.*TypeError/)
  })

  it('that is cancelled keeps no proof, and is not an error', async () => {
    const path = await suiteWith(['import time; time.sleep(20)'])
    const controller = new AbortController()
    const calling = fetch(`${service.baseUrl}${path}/check`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}` },
      signal: controller.signal,
    })
    const frozen = async (): Promise<string> => {
      for (let tries = 0; tries < 2_000; tries++) {
        const { body } = await service.call('GET', path)
        if (body.latest_version_id) return body.latest_version_id
      }
      return assert.fail('the suite was never frozen')
    }
    const version = await frozen()
    controller.abort()
    await assert.rejects(calling, { name: 'AbortError' })
    // Another check has to wait for nothing that the first one left behind.
    assert.equal((await check(await suiteWith(['return 0']))).ok, true)
    assert.equal((await service.call('GET', `${path}/versions/${version}`)).body.proof, null)
    assert.deepEqual(service.logged, [])
  })

  it('finds a task that nothing decides', async () => {
    const proof = await check(await suiteWith([]))
    assert.match(proof.tasks[0].problems[0], /No scorer of this task has a threshold/)
  })

  it('refuses a suite without tasks, an archived one and one of somebody else', async () => {
    const { id } = await post('/v1/task-suites', { name: 'Empty' })
    assert.equal((await service.call('POST', `/v1/task-suites/${id}/check`)).status, 409)
    await service.call('DELETE', `/v1/task-suites/${id}`)
    assert.match((await service.call('POST', `/v1/task-suites/${id}/check`)).body.error, /archived/)
    const other = await post('/v1/organizations', { name: 'Other' })
    const foreign = await service.call('POST', `/v1/task-suites/${id}/check`, undefined, {
      key: other.key.secret,
    })
    assert.equal(foreign.status, 404)
  })
})

/** Does either task of the first blueprint in the docs. */
const firstOracle = `
import { readFileSync, writeFileSync } from 'node:fs'
const { LINEAR_API_KEY, INSTRUCTION_PATH, WORK_DIR } = process.env
const ask = async (query, variables) => (await (await fetch('https://api.linear.app/graphql', { method: 'POST',
  headers: { authorization: LINEAR_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables }) })).json()).data
const { issues, users } = await ask('{ issues { nodes { id title } } users { nodes { id name } } }')
const { id } = issues.nodes.find(({ title }) => title === 'Checkout refuses foreign cards')
const eva = users.nodes.find(({ name }) => name === 'Eva Lund')
const input = /Urgent/.test(readFileSync(INSTRUCTION_PATH, 'utf8')) ? { priority: 1 } : { assigneeId: eva.id }
await ask('mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }', { id, input })
writeFileSync(WORK_DIR + '/output.txt', 'Done.')
`

describe('the first suite of the docs', () => {
  it('is passed by an agent that does its tasks, and no task of it by the vandal', async () => {
    await using service = await testService()
    const docs = readFileSync(new URL('../../../docs/blueprints.md', import.meta.url), 'utf8')
    const blueprint = JSON.parse(/^```json[^\n]*\n(\{[\s\S]*?)\n```$/m.exec(docs)?.[1] ?? '')
    const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint })
    const suite = body.evaluation.taskSuiteId
    const run = { command: 'node agent.mjs' }
    const agent = await registerCommand(
      service,
      'oracle',
      { ...run, network: 'world' },
      { 'agent.mjs': firstOracle },
    )
    const { trials } = await runToEnd(service, { task_suite_id: suite, agents: [agent] })
    const passed = trials.map((trial) => trial.passed)
    assert.deepEqual(passed, [true, true], JSON.stringify(trials))
    const proof = await service.call('POST', `/v1/task-suites/${suite}/check`)
    for (const { vandal_fails, vandal_on, problems } of proof.body.tasks)
      assert.deepEqual([vandal_fails, vandal_on, problems], [true, 'passing trial', []])
  })
})

describe('a frozen version', () => {
  it('keeps the model of its judges, whatever is configured later', async () => {
    await using service = await testService({ judgeModel: 'openai/small' })
    const judge = await service.call('POST', '/v1/scorers', { name: 'Judge', prompt: 'Good? {{output}}' })
    assert.equal(judge.body.model, null)
    const suite = await service.call('POST', '/v1/task-suites', { name: 'S' })
    const path = `/v1/task-suites/${suite.body.id}`
    const scorers = [{ scorer_id: judge.body.id }]
    await service.call('POST', `${path}/tasks`, { title: 'T', instruction: 'I', scorers })
    const version = await service.call('POST', `${path}/versions`, {})
    const { body } = await service.call('GET', `${path}/versions/${version.body.id}`)
    assert.equal(body.tasks[0].scorers[0].definition.model, 'openai/small')
  })
})
