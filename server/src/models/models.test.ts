import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ModelFailure, type ModelReply } from './model.ts'
import { createModels, parseModelName } from './models.ts'
import { liveSession, openStandIn, type StandIn } from './testing.ts'

const never = new AbortController().signal

const modelsAt = (standIn: Pick<StandIn, 'baseUrl'>, waits: number[] = [], timeoutMs = 5_000) =>
  createModels({
    providers: {
      openai: {
        wire: 'openai',
        baseUrl: standIn.baseUrl,
        apiKey: 'sk-test',
        keyName: 'OPENAI_API_KEY',
        allowPrivate: true,
      },
      anthropic: {
        wire: 'anthropic',
        baseUrl: standIn.baseUrl,
        apiKey: 'sk-ant',
        keyName: 'ANTHROPIC_API_KEY',
        allowPrivate: true,
      },
    },
    prices: { 'openai/small': { input: 1, output: 4 } },
    session: liveSession(),
    source: 'judge',
    timeoutMs,
    jitter: () => 0.5,
    wait: async (ms) => void waits.push(ms),
  })

const lookup = {
  name: 'lookup',
  description: 'Looks a thing up.',
  inputSchema: { type: 'object', properties: { key: { type: 'string' } } },
}

for (const provider of ['openai', 'anthropic'] as const) {
  describe(`a model that speaks the ${provider} wire`, () => {
    it('answers with text and counts tokens', async () => {
      await using standIn = await openStandIn(() => ({
        text: 'Hello.',
        usage: { input: 1_000, output: 500 },
      }))
      const model = modelsAt(standIn).open({ provider, id: 'small' })
      const reply = await model.generate(
        { instructions: 'Be brief.', messages: [{ role: 'user', text: 'Hi' }] },
        never,
      )
      assert.equal(reply.text, 'Hello.')
      assert.equal(reply.finish, 'stop')
      assert.deepEqual(reply.usage, { inputTokens: 1_000, outputTokens: 500 })
      assert.equal(reply.costUsd, provider === 'openai' ? 0.003 : null)
      const [asked] = standIn.asked
      assert.equal(asked?.wire, provider)
      assert.ok(JSON.stringify(asked?.body).includes('Be brief.'))
      assert.ok(JSON.stringify(asked?.headers).includes(provider === 'openai' ? 'sk-test' : 'sk-ant'))
    })

    it('calls tools, and gets their results back beside its own call', async () => {
      await using standIn = await openStandIn((_, turn) =>
        turn === 1
          ? { text: 'Looking.', toolCalls: [{ id: 'c1', name: 'lookup', input: { key: 'A-1' } }] }
          : { text: 'It is blue.' },
      )
      const model = modelsAt(standIn).open({ provider, id: 'small' })
      const question = { role: 'user', text: 'What colour is A-1?' } as const
      const first = await model.generate({ messages: [question], tools: [lookup] }, never)
      assert.equal(first.finish, 'tool_calls')
      assert.deepEqual(first.toolCalls, [{ id: 'c1', name: 'lookup', input: { key: 'A-1' } }])
      const results = [{ id: 'c1', name: 'lookup', text: 'blue', failed: false }]
      const second = await model.generate(
        {
          messages: [question, { role: 'assistant', reply: first }, { role: 'tool', results }],
          tools: [lookup],
        },
        never,
      )
      assert.equal(second.text, 'It is blue.')
      const sent = JSON.stringify(standIn.asked[1]?.body.messages)
      for (const part of ['c1', 'A-1', 'blue']) assert.ok(sent.includes(part), part)
    })

    it('streams its text, and the end is the whole reply', async () => {
      await using standIn = await openStandIn(() => ({
        text: 'one two three',
        toolCalls: [{ id: 'c1', name: 'lookup', input: { key: 'B' } }],
        usage: { input: 7, output: 3 },
      }))
      const model = modelsAt(standIn).open({ provider, id: 'small' })
      const pieces: string[] = []
      let reply: ModelReply | undefined
      for await (const piece of model.stream(
        { messages: [{ role: 'user', text: 'Count' }], tools: [lookup] },
        never,
      )) {
        if (piece.type === 'text') pieces.push(piece.text)
        else reply = piece.reply
      }
      assert.equal(standIn.asked[0]?.body.stream, true)
      assert.ok(pieces.length >= 3)
      assert.equal(pieces.join(''), 'one two three')
      assert.equal(reply?.text, 'one two three')
      assert.deepEqual(reply?.toolCalls, [{ id: 'c1', name: 'lookup', input: { key: 'B' } }])
      assert.deepEqual(reply?.usage, { inputTokens: 7, outputTokens: 3 })
    })

    it('gives an object of the asked schema, and refuses what is none', async () => {
      await using standIn = await openStandIn((asked, turn) =>
        turn > 1
          ? { text: 'I would rather not.' }
          : asked.body.tools
            ? { toolCalls: [{ id: 'j', name: asked.body.tools[0].name, input: { score: 0.5 } }] }
            : { text: '```json\n{"score": 0.5}\n```' },
      )
      const model = modelsAt(standIn).open({ provider, id: 'small' })
      const request = {
        messages: [{ role: 'user', text: 'Grade it' } as const],
        output: {
          name: 'grade',
          schema: {
            type: 'object',
            properties: { score: { type: 'number' } },
            required: ['score'],
            additionalProperties: false,
          },
        },
      }
      assert.deepEqual((await model.generate(request, never)).object, { score: 0.5 })
      assert.ok(JSON.stringify(standIn.asked[0]?.body).includes('score'))
      await assert.rejects(model.generate(request, never), { reason: 'bad_output' })
    })

    it('is asked again after 429 and 5xx, as late as it wishes, and not indefinitely', async () => {
      const waits: number[] = []
      await using standIn = await openStandIn((_, turn) =>
        turn === 1
          ? { status: 429, headers: { 'retry-after': '3' } }
          : turn === 2
            ? { status: 503 }
            : turn === 3
              ? { text: 'At last.' }
              : { status: 500 },
      )
      const model = modelsAt(standIn, waits).open({ provider, id: 'small' })
      const request = { messages: [{ role: 'user', text: 'Hi' } as const] }
      assert.equal((await model.generate(request, never)).text, 'At last.')
      assert.deepEqual(waits, [3_000, 1_000])
      await assert.rejects(model.generate(request, never), { reason: 'unavailable' })
      assert.equal(standIn.asked.length, 7)
    })

    it('is not asked again after a refusal, and a refused key is named by its variable', async () => {
      await using standIn = await openStandIn((_, turn) => ({
        status: turn === 1 ? 400 : 401,
        text: 'No to sk-test and sk-ant.',
      }))
      const model = modelsAt(standIn).open({ provider, id: 'small' })
      const request = { messages: [{ role: 'user', text: 'Hi' } as const] }
      await assert.rejects(model.generate(request, never), { reason: 'refused' })
      const variable = provider === 'openai' ? /OPENAI_API_KEY/ : /ANTHROPIC_API_KEY/
      await assert.rejects(model.generate(request, never), { reason: 'not_configured', message: variable })
      await assert.rejects(
        model.generate(request, never),
        ({ message }: Error) => !/sk-(test|ant)/.test(message),
      )
      assert.equal(standIn.asked.length, 3)
    })
  })
}

describe('a model', () => {
  it('that stays silent runs into the time-out, and a caller can stop waiting before', async () => {
    await using standIn = await openStandIn(() => ({ silent: true }))
    const request = { messages: [{ role: 'user', text: 'Hi' } as const] }
    const hasty = modelsAt(standIn, [], 30).open({ provider: 'openai', id: 'small' })
    await assert.rejects(hasty.generate(request, never), { reason: 'timeout' })
    const caller = new AbortController()
    const waiting = modelsAt(standIn)
      .open({ provider: 'openai', id: 'small' })
      .generate(request, caller.signal)
    caller.abort()
    await assert.rejects(waiting, { name: 'AbortError' })
  })

  it('without a key or an endpoint is refused by the name of what is missing', () => {
    const models = createModels({
      providers: {
        openai: { wire: 'openai', baseUrl: undefined, apiKey: undefined, keyName: 'OPENAI_API_KEY' },
      },
      prices: {},
      session: liveSession(),
      source: 'judge',
      timeoutMs: 1_000,
      jitter: () => 0,
    })
    assert.throws(() => models.open({ provider: 'openai', id: 'x' }), /OPENAI_API_KEY/)
    assert.throws(() => models.open({ provider: 'elsewhere', id: 'x' }), /DIORAMA_MODEL_PROVIDERS/)
    assert.throws(() => models.open({ provider: '__proto__', id: 'x' }), ModelFailure)
  })

  it('is named by provider and id, and the id may hold slashes', () => {
    assert.deepEqual(parseModelName('openai/org/model'), { provider: 'openai', id: 'org/model' })
    assert.deepEqual(parseModelName('openai:org/model:8b'), { provider: 'openai', id: 'org/model:8b' })
    assert.throws(() => parseModelName('model'), ModelFailure)
  })
})
