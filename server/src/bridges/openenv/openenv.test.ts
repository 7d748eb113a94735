import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { eventually } from '../../../../test/eventually.ts'
import { createSuite, pythonScorer } from '../../evaluations/testing-runs.ts'
import { type TestService, testService } from '../../testing.ts'

// The messages of the protocol, as its published models have them.
const ErrorMessage = z.strictObject({
  type: z.literal('error'),
  data: z.strictObject({
    message: z.string(),
    code: z.enum([
      'INVALID_JSON',
      'UNKNOWN_TYPE',
      'VALIDATION_ERROR',
      'EXECUTION_ERROR',
      'CAPACITY_REACHED',
      'FACTORY_ERROR',
      'SESSION_ERROR',
    ]),
  }),
})
const observed = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject({
    type: z.literal('observation'),
    data: z.strictObject({
      observation: z.looseObject({ metadata: z.record(z.string(), z.unknown()), ...shape }),
      reward: z.number().nullable(),
      done: z.boolean(),
    }),
  })
const Reset = observed({ instruction: z.string() })
const Tools = observed({
  tools: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        description: z.string(),
        input_schema: z.looseObject({ type: z.literal('object') }),
      }),
    )
    .min(1),
})
const Called = observed({
  tool_name: z.string(),
  result: z.unknown(),
  error: z.strictObject({ error_type: z.string(), message: z.string() }).nullable(),
})
const StateMessage = z.strictObject({
  type: z.literal('state'),
  data: z.looseObject({ episode_id: z.string().nullable(), step_count: z.int().min(0) }),
})
const id = z.union([z.string(), z.number(), z.null()])
const Success = z.strictObject({ jsonrpc: z.literal('2.0'), id, result: z.looseObject({}) })
const Failure = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id,
  error: z.strictObject({ code: z.int(), message: z.string() }),
})

describe('messages of OpenEnv', () => {
  let service: TestService
  let suiteId: string
  before(async () => {
    service = await testService()
    suiteId = await createSuite(service, {
      scorers: [pythonScorer('Says yes', 'return 1 if output == "yes" else 0.25')],
    })
  })
  after(() => service[Symbol.asyncDispose]())

  const connect = async (query = '', headers = { authorization: `Bearer ${service.key}` }) => {
    const address = `${service.baseUrl.replace('http', 'ws')}/openenv/${suiteId}/ws${query}`
    const socket = new WebSocket(address, { headers })
    const replies: unknown[] = []
    socket.on('message', (data) => replies.push(JSON.parse(String(data))))
    await once(socket, 'open')
    const ask = (message: unknown) => {
      socket.send(typeof message === 'string' ? message : JSON.stringify(message))
      return eventually(() => replies.shift() ?? false, 'no reply came')
    }
    return { socket, ask }
  }
  const rpc = async (method: string, params: object = {}, key = service.key) => {
    const reply = await fetch(`${service.baseUrl}/openenv/${suiteId}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
    })
    return { status: reply.status, body: await reply.json() }
  }

  it('fit the published models on a socket: reset, tools, calls, rewards, state and refusals', async () => {
    const { socket, ask } = await connect()
    const { data: first } = Reset.parse(await ask({ type: 'reset', data: { seed: 0 } }))
    assert.deepEqual([first.done, first.reward], [false, null])
    Tools.parse(await ask({ type: 'step', data: { type: 'list_tools' } }))
    const call = (tool_name: string, args: object) =>
      ask({ type: 'step', data: { type: 'call_tool', tool_name, arguments: args } })
    assert.ok(Called.parse(await call('absent', {})).data.observation.error)
    const { data: last } = Called.parse(await call('done', { answer: 'yes' }))
    assert.deepEqual([last.done, last.reward], [true, 1])
    assert.equal(StateMessage.parse(await ask({ type: 'state' })).data.step_count, 2)
    for (const [sent, code] of [
      ['{', 'INVALID_JSON'],
      [{ type: 'fly' }, 'UNKNOWN_TYPE'],
      [{ type: 'reset', data: { task: 'absent' } }, 'VALIDATION_ERROR'],
      [{ type: 'step', data: { type: 'call_tool', tool_name: 'done' } }, 'EXECUTION_ERROR'],
    ] as const)
      assert.equal(ErrorMessage.parse(await ask(sent)).data.code, code)
    socket.close()
  })

  it('open a session by HTTP, which a socket joins, and whose tools are called by its id', async () => {
    const made = Success.parse((await rpc('openenv/session/create')).body)
    const session_id = z.string().parse(made.result.session_id)
    const early = Failure.parse((await rpc('tools/call', { session_id, name: 'done', arguments: {} })).body)
    assert.match(early.error.message, /reset first/)
    const { socket, ask } = await connect(`?session_id=${session_id}`)
    Reset.parse(await ask({ type: 'reset', data: {} }))
    const listed = Success.parse((await rpc('tools/list', { session_id })).body)
    assert.equal((listed.result.tools as { name: string }[])[0]?.name, 'done')
    const done = await rpc('tools/call', { session_id, name: 'done', arguments: { answer: 'no' } })
    assert.equal((Success.parse(done.body).result.data as { reward: number }).reward, 0.25)
    const state = StateMessage.parse(await ask({ type: 'state' }))
    assert.deepEqual([state.data.step_count, state.data.reward], [1, 0.25])
    const gone = once(socket, 'close')
    Success.parse((await rpc('openenv/session/close', { session_id })).body)
    await gone
    const after = Failure.parse((await rpc('tools/list', { session_id })).body)
    assert.deepEqual([after.id, after.error.code], [7, -32602])
  })

  it('list the tools without a session, and refuse what is wrong as JSON-RPC does', async () => {
    assert.ok(Array.isArray(Success.parse((await rpc('tools/list')).body).result.tools))
    assert.equal(Failure.parse((await rpc('tools/call', { name: 'done' })).body).error.code, -32602)
    const send = async (body: string) => {
      const reply = await fetch(`${service.baseUrl}/openenv/${suiteId}/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        body,
      })
      return Failure.parse(await reply.json()).error.code
    }
    assert.deepEqual([await send('{}'), await send('{')], [-32600, -32700])
    assert.equal((await rpc('tools/list', {}, 'dk_wrong')).status, 401)
  })

  it('show no session to another organization, and count it against its own limits', async () => {
    const { body: other } = await service.call('POST', '/v1/organizations', {
      name: 'Few',
      limits: { open_episodes: 1 },
    })
    const made = Success.parse((await rpc('openenv/session/create')).body)
    const key = other.key.secret
    const { body: suite } = await service.call('POST', '/v1/task-suites', { name: 'One' }, { key })
    const ask = async (method: string, params: object = {}) => {
      const reply = await fetch(`${service.baseUrl}/openenv/${suite.id}/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      return reply.json()
    }
    const { session_id } = made.result
    assert.match(Failure.parse(await ask('tools/list', { session_id })).error.message, /Unknown session_id/)
    assert.match(
      Failure.parse(await ask('openenv/session/close', { session_id })).error.message,
      /Unknown session_id/,
    )
    Success.parse(await ask('openenv/session/create'))
    assert.match(Failure.parse(await ask('openenv/session/create')).error.message, /1 open episodes/)
    Success.parse((await rpc('openenv/session/close', { session_id })).body)
  })
})
