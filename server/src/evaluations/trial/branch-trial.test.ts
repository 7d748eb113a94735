import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestService, testService } from '../../testing.ts'
import { createSuite, launchSample, pythonScorer, registerCommand, runToEnd } from '../testing-runs.ts'

/** Posts three messages in a channel and then closes a case. */
const agent = `
const slack = async (method, body) => (await fetch('https://slack.com/api/' + method, {
  method: 'POST', headers: { authorization: 'Bearer ' + process.env.SLACK_BOT_TOKEN, 'content-type': 'application/json' }, body: JSON.stringify(body) })).json()
const { channels } = await slack('conversations.list', {})
const channel = channels.find((one) => one.is_member && !one.is_archived).id
for (const text of ['first', 'second', 'third']) console.log(JSON.stringify(await slack('chat.postMessage', { channel, text })))
`

const textsIn = async (service: TestService, twins: readonly { id: string; service: string }[]) => {
  const chat = twins.find((twin) => twin.service === 'chat')
  const { body } = await service.call('GET', `/v1/twins/${chat?.id}/state?collection=message&limit=200`)
  const written = (body.items as { record: { text: string } }[]).map(({ record }) => record.text)
  return written.filter((text) => ['first', 'second', 'third'].includes(text))
}

describe('a branch', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service[Symbol.asyncDispose]())

  it('of a trial is a world as it was after that request, and continues on its own', async () => {
    const { world } = await launchSample(service)
    const suite = await createSuite(service, {
      scorers: [pythonScorer('any', 'return 1')],
      environmentVersionId: world.evaluation.environmentVersionId,
    })
    const reference = await registerCommand(
      service,
      'poster',
      { command: ['node', 'agent.mjs'], network: 'world' },
      { 'agent.mjs': agent },
    )
    const { job, trials } = await runToEnd(service, { task_suite_id: suite, agents: [reference] })
    const path = `/v1/backtests/jobs/${job.id}/trials/${trials[0].id}`
    const { steps } = (await service.call('GET', path)).body
    const posts = steps.filter(({ name }: { name: string }) => name === 'chat.postMessage')
    assert.equal(posts.length, 3, JSON.stringify({ trial: trials[0], steps }))
    const branched = await service.call('POST', `${path}/branch`, {
      at: posts[1].detail.request_id,
      name: 'After the second',
    })
    assert.equal(branched.status, 201, branched.text)
    const { world: made, twins, status, evaluation } = branched.body
    assert.deepEqual([made.name, status, evaluation], ['After the second', 'ready', null])
    assert.deepEqual(await textsIn(service, twins), ['first', 'second'])
    const diff = (await service.call('GET', `/v1/builder/worlds/${made.id}/diff`)).body
    assert.deepEqual(diff.items, [], 'a branch begins without a difference')

    const none = await service.call('POST', `${path}/branch`, { at: 'req_nowhere' })
    assert.equal(none.status, 404)
  })

  it('of a world takes its other twins to the same moment, and can be branched again', async () => {
    const { world } = await launchSample(service)
    const { body: shown } = await service.call('GET', `/v1/builder/worlds/${world.world.id}`)
    const chat = shown.twins.find((twin: { service: string }) => twin.service === 'chat')
    const { token } = chat
    const post = async (text: string) => {
      const { body } = await service.call('GET', `/v1/twins/${chat.id}/state?collection=channel&limit=100`)
      const channel = body.items.find(
        ({ record }: { record: { is_archived?: boolean } }) => !record.is_archived,
      )
      const reply = await fetch(`${chat.baseUrl}/api/chat.postMessage`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ channel: channel.id, text }),
      })
      return reply.json()
    }
    const sent = await post('first')
    assert.equal((sent as { ok: boolean }).ok, true, JSON.stringify(sent))
    const { items } = (await service.call('GET', `/v1/builder/worlds/${world.world.id}/activity`)).body
    const at = items.find(
      ({ operation }: { operation: string }) => operation === 'chat.postMessage',
    ).request_id
    await post('second')
    const one = await service.call('POST', `/v1/builder/worlds/${world.world.id}/branch`, { at })
    assert.equal(one.status, 201, one.text)
    assert.deepEqual(await textsIn(service, one.body.twins), ['first'])
    assert.deepEqual(await textsIn(service, shown.twins), ['first', 'second'])
    assert.notEqual(one.body.version.rootWorldId, world.version.rootWorldId)
  })
})
