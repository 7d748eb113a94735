import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openStandIn, type Scripted } from '../../models/testing.ts'
import { testService } from '../../testing.ts'
import { createSuite, pythonScorer, registerCommand, runToEnd } from '../testing-runs.ts'

const key = 'sk-planted-9f8e7d6c5b4a'
const agent = `
import { writeFileSync } from 'node:fs'
const reply = await fetch('https://api.openai.com/v1/chat/completions', {
  method: 'POST',
  body: JSON.stringify({ model: 'small', stream: true, messages: [{ role: 'user', content: 'Which colour?' }] }),
})
const body = await reply.text()
console.log(body)
if (!reply.ok) throw new Error(String(reply.status))
writeFileSync(process.env.WORK_DIR + '/output.txt', body)
`

it("a provider's 429, 500, silence, broken stream and refused key are never blamed on the agent", async () => {
  let says: Scripted = { text: 'blue' }
  await using standIn = await openStandIn(() => says)
  await using service = await testService({
    models: {
      ...{ providers: {}, prices: {}, timeoutMs: 1_500 },
      privateHosts: [new URL(standIn.baseUrl).host],
    },
  })
  await service.call('PUT', '/v1/model-providers/openai', { base_url: standIn.baseUrl, api_key: key })
  const agents = [
    await registerCommand(
      service,
      'asks',
      { command: ['node', 'agent.mjs'], network: 'world' },
      { 'agent.mjs': agent },
    ),
  ]
  const suiteId = await createSuite(service, { scorers: [pythonScorer('Blue', 'return "blue" in output')] })
  const run = () => runToEnd(service, { task_suite_id: suiteId, agents })
  assert.equal((await run()).trials[0].passed, true)
  const failures: [string, Scripted, RegExp][] = [
    ['429', { status: 429, headers: { 'retry-after': '0' } }, /openai answered with the status 429/],
    ['500', { status: 500 }, /openai answered with the status 500/],
    ['slow', { silent: true }, /silent for 1.5 seconds/],
    ['broken', { text: 'red as', broken: true }, /broke off/],
    ['refused key', { status: 401, text: `No to ${key}` }, /refused the key of the model provider openai/],
  ]
  for (const [name, failure, says_so] of failures) {
    says = failure
    const { trials, results, job } = await run()
    const [trial] = trials
    assert.deepEqual([trial.status, trial.cause, trial.attempt], ['errored', 'model_provider', 3], name)
    assert.match(trial.error, says_so)
    assert.equal(results.gate.verdict, 'inconclusive')
    const path = `/v1/backtests/jobs/${job.id}/trials/${trial.id}`
    const { items } = (await service.call('GET', `${path}/model-calls`)).body
    assert.deepEqual(
      items.map(({ outcome }: { outcome: string }) => outcome),
      ['provider_error', 'provider_error', 'provider_error'],
      name,
    )
    assert.ok(!(await service.call('GET', path)).text.includes(key))
  }
  says = { status: 400, text: 'no such parameter' }
  const { trials } = await run()
  assert.deepEqual([trials[0].status, trials[0].cause], ['failed', 'agent'])
})
