import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { generateText, streamText } from 'ai'
import OpenAI from 'openai'
import { type TestStorage, testStorage } from '../../storage/testing.ts'
import { createModelSession, type ModelSession } from '../calls/session.ts'
import { openUpstream } from '../calls/upstream.ts'
import { artifactOf, entriesOf } from '../cassettes/artifact.ts'
import { type Cassettes, createCassettes, type LoadedCassette } from '../cassettes/cassettes.ts'
import type { Provider } from '../providers/provider.ts'
import { openStandIn, type StandIn } from '../testing.ts'
import { operationAt } from './operations.ts'

const organizationId = 'org_clients'
const apiKey = 'sk-of-the-agent'
const question = 'Where is the parcel? Grüße 🙂'
const answer = 'It is in Zürich 🙂 and comes today.'

/** What a client of a vendor makes of an answer: text, and the tokens that it counts. */
type Said = readonly [text: string, input: number | undefined, output: number | undefined]
type Ask = (baseUrl: string, marker: string) => Promise<Said>

const openai = (baseUrl: string) => new OpenAI({ apiKey, baseURL: `${baseUrl}/v1`, maxRetries: 0 })
const anthropic = (baseURL: string) => new Anthropic({ apiKey, baseURL, maxRetries: 0 })
const gemini = (baseUrl: string) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl } })
const aiSdk = (baseUrl: string) => createOpenAI({ apiKey, baseURL: `${baseUrl}/v1` })
const messages = [{ role: 'user' as const, content: question }]

const clients: Readonly<Record<string, Ask>> = {
  'openai, chat completions': async (baseUrl, user) => {
    const reply = await openai(baseUrl).chat.completions.create({ model: 'small', user, messages })
    const { usage } = reply
    return [reply.choices[0]?.message.content ?? '', usage?.prompt_tokens, usage?.completion_tokens]
  },
  'openai, chat completions streamed': async (baseUrl, user) => {
    const stream = openai(baseUrl).chat.completions.stream({
      ...{ model: 'small', user, messages, stream_options: { include_usage: true } },
    })
    const { choices, usage } = await stream.finalChatCompletion()
    return [choices[0]?.message.content ?? '', usage?.prompt_tokens, usage?.completion_tokens]
  },
  'openai, responses': async (baseUrl, user) => {
    const metadata = { user }
    const reply = await openai(baseUrl).responses.create({ model: 'small', metadata, input: question })
    return [reply.output_text, reply.usage?.input_tokens, reply.usage?.output_tokens]
  },
  'openai, responses streamed': async (baseUrl, user) => {
    const stream = openai(baseUrl).responses.stream({ model: 'small', user, input: question })
    let text = ''
    for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta
    const { usage } = await stream.finalResponse()
    return [text, usage?.input_tokens, usage?.output_tokens]
  },
  'anthropic, messages': async (baseUrl, user_id) => {
    const { content, usage } = await anthropic(baseUrl).messages.create({
      ...{ model: 'small', max_tokens: 100, metadata: { user_id }, messages },
    })
    const [block] = content
    return [block?.type === 'text' ? block.text : '', usage.input_tokens, usage.output_tokens]
  },
  'anthropic, messages streamed': async (baseUrl, user_id) => {
    const stream = anthropic(baseUrl).messages.stream({
      ...{ model: 'small', max_tokens: 100, metadata: { user_id }, messages },
    })
    const { usage } = await stream.finalMessage()
    return [await stream.finalText(), usage.input_tokens, usage.output_tokens]
  },
  'gemini, generateContent': async (baseUrl) => {
    const { models } = gemini(baseUrl)
    const { text, usageMetadata } = await models.generateContent({ model: 'small', contents: question })
    return [text ?? '', usageMetadata?.promptTokenCount, usageMetadata?.candidatesTokenCount]
  },
  'gemini, streamGenerateContent': async (baseUrl) => {
    const stream = await gemini(baseUrl).models.generateContentStream({ model: 'small', contents: question })
    let [text, input, output]: [string, number?, number?] = ['']
    for await (const piece of stream) {
      text += piece.text ?? ''
      input = piece.usageMetadata?.promptTokenCount ?? input
      output = piece.usageMetadata?.candidatesTokenCount ?? output
    }
    return [text, input, output]
  },
  'the AI SDK': async (baseUrl) => {
    const { text, usage } = await generateText({ model: aiSdk(baseUrl)('small'), prompt: question })
    return [text, usage.inputTokens, usage.outputTokens]
  },
  'the AI SDK, streamed': async (baseUrl) => {
    const { text, usage } = streamText({ model: aiSdk(baseUrl)('small'), prompt: question })
    return [await text, (await usage).inputTokens, (await usage).outputTokens]
  },
}

interface Front extends AsyncDisposable {
  readonly baseUrl: string
  /** The pieces of every reply, as they left. */
  readonly sent: string[][]
}

/** The end of the path of model calls that a client sees: HTTP in, a session behind it. */
const openFront = async (session: ModelSession, providers: Record<string, Provider>): Promise<Front> => {
  const sent: string[][] = []
  const server = createServer(async (request, response) => {
    const found = operationAt(request.method ?? '', request.url ?? '')
    assert.ok(found, request.url)
    const name = found.operation.wire
    const reply = await session.exchange({
      ...{ source: 'agent', name, provider: providers[name], credential: 'provider', found },
      headers: request.headers,
      body: await buffer(request),
      signal: new AbortController().signal,
    })
    response.writeHead(reply.status, reply.headers)
    const pieces: string[] = []
    sent.push(pieces)
    for await (const chunk of reply.body) {
      pieces.push(Buffer.from(chunk).toString('utf8'))
      response.write(chunk)
    }
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe("the vendors' own clients", () => {
  let test: TestStorage
  let cassettes: Cassettes
  let standIn: StandIn
  const upstream = openUpstream({ timeoutMs: 60_000 })
  const session = (mode: 'record' | 'replay', cassette?: LoadedCassette) =>
    createModelSession({
      ...{ mode, cassette, scope: 'asks / parcel / 1', clocks: [Date.now()], upstream, now: Date.now },
      prices: { small: { input: 1, output: 10 } },
      makeId: (prefix) => `${prefix}_${randomUUID()}`,
    })
  const providers = () =>
    Object.fromEntries(
      (['openai', 'anthropic', 'gemini'] as const).map((wire) => [
        wire,
        {
          ...{ wire, baseUrl: standIn.baseUrl, apiKey: `sk-real-${wire}`, keyName: 'KEY' },
          ...{ allowPrivate: true, agentModels: null },
        },
      ]),
    )
  const kept = async (recorded: ModelSession['recorded'], name: string): Promise<LoadedCassette> => {
    const place = { organizationId, name, by: 'key_test' }
    await cassettes.import(place, entriesOf(artifactOf(name, recorded)))
    const found = await cassettes.resolve(organizationId, name)
    return cassettes.load(organizationId, found?.id ?? '')
  }

  before(async () => {
    test = await testStorage()
    const organization = { id: organizationId, name: 'Clients', limits: '{}' }
    await test.storage.db.insertInto('organizations').values(organization).execute()
    cassettes = createCassettes({
      db: test.storage.db,
      runs: { unfinished: async () => new Set(), isUsed: async () => false },
      now: Date.now,
      makeId: (prefix) => `${prefix}_${randomUUID()}`,
    })
    standIn = await openStandIn(() => ({ text: answer, usage: { input: 1_200, output: 80 } }))
  })
  after(async () => {
    upstream.close()
    await standIn[Symbol.asyncDispose]()
    await test[Symbol.asyncDispose]()
  })

  it('that hang up after the last event of a stream have heard everything, and before it have not', async () => {
    const recording = session('record')
    const body = Buffer.from(JSON.stringify({ model: 'small', stream: true, messages }))
    const found = operationAt('POST', '/v1/chat/completions')
    assert.ok(found)
    const hangUpAt = async (last: RegExp) => {
      const { body: chunks } = await recording.exchange({
        ...{ source: 'agent', name: 'openai', provider: providers().openai, credential: 'provider', found },
        ...{ headers: {}, body, signal: new AbortController().signal },
      })
      for await (const chunk of chunks) if (last.test(Buffer.from(chunk).toString())) break
    }
    await hangUpAt(/\[DONE\]/)
    await hangUpAt(/Zürich/)
    await recording.settled()
    const ends = recording.calls.map(({ outcome, inputTokens }) => [outcome, inputTokens])
    assert.deepEqual(ends, [
      ['succeeded', 1_200],
      ['aborted', 0],
    ])
    assert.equal(recording.recorded.length, 1)
  })

  it('get no key from a provider that sends it back, be it in pieces', async () => {
    const key = 'sk-real-openai'
    const pieces = ['data: {"x": "sk-r', 'eal-', 'openai and sk-real', '-openai", "y": "sk-real-open"}\n\n']
    const server = createServer(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `of ${key}` })
      for (const piece of pieces) {
        await new Promise<void>((resolve) => response.write(piece, () => setTimeout(resolve, 20)))
      }
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const found = operationAt('POST', '/v1/chat/completions')
    assert.ok(found)
    const echo = { ...providers().openai, wire: 'openai', keyName: 'KEY', apiKey: key } as const
    const reply = await session('record').exchange({
      ...{ source: 'agent', name: 'openai', credential: 'provider', found, headers: {} },
      provider: { ...echo, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      body: Buffer.from(JSON.stringify({ model: 'small', stream: true, messages })),
      signal: new AbortController().signal,
    })
    const text = (await buffer(reply.body)).toString()
    assert.equal(text, 'data: {"x": "[redacted] and [redacted]", "y": "sk-real-open"}\n\n')
    assert.equal(reply.headers['request-id'], 'of [redacted]')
    server.close()
  })

  for (const [name, ask] of Object.entries(clients))
    it(`hear the same from a cassette, chunk by chunk: ${name}`, async () => {
      const before = standIn.asked.length
      const recording = session('record')
      await using live = await openFront(recording, providers())
      const first = await ask(live.baseUrl, randomUUID())
      assert.deepEqual(first, [answer, 1_200, 80])
      await recording.settled()
      assert.equal(standIn.asked.length, before + 1)
      const headers = JSON.stringify(standIn.asked.at(-1)?.headers)
      assert.match(headers, /sk-real-/)
      assert.ok(!headers.includes(apiKey))

      const replaying = session('replay', await kept(recording.recorded, randomUUID()))
      await using replay = await openFront(replaying, {})
      assert.deepEqual(await ask(replay.baseUrl, randomUUID()), first)
      await replaying.settled()
      assert.deepEqual(replay.sent, live.sent)
      if (name.includes('stream')) assert.ok((live.sent[0]?.length ?? 0) > 1, 'the stream came in pieces')
      assert.equal(standIn.asked.length, before + 1, 'nobody was asked')
      const metered = ({ calls }: ModelSession) =>
        calls.map(({ inputTokens, outputTokens, costUsd, outcome, streamed, answered }) => ({
          ...{ inputTokens, outputTokens, costUsd, outcome, streamed, text: answered.text },
        }))
      assert.deepEqual(metered(replaying), metered(recording))
      assert.deepEqual(
        replaying.calls.map(({ served, inputTokens, answered }) => [served, inputTokens, answered.text]),
        [['cassette', 1_200, answer]],
      )
    })
})
