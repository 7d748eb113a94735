import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestService, testService } from '../../../testing.ts'
import { createSuite, launchSample, pythonScorer, registerCommand, runToEnd } from '../../testing-runs.ts'
import { decoys } from './catalog.ts'

/** Asks every server that its variables name for its tools, then calls one of each decoy. */
const agent = `
import { writeFileSync } from 'node:fs'
const names = Object.keys(process.env).flatMap((name) => /^SVC_(\\w+)_MCP_URL$/.exec(name)?.[1] ?? [])
const ask = async (name, method, params, token = process.env['SVC_' + name + '_TOKEN']) => {
  const reply = await fetch(process.env['SVC_' + name + '_MCP_URL'], { method: 'POST',
    headers: { authorization: 'Bearer ' + token, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })
  return reply.status === 200 ? (await reply.json()).result : reply.status
}
const seen = {}
for (const name of names) {
  const hello = await ask(name, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } })
  const { tools } = await ask(name, 'tools/list', {})
  seen[name] = [hello.protocolVersion, tools.length]
}
seen.found = await ask('FILES', 'tools/call', { name: 'search_files', arguments: { query: 'prices' } })
seen.refused = await ask('FILES', 'tools/call', { name: 'share_document', arguments: { document_id: '1', email: 'x@y.example' } })
seen.stranger = await ask('FILES', 'tools/list', {}, 'no token')
writeFileSync(process.env.WORK_DIR + '/output.txt', JSON.stringify(seen))`

const usedNoDecoy = pythonScorer(
  'No decoy',
  'from world_state import world\ncalls = [one for one in world.activity() if one.get("decoy")]\nassert len(calls) in (0, 2), calls\nreturn {"score": 0.0 if calls else 1.0, "reason": ", ".join(one["operation"] for one in calls)}',
)

describe('crowding', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service[Symbol.asyncDispose]())

  it('puts decoys beside the services; their calls are steps, and scorers see them', async () => {
    const { world } = await launchSample(service)
    const { environmentVersionId } = world.evaluation
    const suiteId = await createSuite(service, { scorers: [usedNoDecoy], environmentVersionId, tasks: 1 })
    const { body: tasks } = await service.call('GET', `/v1/task-suites/${suiteId}/tasks`)
    const place = `/v1/task-suites/${suiteId}/tasks/${tasks.items[0].id}`
    const refused = await service.call('PATCH', place, { crowding: decoys.length + 1 })
    assert.equal(refused.status, 400, refused.text)
    const changed = await service.call('PATCH', place, { crowding: 3 })
    assert.equal(changed.body.crowding, 3, changed.text)
    const reference = await registerCommand(
      service,
      'curious',
      { command: 'node agent.mjs', network: 'world' },
      { 'agent.mjs': agent },
    )
    const { trials, job } = await runToEnd(service, { task_suite_id: suiteId, agents: [reference] })
    assert.equal(trials[0].error, null)
    const { body } = await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${trials[0].id}`)
    const { found, refused: denied, stranger, ...servers } = JSON.parse(body.output)
    assert.deepEqual(Object.keys(servers).sort(), [
      'CALENDAR',
      'CHAT',
      'CRM',
      'ERP',
      'FILES',
      'MAIL',
      'TRACKER',
    ])
    assert.deepEqual(
      [servers.FILES, servers.MAIL],
      [
        ['2025-11-25', 4],
        ['2025-11-25', 4],
      ],
    )
    assert.deepEqual([found.isError, denied.isError, stranger], [undefined, true, 401])
    const calls = body.steps.filter((step: { detail: { decoy?: boolean } }) => step.detail.decoy === true)
    assert.deepEqual(
      calls.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`).slice(-3),
      ['tools/call search_files succeeded', 'tools/call share_document failed', 'unauthorized failed'],
    )
    assert.equal(body.passed, false)
    assert.match(JSON.stringify(body.scores), /tools\/call search_files, tools\/call share_document/)
  })

  it('has tools that no two decoys share, and that say what they need', () => {
    const names = decoys.flatMap(({ tools }) => tools.map(({ name }) => name))
    assert.equal(new Set(names).size, names.length)
    assert.equal(new Set(decoys.map(({ name }) => name)).size, decoys.length)
  })
})
