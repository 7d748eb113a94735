import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createModelSession, type ModelSession } from './calls/session.ts'
import { openUpstream } from './calls/upstream.ts'

/** What the stand-in says to one request. */
export interface Scripted {
  readonly text?: string
  readonly toolCalls?: readonly { id: string; name: string; input: unknown }[]
  readonly usage?: { input: number; output: number }
  /** An error instead of an answer. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Never answers: for time-outs and cancelling. */
  readonly silent?: true
  /** Breaks off in the middle of its answer. */
  readonly broken?: true
}

export interface Asked {
  readonly wire: 'openai' | 'anthropic'
  readonly headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of two wires.
  readonly body: any
}

export interface StandIn {
  /** For the OpenAI wire and the Anthropic wire alike. */
  readonly baseUrl: string
  readonly asked: Asked[]
  [Symbol.asyncDispose](): Promise<void>
}

/** A server on this machine that speaks the two wires, streaming included, and says what the script says. */
export const openStandIn = async (script: (asked: Asked, turn: number) => Scripted): Promise<StandIn> => {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const wire = request.url === '/v1/messages' ? 'anthropic' : 'openai'
    const one: Asked = { wire, headers: request.headers, body: JSON.parse(await text(request)) }
    asked.push(one)
    const reply = script(one, asked.length)
    if (reply.silent) return
    if (reply.broken) return void breakOff(response, reply)
    if (reply.status !== undefined) refuse(response, reply, reply.status)
    else if (one.body.stream)
      events(response, wire === 'openai' ? openAiEvents(reply) : anthropicEvents(reply))
    else json(response, wire === 'openai' ? openAiReply(reply) : anthropicReply(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const breakOff = (response: ServerResponse, reply: Scripted) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const [first, second] = openAiEvents(reply)
  response.write(`data: ${JSON.stringify(first?.data)}\n\ndata: ${JSON.stringify(second?.data)}\n\n`, () =>
    response.destroy(),
  )
}

const json = (response: ServerResponse, body: unknown) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const refuse = (response: ServerResponse, { headers, text: said }: Scripted, status: number) =>
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify({ type: 'error', error: { type: 'refused', message: said ?? `scripted ${status}` } }))

const events = (response: ServerResponse, list: readonly { event?: string; data: unknown }[]) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const { event, data } of list)
    response.write(
      `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    )
  response.end()
}

const usageOf = ({ usage }: Scripted) => usage ?? { input: 10, output: 5 }
const openAiUsage = (reply: Scripted) => {
  const { input, output } = usageOf(reply)
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}
const openAiCalls = ({ toolCalls = [] }: Scripted) =>
  toolCalls.map(({ id, name, input }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
const envelope = { id: 'cmpl-1', created: 1_700_000_000, model: 'stand-in' }

const openAiReply = (reply: Scripted) => ({
  ...envelope,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: reply.text ?? null,
        ...(reply.toolCalls ? { tool_calls: openAiCalls(reply) } : {}),
      },
      finish_reason: reply.toolCalls ? 'tool_calls' : 'stop',
    },
  ],
  usage: openAiUsage(reply),
})

const openAiEvents = (reply: Scripted) => {
  const chunk = (delta: unknown, finish: string | null = null) => ({
    data: {
      ...envelope,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    },
  })
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(reply.text ?? '').split(/(?<= )/).map((content) => chunk({ content })),
    ...openAiCalls(reply).map((call) => chunk({ tool_calls: [call] })),
    chunk({}, reply.toolCalls ? 'tool_calls' : 'stop'),
    { data: { ...envelope, object: 'chat.completion.chunk', choices: [], usage: openAiUsage(reply) } },
    { data: '[DONE]' },
  ]
}

const anthropicEnvelope = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'stand-in',
  stop_sequence: null,
}
const stopReason = ({ toolCalls }: Scripted) => (toolCalls ? 'tool_use' : 'end_turn')

const anthropicReply = (reply: Scripted) => {
  const { input, output } = usageOf(reply)
  return {
    ...anthropicEnvelope,
    content: [
      ...(reply.text === undefined ? [] : [{ type: 'text', text: reply.text }]),
      ...(reply.toolCalls ?? []).map((call) => ({ type: 'tool_use', ...call })),
    ],
    stop_reason: stopReason(reply),
    usage: { input_tokens: input, output_tokens: output },
  }
}

const anthropicEvents = (reply: Scripted) => {
  const { input, output } = usageOf(reply)
  const event = (type: string, rest: object) => ({ event: type, data: { type, ...rest } })
  const textBlock =
    reply.text === undefined
      ? []
      : [
          {
            start: { type: 'text', text: '' },
            deltas: reply.text.split(/(?<= )/).map((piece) => ({ type: 'text_delta', text: piece })),
          },
        ]
  const calls = (reply.toolCalls ?? []).map(({ id, name, input: given }) => ({
    start: { type: 'tool_use', id, name, input: {} },
    deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(given) }],
  }))
  return [
    event('message_start', {
      message: {
        ...anthropicEnvelope,
        content: [],
        stop_reason: null,
        usage: { input_tokens: input, output_tokens: 1 },
      },
    }),
    ...[...textBlock, ...calls].flatMap(({ start, deltas }, index) => [
      event('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', {
      delta: { stop_reason: stopReason(reply), stop_sequence: null },
      usage: { output_tokens: output },
    }),
    event('message_stop', {}),
  ]
}

/** A session that asks the providers and writes nothing down. */
export const liveSession = (timeoutMs = 5_000): ModelSession =>
  createModelSession({
    mode: 'live',
    scope: 'test',
    clocks: [],
    prices: {},
    upstream: openUpstream({ timeoutMs }),
    now: Date.now,
    makeId: (prefix) => `${prefix}_test`,
  })
