import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createModelSession, type ModelSession } from './calls/session.ts'
import { openUpstream } from './calls/upstream.ts'
import { repliesOf, type Scripted } from './testing-replies.ts'

export type { Scripted } from './testing-replies.ts'

export type StandInWire = 'openai' | 'responses' | 'anthropic' | 'gemini'

export interface Asked {
  readonly wire: StandInWire
  readonly path: string
  readonly headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every wire.
  readonly body: any
}

export interface StandIn {
  /** For all wires alike. */
  readonly baseUrl: string
  readonly asked: Asked[]
  [Symbol.asyncDispose](): Promise<void>
}

/** A server on this machine that speaks every wire, streaming included, and says what the script says. */
export const openStandIn = async (script: (asked: Asked, turn: number) => Scripted): Promise<StandIn> => {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const wire = wireAt(path)
    const one: Asked = { wire, path, headers: request.headers, body: JSON.parse(await text(request)) }
    asked.push(one)
    const reply = script(one, asked.length)
    if (reply.silent) return
    if (reply.broken) return void breakOff(response, reply)
    if (reply.status !== undefined) refuse(response, reply, reply.status)
    else if (one.body.stream || path.includes(':streamGenerateContent'))
      await events(response, repliesOf[wire].events(reply))
    else json(response, repliesOf[wire].whole(reply))
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

const wireAt = (path: string): StandInWire => {
  if (path.endsWith('/messages')) return 'anthropic'
  if (path.endsWith('/responses')) return 'responses'
  return /:(stream)?generateContent/i.test(path) ? 'gemini' : 'openai'
}

const breakOff = (response: ServerResponse, reply: Scripted) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const [first, second] = repliesOf.openai.events(reply)
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

/** One event in each turn of the event loop, so that they leave as pieces. */
const events = async (
  response: ServerResponse,
  list: readonly { event?: string; data: unknown }[],
): Promise<void> => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const { event, data } of list) {
    response.write(
      `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    )
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  response.end()
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
