import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GatewayRequest } from '@diorama/sandbox/gateway/options'
import { testService } from '../../testing.ts'
import { createSuite, launchSample, pythonScorer, registerCommand, runToEnd } from '../testing-runs.ts'
import { createFaults, faultKinds, operationOf } from './faults.ts'

const requestOf = (method: string, path: string, body = ''): GatewayRequest => ({
  host: 'h',
  service: 'chat',
  method,
  path,
  headers: {},
  body: Buffer.from(body),
})

/** Posts one message a time, and says how often each call had to be made; the careless one never looks. */
const agent = `
const slack = async (method, body) => {
  const reply = await fetch('https://slack.com/api/' + method, { method: 'POST',
    headers: { authorization: 'Bearer ' + process.env.SLACK_BOT_TOKEN, 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const answer = await reply.json()
  if (!answer.ok) throw new Error(answer.error)
  return answer
}
const call = async (...args) => {
  for (let n = 0; ; n++) try { return await slack(...args) } catch (error) { if (process.argv[2] === 'careless' || n === 5) throw error }
}
const { channels } = await call('conversations.list', {})
const channel = channels.find((one) => one.is_member && !one.is_archived).id
for (let n = 0; n < 40; n++) await call('chat.postMessage', { channel, text: 'line ' + n })
`

describe('faults', () => {
  it('are the same for the same requests, spare the call after one, and come in every kind', () => {
    const drawn = (seed: string) => {
      const faults = createFaults(seed)
      return Array.from({ length: 400 }, () => {
        const request = requestOf('GET', '/api/things/17')
        faults.remember(request, { status: 200, headers: {}, body: '' })
        return faults.draw(request)
      })
    }
    const first = drawn('task 1')
    assert.deepEqual(first, drawn('task 1'))
    assert.notDeepEqual(first, drawn('task 2'))
    assert.deepEqual(new Set(first.filter((kind) => kind !== undefined)), new Set(faultKinds))
    assert.ok(first.every((kind, n) => kind === undefined || first[n + 1] === undefined))
  })

  it('belong to an operation, whatever record it is about', () => {
    assert.equal(
      operationOf(requestOf('PATCH', '/sobjects/Case/500A1')),
      operationOf(requestOf('PATCH', '/sobjects/Case/500B2?x')),
    )
    const query = JSON.stringify({ query: 'query Some($id: ID!) {\n  issue(id: $id) { id } }' })
    assert.match(operationOf(requestOf('POST', '/graphql', query)), / issue$/)
  })

  it('run in pairs with the plain trials: the careless agent loses by them, and the gate does not see them', async () => {
    await using service = await testService()
    const { world } = await launchSample(service)
    const suite = await createSuite(service, {
      scorers: [pythonScorer('any', 'return 1')],
      environmentVersionId: world.evaluation.environmentVersionId,
    })
    const agents: string[] = []
    for (const name of ['patient', 'careless'])
      agents.push(
        await registerCommand(
          service,
          name,
          { command: ['node', 'agent.mjs', name], network: 'world' },
          { 'agent.mjs': agent },
        ),
      )
    const { job, trials, results } = await runToEnd(service, {
      task_suite_id: suite,
      agents,
      variants: ['faults'],
    })
    assert.deepEqual([job.variants, job.total_trials], [['faults'], 4])
    const rates = results.variants.map((one: Record<string, unknown>) => [
      one.agent,
      one.variant,
      one.plain_pass_rate,
      one.pass_rate,
      (one.comparison as { difference: number }).difference,
    ])
    const shown = JSON.stringify(trials.map((one) => [one.agent, one.variant, one.passed, one.error]))
    assert.deepEqual(
      rates,
      [
        ['patient@1', 'faults', 1, 1, 0],
        ['careless@1', 'faults', 1, 0, -1],
      ],
      shown,
    )
    assert.equal(results.gate.verdict, 'pass')
    const faulty = trials.find((one) => one.variant === 'faults' && one.agent === 'patient@1')
    const { steps } = (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${faulty?.id}`)).body
    assert.ok(steps.some(({ name }: { name: string }) => name.startsWith('fault: ')))

    const twice = { task_suite_id: suite, agents, variants: ['faults', 'faults'] }
    assert.equal((await service.call('POST', '/v1/backtests/jobs', twice)).status, 400)
  })
})
