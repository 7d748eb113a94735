import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import fc from 'fast-check'
import { type Running, startProcess, stopProcess } from '../../server/src/testing-process.ts'
import { bodyOf, oddCalls } from '../../twins/chat/testing/odd-calls.ts'
import { anyQuery, damagedQuery } from '../../twins/crm/testing/odd-queries.ts'
import { anyFilter, damagedBatch } from '../../twins/erp/testing/odd-requests.ts'
import { orderService } from '../../twins/erp/testing/requests.ts'
import { documentOf, tape, tokenSoup } from '../../twins/tracker/testing/odd-documents.ts'

const cases = Number(process.env.DIORAMA_ODD_REQUESTS ?? 100_000)
const atOnce = 16
const batch = 500
interface OddRequest {
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly body?: string | Uint8Array
}

const multipart = fc
  .tuple(
    fc.constantFrom('files.upload', 'chat.postMessage', 'files.completeUploadExternal', 'api.test'),
    fc.uint8Array({ maxLength: 400 }),
    fc.constantFrom('--x\r\n', '--x--', '\r\n\r\n', 'Content-Disposition: form-data; name="channel"', ''),
  )
  .map(
    ([method, bytes, noise]): OddRequest => ({
      method: 'POST',
      path: `/api/${method}`,
      type: 'multipart/form-data; boundary=x',
      body: Buffer.concat([
        Buffer.from(`--x\r\nContent-Disposition: form-data; name="text"\r\n\r\n${noise}`),
        bytes,
        Buffer.from(`\r\n${noise}--x--\r\n`),
      ]),
    }),
  )

const graphql = (document: string): OddRequest => ({
  method: 'POST',
  path: '/graphql',
  type: 'application/json',
  body: JSON.stringify({ query: document }),
})

const soql = (query: string): OddRequest => ({
  method: 'GET',
  path: `/services/data/v62.0/query?q=${encodeURIComponent(query)}`,
})

/** What confused and hostile clients send, by the kind of twin. */
const oddRequests: Readonly<Record<string, fc.Arbitrary<OddRequest>>> = {
  chat: fc.oneof(
    {
      weight: 4,
      arbitrary: oddCalls(['C01', 'general', '#general', 'U01', '1767000000.000100']).map(
        (call): OddRequest => ({
          method: 'POST',
          path: `/api/${call.method}`,
          type: call.json ? 'application/json; charset=utf-8' : 'application/x-www-form-urlencoded',
          body: bodyOf(call),
        }),
      ),
    },
    { weight: 1, arbitrary: multipart },
  ),
  tracker: fc.oneof(tape.map(documentOf), tokenSoup).map(graphql),
  crm: fc.oneof(anyQuery, damagedQuery).map(soql),
  erp: fc.oneof(
    { weight: 4, arbitrary: anyFilter.map(filtered) },
    {
      weight: 1,
      arbitrary: damagedBatch.map(
        (body): OddRequest => ({
          method: 'POST',
          path: `${orderService}/$batch`,
          type: 'multipart/mixed; boundary=b',
          body,
        }),
      ),
    },
  ),
}

function filtered(text: string): OddRequest {
  return { method: 'GET', path: `${orderService}/A_SalesOrder?$filter=${encodeURIComponent(text)}` }
}

const agent = new Agent({ keepAlive: true, maxSockets: atOnce })

const statusOf = (url: string, token: string, { method, type, body }: OddRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...(type ? { 'content-type': type } : {}) }
    const sent = send(url, { method, headers, agent }, (reply) => {
      reply.resume()
      reply.once('end', () => resolve(reply.statusCode ?? 0))
    })
    sent.once('error', reject)
    sent.end(body)
  })

const shown = ({ method, path, body = '' }: OddRequest): string => `${method} ${path} ${String(body)}`

/** Turns of the service's event loop that took more than 50 ms of processor time, so far. */
const longTurns = async ({ baseUrl }: Running): Promise<number> => {
  const text = await (await fetch(`${baseUrl}/metrics`)).text()
  const count = (name: string) =>
    Number(new RegExp(`^diorama_event_loop_turn_seconds_${name} (\\d+)`, 'm').exec(text)?.[1])
  return count('count') - count('bucket\\{le="0.06"\\}')
}

interface Twin {
  readonly id: string
  readonly token: string
}

/** Sends them all, a few at a time. */
const sendAll = async (
  running: Running,
  { id, token }: Twin,
  { arbitrary, seed }: { arbitrary: fc.Arbitrary<OddRequest>; seed: number },
): Promise<void> => {
  const each = cases / Object.keys(oddRequests).length
  for (let done = 0; done < each; done += batch) {
    const requests = fc.sample(arbitrary, { numRuns: batch, seed: seed + done })
    const next = requests.values()
    const sender = async () => {
      for (const request of next) {
        const status = await statusOf(`${running.baseUrl}/t/${id}${request.path}`, token, request)
        const isFault = status >= 500 && status !== 501
        if (isFault) assert.fail(`${status}: ${shown(request)}\n${running.output().slice(-2_000)}`)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, sender))
  }
}

/** Launches a twin, sends it all of them, and returns how many turns were long. */
const longTurnsOf = async (running: Running, key: string, kind: string): Promise<number> => {
  const arbitrary = oddRequests[kind] ?? assert.fail(kind)
  const launched = await fetch(`${running.baseUrl}/v1/twins`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ service: kind }),
  })
  const twin = (await launched.json()) as Twin
  assert.equal(launched.status, 201)
  const before = await longTurns(running)
  await sendAll(running, twin, { arbitrary, seed: 20_261_116 })
  return (await longTurns(running)) - before
}

it(`${cases} odd requests are answered without a fault, and none stops the service for 50 ms`, async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'diorama-odd-'))
  const key = `dk_${randomBytes(24).toString('hex')}`
  const running = await startProcess(dataDir, key, { DIORAMA_LOG: 'warnings' })
  try {
    for (const kind of Object.keys(oddRequests)) {
      const long = await longTurnsOf(running, key, kind)
      t.diagnostic(`${kind}: ${long} turns of the event loop took more than 50 ms of processor time`)
      // A request that stops the loop stops it on a new twin too; what the collector of garbage took does not return.
      if (long > 0) assert.equal(await longTurnsOf(running, key, kind), 0, kind)
    }
  } finally {
    await stopProcess(running)
    agent.destroy()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
