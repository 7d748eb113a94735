import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openStandIn, type StandIn } from '../../../models/testing.ts'
import { type TestService, testService } from '../../../testing.ts'
import type { Bent } from '../../../worlds/testing-blueprints.ts'
import { createSuite, launchSample, pythonScorer, registerCommand, runToEnd } from '../../testing-runs.ts'
import { ledgerOf } from './testing-ledger.ts'

/** Asks a colleague twice, each time by sleeping until the answer is due, and repeats what was said. */
const agentCode = `
import { writeFileSync } from 'node:fs'
const chat = async (method, parameters = {}) => (await fetch(process.env.SVC_CHAT_BASE_URL + '/api/' + method, {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.SVC_CHAT_TOKEN },
  body: new URLSearchParams(parameters),
})).json()
const { members } = await chat('users.list')
const bram = members.find(({ profile }) => profile.email?.startsWith('bram')).id
const heard = []
for (const text of ['What is the closing date?', 'And how large is the discount?']) {
  const { channel, ts } = await chat('chat.postMessage', { channel: bram, text })
  await new Promise((resolve) => setTimeout(resolve, 600_000))
  const { messages } = await chat('conversations.history', { channel, oldest: ts })
  heard.push(...messages.filter((one) => one.user === bram).map((one) => one.text))
}
writeFileSync(process.env.WORK_DIR + '/output.txt', heard.join('\\n'))
`

const coworkers = [
  {
    person: 'bram',
    manner: 'Dry.',
    replyDelay: '5m',
    model: { provider: 'openai', id: 'small' },
    knows: [
      { fact: 'The renewal closes on 31 March.', about: ['closing date'] },
      { fact: 'The discount is 8 %.', about: ['discount'] },
    ],
  },
]

describe('a coworker whom a model plays', () => {
  let service: TestService
  let standIn: StandIn
  let suiteId: string
  let agent: string
  const run = (models: object) => runToEnd(service, { task_suite_id: suiteId, agents: [agent], models })
  const whole = async (trial: Bent) =>
    (await service.call('GET', `/v1/backtests/jobs/${trial.job_id}/trials/${trial.id}`)).body
  const callsOf = async (trial: Bent): Promise<Bent[]> =>
    (await service.call('GET', `/v1/backtests/jobs/${trial.job_id}/trials/${trial.id}/model-calls`)).body
      .items

  before(async () => {
    let asked = 0
    standIn = await openStandIn(({ body }) => {
      const said = JSON.stringify(body)
      // No two answers of a live model are alike.
      const words = said.includes('8 %') ? 'Eight percent: 8 %.' : 'Mark your calendar: 31 March.'
      return { text: `${words} (${++asked})`, usage: { input: 300, output: 12 } }
    })
    service = await testService({
      models: {
        ...{ providers: {}, prices: {}, timeoutMs: 5_000 },
        privateHosts: [new URL(standIn.baseUrl).host],
      },
    })
    const put = await service.call('PUT', '/v1/model-providers/openai', {
      base_url: standIn.baseUrl,
      api_key: 'sk-coworker',
    })
    assert.ok(put.status < 300, put.text)
    const { world } = await launchSample(service, (blueprint: Bent) => {
      Object.assign(blueprint.scenario, { coworkers })
    })
    suiteId = await createSuite(service, {
      scorers: [pythonScorer('Heard', 'return "31 March" in output and "8 %" in output')],
      environmentVersionId: world.evaluation.environmentVersionId,
    })
    const command = { command: ['node', 'agent.mjs'], network: 'world' } as const
    agent = await registerCommand(service, 'asks', command, { 'agent.mjs': agentCode })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await standIn[Symbol.asyncDispose]()
  })

  it('says the same words in a replay with the provider off, and the ledger is the same', async () => {
    const recorded = await run({ mode: 'record', cassette: 'played' })
    const first = await whole(recorded.trials[0])
    assert.deepEqual([first.error, first.passed], [null, true], JSON.stringify(first.output))
    assert.equal(first.output, 'Mark your calendar: 31 March. (1)\nEight percent: 8 %. (2)')
    await standIn[Symbol.asyncDispose]()
    assert.equal((await service.call('DELETE', '/v1/model-providers/openai')).status, 204)

    const replayed = await run({ mode: 'replay', cassette: 'played' })
    const second = await whole(replayed.trials[0])
    assert.deepEqual([second.error, second.passed, second.attempt], [null, true, 1])
    assert.equal(second.output, first.output)
    const ledger = await ledgerOf(service, first)
    assert.ok(ledger.filter(({ cause }) => cause === 'coworker:bram').length >= 2)
    assert.deepEqual(await ledgerOf(service, second), ledger)
    assert.deepEqual(
      (await callsOf(second)).map(({ source, served }) => [source, served]),
      [
        ['coworker', 'cassette'],
        ['coworker', 'cassette'],
      ],
    )
    // What a colleague's model costs is not the agent's.
    assert.equal(second.usage, null)
  })

  it('who gets no words leaves the trial without a verdict, and the agent is not blamed', async () => {
    const { trials, results } = await run({ mode: 'live' })
    const [trial] = trials
    assert.deepEqual([trial.status, trial.passed, trial.cause], ['errored', null, 'platform'])
    assert.match(trial.error, /model that plays bram gave no answer/)
    assert.equal(results.gate.verdict, 'inconclusive')
  })
})
