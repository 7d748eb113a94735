import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestService, testService } from '../../../testing.ts'
import { after as storyAfter } from '../../../worlds/clock/testing-moving.ts'
import type { Bent } from '../../../worlds/testing-blueprints.ts'
import { launchSample, pythonScorer, registerCommand, runToEnd } from '../../testing-runs.ts'

/** Asks a colleague in its first turn, and writes down what each turn receives; a file goes from turn to turn. */
const agentCode = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
const { SVC_TURN, TOLD_PATH, EARLIER_WORK_DIR, WORK_DIR, SVC_CHAT_BASE_URL, SVC_CHAT_TOKEN } = process.env
const chat = async (method, parameters = {}) => (await fetch(SVC_CHAT_BASE_URL + '/api/' + method, {
  method: 'POST',
  headers: { authorization: 'Bearer ' + SVC_CHAT_TOKEN },
  body: new URLSearchParams(parameters),
})).json()
const earlier = EARLIER_WORK_DIR && existsSync(EARLIER_WORK_DIR + '/turns.json')
  ? JSON.parse(readFileSync(EARLIER_WORK_DIR + '/turns.json', 'utf8')) : []
const told = TOLD_PATH ? JSON.parse(readFileSync(TOLD_PATH, 'utf8')) : []
if (SVC_TURN === '1') {
  const { members } = await chat('users.list')
  const bram = members.find(({ profile }) => profile.email?.startsWith('bram')).id
  await chat('chat.postMessage', { channel: bram, text: 'What is the closing date?' })
}
const all = [...earlier, { turn: Number(SVC_TURN), told }]
writeFileSync(WORK_DIR + '/turns.json', JSON.stringify(all))
writeFileSync(WORK_DIR + '/output.txt', JSON.stringify(all))
`

const scenario = {
  coworkers: [
    {
      person: 'bram',
      replyDelay: '30m',
      knows: [{ fact: 'The renewal closes on 31 March.', about: ['closing date'] }],
    },
  ],
  events: [
    {
      key: 'later',
      at: '3h',
      as: 'gus',
      do: [
        {
          service: 'chat',
          operation: 'chat.postMessage',
          input: { channel: { $person: 'agent' }, text: 'Are you done?' },
        },
      ],
    },
    // Says nothing to the agent, so it starts no turn.
    {
      key: 'others',
      at: '1h',
      as: 'gus',
      do: [
        {
          service: 'chat',
          operation: 'chat.postMessage',
          input: { channel: { $person: 'tomas' }, text: 'Lunch?' },
        },
      ],
    },
  ],
}

describe('turns of a command', () => {
  let service: TestService
  let environmentVersionId: string
  let agent: string
  before(async () => {
    service = await testService()
    const { world } = await launchSample(service, (blueprint) => Object.assign(blueprint.scenario, scenario))
    environmentVersionId = world.evaluation.environmentVersionId
    agent = await registerCommand(
      service,
      'asker',
      { command: ['node', 'agent.mjs'], network: 'world' },
      { 'agent.mjs': agentCode },
    )
  })
  after(() => service[Symbol.asyncDispose]())

  const run = async (turns: Bent) => {
    const suite = (await service.call('POST', '/v1/task-suites', { name: 'Turns' })).body
    const scorer = (await service.call('POST', '/v1/scorers', pythonScorer('any', 'return 1'))).body
    const task = await service.call('POST', `/v1/task-suites/${suite.id}/tasks`, {
      title: 'Ask',
      instruction: 'Ask for the closing date',
      expected_outcome: 'asked',
      scorers: [{ scorer_id: scorer.id }],
      environment_version_id: environmentVersionId,
      ...(turns ? { turns } : {}),
    })
    assert.deepEqual([task.status, task.body.turns], [201, turns], task.text)
    const { job, trials } = await runToEnd(service, { task_suite_id: suite.id, agents: [agent] })
    const trial = (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${trials[0].id}`)).body
    assert.equal(trial.error, null, JSON.stringify(trial))
    return { trial, turns: JSON.parse(trial.output) as { turn: number; told: Bent[] }[] }
  }
  const answer = ['bram', 'The renewal closes on 31 March.']
  const question = ['gus', 'Are you done?']
  const heard = ({ told }: { told: Bent[] }) => told.map(({ from, text }) => [from, text])

  it('start it again with what concerned it, until nothing does', async () => {
    const { trial, turns } = await run({ limit: 5, idle: '6h' })
    assert.deepEqual(turns.map(heard), [[], [answer], [question]])
    const [, second, third] = turns
    assert.deepEqual(
      [second?.told[0].service, second?.told[0].kind, third?.told[0].at],
      ['chat', 'message', storyAfter(180)],
    )
    const steps = trial.steps.filter(({ name }: Bent) => /^turn \d/.test(name))
    assert.deepEqual(
      steps.map(({ name, status, detail }: Bent) => [name, status, detail.told.length]),
      [
        ['turn 2', 'succeeded', 1],
        ['turn 3', 'succeeded', 1],
      ],
    )
  })

  it('end at the limit of the task', async () => {
    const { turns } = await run({ limit: 2, idle: '6h' })
    assert.deepEqual(turns.map(heard), [[], [answer]])
  })

  it('end when the agent was idle for as long as the task says', async () => {
    const { turns } = await run({ limit: 5, idle: '1h' })
    assert.deepEqual(turns.map(heard), [[], [answer]])
    assert.deepEqual((await run({ limit: 5, idle: '10m' })).turns.map(heard), [[]])
  })

  it('are one where the task says nothing of them', async () => {
    assert.deepEqual((await run(null)).turns.map(heard), [[]])
  })
})
