import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { WebSocket } from 'ws'
import { eventually } from '../../../../test/eventually.ts'
import { createSuite, launchSample, pythonScorer } from '../../evaluations/testing-runs.ts'
import { type TestService, testService } from '../../testing.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every type.
type Message = any

/** A client as those of the protocol are: one message, one reply. */
const connect = async (
  service: TestService,
  suiteId: string,
  headers?: Record<string, string>,
  query = '',
) => {
  const address = `${service.baseUrl.replace('http', 'ws')}/openenv/${suiteId}/ws${query}`
  const socket = new WebSocket(address, { headers: headers ?? { authorization: `Bearer ${service.key}` } })
  const replies: Message[] = []
  socket.on('message', (data) => replies.push(JSON.parse(String(data))))
  await once(socket, 'open')
  const receive = () => eventually(() => replies.shift() ?? false, 'no reply came')
  const ask = (message: unknown) => {
    socket.send(typeof message === 'string' ? message : JSON.stringify(message))
    return receive()
  }
  const call = (tool_name: string, args: object = {}) =>
    ask({ type: 'step', data: { type: 'call_tool', tool_name, arguments: args } })
  return { socket, ask, call, receive, reset: (data: object = {}) => ask({ type: 'reset', data }) }
}

const refused = (service: TestService, suiteId: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${service.baseUrl.replace('http', 'ws')}/openenv/${suiteId}/ws`, {
      headers,
    })
    socket.on('unexpected-response', (_request, response) => {
      resolve(response.statusCode ?? 0)
      response.resume()
    })
    socket.on('open', () => reject(new Error('the socket was opened')))
    socket.on('error', () => undefined)
  })

describe('a suite as an OpenEnv environment', () => {
  let service: TestService
  let suiteId: string
  before(async () => {
    service = await testService()
    suiteId = (await launchSample(service)).suiteId
  })
  after(() => service[Symbol.asyncDispose]())

  const liveTwins = async (): Promise<number> => {
    const rows = await service.storage.db
      .selectFrom('twins')
      .select('id')
      .where('trial_id', 'like', 'eps_%')
      .where('status', '=', 'running')
      .execute()
    return rows.length
  }

  it('resets by task, lists and calls the tools of its services, and rewards what scorers find', async () => {
    const { socket, ask, call, reset } = await connect(service, suiteId)
    const first = await reset({ task: 'escalate-calder', episode_id: 'mine' })
    assert.equal(first.type, 'observation', JSON.stringify(first))
    assert.match(first.data.observation.instruction, /drift case/)
    assert.deepEqual([first.data.done, first.data.reward], [false, null])
    const { data: listed } = await ask({ type: 'step', data: { type: 'list_tools' } })
    const names = listed.observation.tools.map(({ name }: { name: string }) => name)
    for (const name of ['soqlQuery', 'updateSobjectRecord', 'slack_send_message', 'wait', 'done'])
      assert.ok(names.includes(name), `${name} is not in ${names}`)
    const found = await call('soqlQuery', {
      query: "SELECT Id, CaseNumber FROM Case WHERE Subject LIKE '%turbidity%' AND IsClosed = false",
    })
    const text = JSON.stringify(found.data.observation.result)
    const id = /500\w{12,15}/.exec(text)?.[0]
    const number = /0000\d{4}/.exec(text)?.[0]
    assert.ok(id && number, text)
    const changed = await call('updateSobjectRecord', {
      'sobject-name': 'Case',
      id,
      body: { Status: 'Escalated' },
    })
    assert.equal(changed.data.observation.result.is_error, false, JSON.stringify(changed))
    const channels = await call('slack_search_channels', { query: 'support-escalations' })
    const channel = /\bC[A-Z0-9]{8,}/.exec(JSON.stringify(channels.data))?.[0]
    const posted = await call('slack_send_message', {
      channel_id: channel,
      message: `Case ${number} is escalated.`,
    })
    assert.equal(posted.data.observation.result.is_error, false, JSON.stringify(posted))
    const done = await call('done', { answer: 'Escalated.' })
    assert.deepEqual([done.data.done, done.data.reward], [true, 1], JSON.stringify(done))
    assert.equal(done.data.observation.metadata.passed, true)
    const { data: state } = await ask({ type: 'state' })
    assert.deepEqual(
      [state.episode_id, state.task_key, state.step_count, state.done, state.reward],
      ['mine', 'escalate-calder', 5, true, 1],
    )
    assert.equal((await call('soqlQuery', {})).data.code, 'EXECUTION_ERROR')
    socket.close()
    await eventually(async () => (await liveTwins()) === 0, 'the twins of the episode still run')
  })

  it('gives each episode a fresh world, and none of the reward of the one before', async () => {
    const { socket, call, reset } = await connect(service, suiteId)
    await reset({ task: 'escalate-calder' })
    const channels = await call('slack_search_channels', { query: 'general' })
    const channel_id = /\bC[A-Z0-9]{8,}/.exec(JSON.stringify(channels.data))?.[0]
    await call('slack_send_message', { channel_id, message: 'An unasked word.' })
    const failed = await call('done')
    assert.equal(failed.data.reward < 1, true)
    assert.equal(failed.data.observation.metadata.passed, false)
    await reset({ task: 'escalate-calder' })
    const read = await call('slack_read_channel', { channel_id })
    assert.doesNotMatch(JSON.stringify(read), /An unasked word/)
    socket.close()
  })

  it('gives its tasks in turn, or by the number of a seed', async () => {
    const { body } = await service.call('GET', `/v1/task-suites/${suiteId}/tasks`)
    const ids = body.items.map(({ id }: { id: string }) => id)
    const { socket, reset } = await connect(service, suiteId)
    const idOf = (message: Message) => message.data.observation.metadata.task.id
    assert.deepEqual([idOf(await reset()), idOf(await reset())], ids.slice(0, 2))
    assert.equal(idOf(await reset({ seed: ids.length + 2 })), ids[2])
    socket.close()
  })

  it('refuses what it cannot read, and names the field', async () => {
    const { socket, ask, call, reset } = await connect(service, suiteId)
    const codeAndText = async (message: unknown) => {
      const { type, data } = await ask(message)
      assert.equal(type, 'error', JSON.stringify(data))
      return `${data.code} ${data.message}`
    }
    assert.match(await codeAndText('{"type": '), /^INVALID_JSON/)
    assert.match(await codeAndText('7'), /^VALIDATION_ERROR/)
    assert.match(await codeAndText({ type: 'jump' }), /^UNKNOWN_TYPE .*jump/)
    assert.match(
      await codeAndText({ type: 'step', data: { type: 'call_tool', tool_name: 'soqlQuery' } }),
      /^EXECUTION_ERROR .*reset first/,
    )
    assert.match(
      await codeAndText({ type: 'reset', data: { task: 'no-such' } }),
      /^VALIDATION_ERROR \/data\/task.*escalate-calder/,
    )
    assert.match(await codeAndText({ type: 'reset', data: { taks: 'x' } }), /^VALIDATION_ERROR .*taks/)
    assert.match(
      await codeAndText({ type: 'step', data: { type: 'call_tool' } }),
      /^VALIDATION_ERROR \/data\/tool_name/,
    )
    await reset()
    const unknown = await call('slack_fly', {})
    assert.equal(unknown.data.observation.error.error_type, 'tool_not_found')
    const wrong = await call('soqlQuery', { query: 7 })
    assert.equal(wrong.data.observation.result.is_error, true, JSON.stringify(wrong))
    socket.close()
  })

  it('lets in keys with the scope alone, from a header or from the address', async () => {
    const { body: narrow } = await service.call('POST', '/v1/api-keys', {
      name: 'r',
      scopes: ['worlds:read'],
    })
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
    assert.equal(await refused(service, suiteId, {}), 401)
    assert.equal(await refused(service, suiteId, bearer('dk_wrong')), 401)
    assert.equal(await refused(service, suiteId, bearer(narrow.secret)), 403)
    assert.equal(await refused(service, 'ste_absent', bearer(service.key)), 404)
    const { body: other } = await service.call('POST', '/v1/organizations', { name: 'Others' })
    assert.equal(await refused(service, suiteId, bearer(other.key.secret)), 404)
    const { body: key } = await service.call('POST', '/v1/api-keys', { name: 'w', scopes: ['evals:write'] })
    const basic = `Basic ${Buffer.from(`key:${key.secret}`).toString('base64')}`
    const { socket, reset } = await connect(service, suiteId, { authorization: basic })
    assert.equal((await reset()).type, 'observation')
    await service.call('DELETE', `/v1/api-keys/${key.id}`)
    await once(socket, 'close')
    await eventually(async () => (await liveTwins()) === 0, 'the twins of a revoked key still run')
  })

  it('describes itself before a client connects', async () => {
    assert.deepEqual((await service.call('GET', `/openenv/${suiteId}/health`)).body, { status: 'healthy' })
    const { body: metadata } = await service.call('GET', `/openenv/${suiteId}/metadata`)
    assert.match(metadata.description, /escalate-calder/)
    const { body: schema } = await service.call('GET', `/openenv/${suiteId}/schema`)
    assert.deepEqual(Object.keys(schema), ['action', 'observation', 'state'])
    assert.equal(
      (await service.call('GET', `/openenv/${suiteId}/metadata`, undefined, { key: null })).status,
      401,
    )
  })

  it('speaks the Model Context Protocol within the connection, also before a reset', async () => {
    const { socket, ask, reset } = await connect(service, suiteId)
    const rpc = (method: string, params: object = {}) =>
      ask({ type: 'mcp', data: { jsonrpc: '2.0', id: 4, method, params } })
    const listed = await rpc('tools/list')
    assert.ok(listed.data.result.tools.some(({ name }: { name: string }) => name === 'soqlQuery'))
    await reset()
    const called = await rpc('tools/call', { name: 'soqlQuery', arguments: { query: 'SELECT Id FROM Case' } })
    assert.equal(called.data.id, 4)
    assert.match(JSON.stringify(called.data.result), /500/)
    assert.equal((await rpc('tools/fly')).data.error.code, -32601)
    socket.close()
  })

  it('lets a second socket into a session by its id, until its owner leaves', async () => {
    const owner = await connect(service, suiteId)
    await owner.reset({ task: 'escalate-calder' })
    const { data: state } = await owner.ask({ type: 'state' })
    const query = `?session_id=${state.session_id}`
    const guest = await connect(service, suiteId, {}, query)
    const called = await guest.call('soqlQuery', { query: 'SELECT Id FROM Case' })
    assert.match(JSON.stringify(called.data.observation.result), /500/)
    assert.equal((await owner.ask({ type: 'state' })).data.step_count, 1)
    const stranger = await connect(service, suiteId, {}, `${query}0`)
    assert.equal((await stranger.receive()).data.code, 'SESSION_ERROR')
    const left = once(guest.socket, 'close')
    owner.socket.close()
    await left
  })

  it('grades an answer where a task has no world', async () => {
    const suite = await createSuite(service, {
      scorers: [pythonScorer('Says yes', 'return 1 if output == "yes" else 0.25')],
    })
    const { socket, call, reset } = await connect(service, suite)
    await reset()
    assert.equal((await call('done', { answer: 'no' })).data.reward, 0.25)
    await reset()
    assert.equal((await call('done', { answer: 'yes' })).data.reward, 1)
    socket.close()
  })

  it('are as many as the organization may have open, and end when they are idle', async () => {
    const limits = { open_episodes: 1, episode_idle_seconds: 1 }
    const { body: other } = await service.call('POST', '/v1/organizations', { name: 'Few', limits })
    const key = other.key.secret
    const { body: suite } = await service.call('POST', '/v1/task-suites', { name: 'One' }, { key })
    const task = { title: 'Say yes', instruction: 'Say yes', expected_outcome: 'yes' }
    await service.call('POST', `/v1/task-suites/${suite.id}/tasks`, task, { key })
    const headers = { authorization: `Bearer ${key}` }
    const first = await connect(service, suite.id, headers)
    const second = await connect(service, suite.id, headers)
    assert.equal((await second.receive()).data.code, 'CAPACITY_REACHED')
    const closed = once(first.socket, 'close')
    assert.equal((await first.receive()).data.code, 'SESSION_ERROR')
    await closed
    const third = await connect(service, suite.id, headers)
    assert.equal((await third.reset()).type, 'observation')
    third.socket.close()
  })
})
