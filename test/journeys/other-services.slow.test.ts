import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { registerCommand, runToEnd } from '../../server/src/evaluations/testing-runs.ts'
import { type TestService, testService } from '../../server/src/testing.ts'
import { sampleCompany } from '../../server/src/worlds/sample.ts'
import { stub } from '../../twins/stub/manifest.ts'

const agent = `
const headers = { authorization: 'Bearer ' + process.env.STUB_TOKEN, 'content-type': 'application/json' }
const base = 'https://parts.example.com/v1'
const made = await (await fetch(base + '/parts', { method: 'POST', headers, body: '{"name":"Lamp"}' })).json()
const unknown = await fetch(base + '/prices', { headers })
const { writeFileSync } = await import('node:fs')
writeFileSync(process.env.WORK_DIR + '/output.txt', process.env.STUB_PARTS_URL + ' ' + made.id + ' ' + unknown.status)
`
const scorer = `
from world_state import world

def handler(input, output, expected, metadata):
    made = world.changes(service="stub", collection="record", operation="create")
    return len(made) == 1 and made[0]["after"]["name"] == "Lamp" and world.record("stub", "probe")["name"] == "Probe"
`
const blueprint = {
  ...sampleCompany,
  scenario: {
    title: 'Parts',
    narrative: 'A lamp is missing.',
    threads: [],
    tasks: ['first', 'second'].map((name) => ({
      key: `${name}-lamp`,
      title: `Add a lamp, ${name}`,
      instruction: 'Add the part Lamp.',
      expectedOutcome: 'There is a part Lamp.',
      steps: ['Add it.'],
      scorers: [
        {
          key: 'added',
          scorer: { name: `Added ${name}`, kind: 'code', language: 'python', passThreshold: 1, code: scorer },
        },
      ],
    })),
  },
  twins: { stub: stub.sample },
}

describe('a service that a blueprint knows from its OpenAPI document', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service[Symbol.asyncDispose]())

  it('is reached at its real host in a trial, recorded, and scored', async () => {
    const launched = await service.call('POST', '/v1/builder/worlds', { blueprint })
    assert.equal(launched.status, 201, launched.text)
    const run = { command: 'node agent.mjs', network: 'world' as const }
    await registerCommand(service, 'adder', run, { 'agent.mjs': agent })
    const { trials, results } = await runToEnd(service, {
      task_suite_id: launched.body.evaluation.taskSuiteId,
      agents: ['adder@1'],
    })
    assert.equal(results.pass_rate, 1, JSON.stringify(trials, null, 1))
    const path = `/v1/backtests/jobs/${trials[0].job_id ?? results.job_id}/trials/${trials[0].id}`
    const { body: trial } = await service.call('GET', path)
    assert.equal(trial.output, 'https://parts.example.com/v1 2 501')
    const calls = trial.steps.filter(({ kind }: { kind: string }) => kind === 'tool_call')
    assert.deepEqual(
      calls.map(({ name }: { name: string }) => name),
      ['parts POST /parts', 'parts GET /prices'],
    )
    assert.equal(calls[1].detail.not_emulated.length, 1)
  })
})
