import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { type TestService, testService } from '../testing.ts'
import { sampleCompany } from '../worlds/sample.ts'

const definition = {
  kind: 'code',
  language: 'python',
  code: `from world_state import world
def handler(input, output, expected, metadata):
    changed = world.changes(service="crm", operation="update")
    return {"score": min(1, len(changed) / 10), "reason": "|".join([input, output, str(expected), str(metadata.get("agent"))])}
`,
}
const careless = new URL('../../../examples/agents/careless/agent.mjs', import.meta.url)

describe('trying a scorer on a world', () => {
  let service: TestService
  let world: { id: string; crm: { id: string; token: string; baseUrl: string } }
  let trial: { id: string; instruction: string }
  const attempt = (body: object, key?: string) =>
    service.call('POST', '/v1/scorers/test', { ...definition, ...body }, key === undefined ? {} : { key })

  before(async () => {
    service = await testService()
    const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
    const crm = body.twins.find((one: { service: string }) => one.service === 'crm')
    world = { id: body.world.id, crm }
    const suiteId = body.evaluation.taskSuiteId
    const tasks = (await service.call('GET', `/v1/task-suites/${suiteId}/tasks`)).body.items
    const task = tasks.find(({ title }: { title: string }) => title.startsWith('Escalate'))
    await service.call('POST', '/v1/agents/register', {
      name: 'careless',
      version: '1',
      files: { 'agent.mjs': readFileSync(careless, 'utf8') },
      run: { command: ['node', 'agent.mjs'], timeout_seconds: 60 },
    })
    const { body: job } = await service.call('POST', '/v1/backtests/jobs', {
      task_suite_id: suiteId,
      agents: ['careless@1'],
      tasks: [task.id],
    })
    await (
      await fetch(`${service.baseUrl}/v1/backtests/jobs/${job.id}/stream`, {
        headers: { authorization: `Bearer ${service.key}` },
      })
    ).text()
    const [ran] = (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials`)).body.items
    trial = { id: ran.id, instruction: task.instruction }
  })
  after(() => service[Symbol.asyncDispose]())

  it('shows it what a finished trial left, and of the sample what was not sent', async () => {
    const { status, body, text } = await attempt({ trial_id: trial.id })
    assert.deepEqual([status, body.error], [200, null], text)
    assert.ok(body.score >= 0.2, text)
    assert.ok(body.reason.startsWith(`${trial.instruction}|All done!|`), text)
    assert.ok(body.reason.endsWith('|careless@1'), text)
    const other = await attempt({ trial_id: trial.id, output: 'mine', metadata: {} })
    assert.match(other.body.reason, /\|mine\|.*\|None$/s)
  })

  it('shows it a world as it is now', async () => {
    assert.equal((await attempt({ world_id: world.id })).body.score, 0)
    const { id, token, baseUrl } = world.crm
    const state = await service.call('GET', `/v1/twins/${id}/state?collection=Case`)
    const path = `/services/data/v62.0/sobjects/Case/${state.body.items[0].id}`
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const changed = await fetch(`${baseUrl}${path}`, {
      method: 'PATCH',
      headers,
      body: '{"Subject":"Changed by hand"}',
    })
    assert.equal(changed.status, 204)
    assert.equal((await attempt({ world_id: world.id })).body.score, 0.1)
  })

  it('refuses both at once, and what is not there or another organization’s', async () => {
    const { body } = await service.call('POST', '/v1/organizations', { name: 'Others' })
    for (const [sent, pointer, key] of [
      [{ trial_id: trial.id, world_id: world.id }, '/world_id'],
      [{ trial_id: 'none' }, '/trial_id'],
      [{ world_id: 'none' }, '/world_id'],
      [{ trial_id: trial.id }, '/trial_id', body.key.secret],
      [{ world_id: world.id }, '/world_id', body.key.secret],
    ] as const) {
      const refused = await attempt(sent, key)
      assert.deepEqual([refused.status, refused.body.details?.[0].pointer], [400, pointer], refused.text)
    }
  })
})
