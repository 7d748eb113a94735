import assert from 'node:assert/strict'
import { request } from 'node:http'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { eventually } from '../../../../test/eventually.ts'
import type { Config } from '../../config.ts'
import { type Asked, openStandIn, type Scripted } from '../../models/testing.ts'
import { joinService, type TestService, testService } from '../../testing.ts'
import { sampleCompany } from '../../worlds/sample.ts'

const configFor = (baseUrl: string): Partial<Config> => ({
  models: {
    providers: {
      local: { wire: 'openai', base_url: baseUrl },
      other: { wire: 'anthropic', base_url: baseUrl },
    },
    prices: { 'local/small': { input: 1, output: 2 } },
    timeoutMs: 60_000,
  },
})

const talkTo = async (service: TestService, agent: object, start: object = {}) => {
  const registered = await service.call('POST', '/v1/agents/register', {
    name: 'helper',
    version: '1',
    ...agent,
  })
  assert.equal(registered.status, 201, registered.text)
  const session = await service.call('POST', '/v1/agents/helper/chat/sessions', start)
  assert.equal(session.status, 201, session.text)
  const path = `/v1/agents/helper/chat/sessions/${session.body.id}`
  return {
    path,
    id: session.body.id,
    say: (text: string) => service.call('POST', `${path}/messages`, { text }),
  }
}

const modelAgent = { model: { provider: 'local', id: 'small' }, instructions: 'You are brief.' }

const launchChatWorld = async (service: TestService): Promise<string> => {
  const blueprint = structuredClone(sampleCompany) as {
    twins: { chat: unknown }
    scenario: { threads: unknown[]; tasks: unknown[] }
  }
  const { body, status, text } = await service.call('POST', '/v1/builder/worlds', {
    blueprint: {
      ...blueprint,
      twins: { chat: blueprint.twins.chat },
      scenario: { ...blueprint.scenario, threads: [], tasks: [] },
    },
  })
  assert.equal(status, 201, text)
  return body.world.id
}

describe('a chat with a model', () => {
  it('answers with its instructions and the conversation so far, and leaves a run and a trace', async () => {
    await using standIn = await openStandIn((_, turn) => ({
      text: `Answer ${turn}.`,
      usage: { input: 100, output: 50 },
    }))
    await using service = await testService(configFor(standIn.baseUrl))
    const chat = await talkTo(service, modelAgent)
    const first = await chat.say('Hello?')
    assert.equal(first.status, 200, first.text)
    assert.deepEqual(
      first.body.messages.map(({ role, text }: { role: string; text: string }) => [role, text]),
      [['assistant', 'Answer 1.']],
    )
    assert.equal(first.body.status, 'succeeded')
    assert.equal(first.body.cost_usd, 0.0002)
    assert.equal(first.body.steps[0].kind, 'model')
    await chat.say('And now?')
    const sent = standIn.asked[1]?.body.messages.map(
      ({ role, content }: { role: string; content: unknown }) => [role, content],
    )
    assert.deepEqual(sent, [
      ['system', 'You are brief.'],
      ['user', 'Hello?'],
      ['assistant', 'Answer 1.'],
      ['user', 'And now?'],
    ])
    const read = await service.call('GET', chat.path)
    assert.deepEqual(
      read.body.messages.map(({ text }: { text: string }) => text),
      ['Hello?', 'Answer 1.', 'And now?', 'Answer 2.'],
    )
    assert.equal(read.body.busy, false)
    const runs = await service.call('GET', '/v1/agents/runs?origin=chat')
    assert.equal(runs.body.items.length, 2)
    assert.deepEqual(runs.body.items[0].usage, { input_tokens: 100, output_tokens: 50 })
    const trace = await service.call('GET', `/v1/traces/${first.body.trace_id}`)
    assert.equal(trace.status, 200, trace.text)
    assert.equal(trace.body.spans.length, 2)
    const agent = await service.call('GET', '/v1/agents/helper')
    assert.equal(agent.body.runs.count, 2)
    const sessions = await service.call('GET', '/v1/agents/helper/chat/sessions')
    assert.deepEqual(
      sessions.body.items.map(({ id }: { id: string }) => id),
      [chat.id],
    )
  })

  for (const provider of ['local', 'other'])
    it(`uses the interface of a twin in a world, over the wire of ${provider}`, async () => {
      const script = (_: Asked, turn: number): Scripted =>
        turn === 1
          ? {
              toolCalls: [
                { id: 'a', name: 'http_request', input: { service: 'nowhere', method: 'GET', path: '/' } },
                {
                  id: 'b',
                  name: 'http_request',
                  input: {
                    service: 'chat',
                    method: 'POST',
                    path: '/api/chat.postMessage',
                    headers: { Authorization: 'Bearer mine' },
                    body: { channel: '#general', text: 'The release is out.' },
                  },
                },
              ],
            }
          : { text: 'Posted.' }
      await using standIn = await openStandIn(script)
      await using service = await testService(configFor(standIn.baseUrl))
      const worldId = await launchChatWorld(service)
      const chat = await talkTo(service, { model: { provider, id: 'small' } }, { world_id: worldId })
      const reply = await chat.say('Tell everybody that the release is out.')
      assert.equal(reply.body.messages[0]?.text, 'Posted.', reply.text)
      assert.deepEqual(
        reply.body.steps.map(({ kind, status }: { kind: string; status: string }) => [kind, status]),
        [
          ['model', 'succeeded'],
          ['tool_call', 'failed'],
          ['tool_call', 'succeeded'],
          ['model', 'succeeded'],
        ],
      )
      const activity = await service.call('GET', `/v1/builder/worlds/${worldId}/activity?mutations_only=true`)
      assert.equal(activity.body.items.length, 1)
      assert.equal(activity.body.items[0].request.path, '/api/chat.postMessage')
      const diff = await service.call('GET', `/v1/builder/worlds/${worldId}/diff`)
      assert.ok(diff.text.includes('The release is out.'))
      const told = JSON.stringify(standIn.asked[1]?.body.messages)
      assert.ok(told.includes('There is no such service'))
      const [run] = (await service.call('GET', '/v1/agents/runs')).body.items
      assert.equal(run.tool_calls.length, 2)
    })

  it('needs a configured model, and says which variable is missing', async () => {
    await using service = await testService()
    for (const [provider, variable] of [
      ['openai', /OPENAI_API_KEY/],
      ['anthropic', /ANTHROPIC_API_KEY/],
      ['elsewhere', /DIORAMA_MODEL_PROVIDERS/],
    ] as const) {
      await service.call('POST', '/v1/agents/register', {
        name: provider,
        version: '1',
        model: { provider, id: 'x' },
      })
      const refused = await service.call('POST', `/v1/agents/${provider}/chat/sessions`)
      assert.deepEqual([refused.status, refused.body.code], [409, 'not_configured'])
      assert.match(refused.body.error, variable)
    }
  })

  it('passes on that the model fails, keeps the message, and can go on', async () => {
    await using standIn = await openStandIn((_, turn) => (turn === 1 ? { status: 400 } : { text: 'Better.' }))
    await using service = await testService(configFor(standIn.baseUrl))
    const chat = await talkTo(service, modelAgent)
    const failed = await chat.say('One')
    assert.deepEqual([failed.status, failed.body.code], [502, 'model_failed'])
    assert.equal((await chat.say('Two')).body.messages[0].text, 'Better.')
    const { body } = await service.call('GET', chat.path)
    assert.deepEqual(
      body.turns.map(({ status }: { status: string }) => status),
      ['failed', 'succeeded'],
    )
    assert.equal((await service.call('GET', '/v1/agents/helper')).body.runs.failed, 1)
  })

  it('answers one message at a time, and can be cancelled from another node', async () => {
    await using standIn = await openStandIn((_, turn) => (turn === 1 ? { silent: true } : { text: 'Here.' }))
    await using service = await testService(configFor(standIn.baseUrl))
    await using other = await joinService(service)
    const chat = await talkTo(service, modelAgent)
    const waiting = chat.say('Are you there?')
    await eventually(() => standIn.asked.length === 1)
    assert.equal((await service.call('GET', chat.path)).body.busy, true)
    assert.deepEqual((await chat.say('Hello?')).body.code, 'conflict')
    assert.equal((await other.call('POST', `${chat.path}/cancel`)).status, 202)
    const cancelled = await waiting
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled'])
    assert.equal((await chat.say('Again?')).body.messages[0].text, 'Here.')
  })

  it('ends when the caller goes away', async () => {
    await using standIn = await openStandIn(() => ({ silent: true }))
    await using service = await testService(configFor(standIn.baseUrl))
    const chat = await talkTo(service, modelAgent)
    const caller = request(`${service.baseUrl}${chat.path}/messages`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    })
    caller.on('error', () => {})
    caller.end('{"text":"Hello?"}')
    await eventually(() => standIn.asked.length === 1)
    caller.destroy()
    await eventually(async () => (await service.call('GET', chat.path)).body.turns[0].status === 'cancelled')
  })

  it('goes on after a process died while answering', async () => {
    await using standIn = await openStandIn(() => ({ text: 'Here.' }))
    await using service = await testService(configFor(standIn.baseUrl))
    const chat = await talkTo(service, modelAgent)
    await chat.say('One')
    const { db } = service.storage
    const [turn] = (await service.call('GET', chat.path)).body.turns
    await db.updateTable('agent_turns').set({ status: 'running', answered: null }).execute()
    const left = { turn_id: turn.id, turn_until: new Date(Date.now() + 60_000) }
    await db.updateTable('agent_chats').set(left).execute()
    assert.equal((await chat.say('Two')).status, 409)
    await db
      .updateTable('agent_chats')
      .set({ turn_until: new Date(Date.now() - 1) })
      .execute()
    assert.equal((await chat.say('Three')).body.messages[0].text, 'Here.')
    const { body } = await service.call('GET', chat.path)
    assert.deepEqual(
      body.turns.map(({ status }: { status: string }) => status),
      ['failed', 'succeeded'],
    )
  })

  it('stops a model that never stops calling tools', async () => {
    await using standIn = await openStandIn(() => ({
      toolCalls: [{ id: 'x', name: 'dance', input: {} }],
    }))
    await using service = await testService(configFor(standIn.baseUrl))
    const chat = await talkTo(service, modelAgent)
    const reply = await chat.say('Go')
    assert.equal(reply.body.status, 'failed')
    assert.match(reply.body.error, /20 rounds/)
    assert.equal(standIn.asked.length, 20)
  })
})

describe('a chat with a command', () => {
  const files = {
    'agent.mjs': `
      import { readFileSync, writeFileSync } from 'node:fs'
      const asked = readFileSync(process.env.INSTRUCTION_PATH, 'utf8')
      if (asked.includes('fail')) { console.error('I broke.'); process.exit(3) }
      writeFileSync(process.env.WORK_DIR + '/output.txt', process.env.SVC_AGENT_VERSION + ' heard: ' + asked)
    `,
  }

  it('runs it in the sandbox with the conversation as its instruction', async () => {
    await using service = await testService({ sandbox: 'process', searchPath: process.env.PATH ?? '' })
    const chat = await talkTo(service, {
      run: { command: ['node', 'agent.mjs'], timeout_seconds: 30 },
      files,
    })
    const first = await chat.say('Hello?')
    assert.equal(first.body.messages[0]?.text, 'helper@1 heard: Hello?', first.text)
    assert.deepEqual([first.body.steps[0].kind, first.body.steps[0].detail.isolation], ['agent', 'process'])
    const second = await chat.say('And?')
    for (const part of ['User: Hello?', 'You: helper@1 heard: Hello?', 'And?'])
      assert.ok(second.body.messages[0].text.includes(part), part)
    const failed = await chat.say('Now fail')
    assert.deepEqual([failed.status, failed.body.status], [200, 'failed'])
    assert.match(failed.body.error, /exit code 3.*I broke/s)
  })

  it('runs the files of a bundle, which then can no longer be added to a version that ran without', async () => {
    await using service = await testService({ sandbox: 'process', searchPath: process.env.PATH ?? '' })
    const archive = pack()
    archive.entry({ name: 'lib/agent.mjs' }, files['agent.mjs'])
    archive.finalize()
    const pieces: Buffer[] = []
    for await (const piece of archive as AsyncIterable<Buffer>) pieces.push(piece)
    const upload = (version: string) =>
      service.call('PUT', `/v1/agents/helper/versions/${version}/bundle`, gzipSync(Buffer.concat(pieces)), {
        headers: { 'content-type': 'application/gzip' },
      })
    const agent = { name: 'helper', version: '0', run_command: 'node lib/agent.mjs' }
    await service.call('POST', '/v1/agents/register', agent)
    assert.equal((await upload('0')).status, 201)
    const session = await service.call('POST', '/v1/agents/helper/chat/sessions')
    const path = `/v1/agents/helper/chat/sessions/${session.body.id}/messages`
    const reply = await service.call('POST', path, { text: 'Hello?' })
    assert.equal(reply.body.messages[0]?.text, 'helper@0 heard: Hello?', reply.text)
    const bare = await talkTo(service, { run_command: 'echo hello' })
    assert.equal((await bare.say('Hello?')).body.messages[0]?.text.trim(), 'hello')
    const late = await upload('1')
    assert.deepEqual([late.status, late.body.code], [409, 'conflict'])
  })

  it('is refused without a sandbox, without access to one, for drafts, and for a version that cannot answer', async () => {
    await using service = await testService({ sandbox: 'bubblewrap', searchPath: '/nonexistent' })
    const register = (version: string, more: object) =>
      service.call('POST', '/v1/agents/register', { name: 'helper', version, ...more })
    const start = (version: string, options = {}) =>
      service.call('POST', '/v1/agents/helper/chat/sessions', { version }, options)
    await register('command', { run_command: 'x' })
    const unavailable = await start('command')
    assert.deepEqual([unavailable.status, unavailable.body.code], [503, 'sandbox_unavailable'])
    await register('draft', { status: 'draft', run_command: 'x' })
    assert.deepEqual((await start('draft')).body.code, 'conflict')
    await register('awaiting', { run_command: 'x', bundle_sha256: '0'.repeat(64) })
    assert.match((await start('awaiting')).body.error, /not uploaded/)
    await register('mute', {})
    assert.match((await start('mute')).body.error, /neither/)
    assert.equal((await start('none')).status, 404)
    const { body } = await service.call('POST', '/v1/organizations', {
      name: 'O',
      limits: { sandbox: false },
    })
    const theirs = { key: body.key.secret }
    await service.call(
      'POST',
      '/v1/agents/register',
      { name: 'helper', version: '1', run_command: 'x' },
      theirs,
    )
    assert.deepEqual((await start('1', theirs)).body.code, 'sandbox_denied')
  })

  it('in a world needs a key that may change worlds, and a world of the same organization', async () => {
    await using standIn = await openStandIn(() => ({ text: 'Hi.' }))
    await using service = await testService(configFor(standIn.baseUrl))
    await service.call('POST', '/v1/agents/register', { name: 'helper', version: '1', ...modelAgent })
    const { body } = await service.call('POST', '/v1/api-keys', { name: 'k', scopes: ['agents:write'] })
    const path = '/v1/agents/helper/chat/sessions'
    const narrow = await service.call('POST', path, { world_id: 'wld_x' }, { key: body.secret })
    assert.equal(narrow.status, 403)
    assert.equal((await service.call('POST', path, { world_id: 'wld_x' })).status, 404)
  })
})
