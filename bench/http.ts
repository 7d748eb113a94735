import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { openApp } from '../server/src/app.ts'
import { readConfig } from '../server/src/config.ts'
import { openLog } from '../server/src/http/log.ts'
import { openStorage } from '../server/src/storage/storage.ts'
import { type Measured, measure, middle, report } from './parts/load.ts'

// What the edge costs: `GET /v1/me` with authentication, validation, metrics and a log line a request, beside a
// bare node:http server and beside the framework's own hello-world. Each runs in its own process, one at a
// time, and they take turns.

const contenders = ['bare node:http', 'fastify hello-world', 'GET /v1/me'] as const
type Contender = (typeof contenders)[number]

const rounds = 3
const seconds = 3
/** Until what runs often is compiled: a service has more of it than a hello-world. */
const warmUpSeconds = 6
const concurrency = 32
const target = 0.6

interface Served {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  stop(): Promise<void>
}

const serveBare = (): Promise<Served> =>
  new Promise((resolve) => {
    const server = createServer((_request, reply) => {
      reply.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
      reply.end('{"hello":"world"}')
    })
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') throw new Error('the server has no port')
      resolve({
        url: `http://127.0.0.1:${address.port}/`,
        headers: {},
        stop: async () => void server.close(),
      })
    })
  })

const serveFramework = async (): Promise<Served> => {
  const app = Fastify()
  app.get('/', async () => ({ hello: 'world' }))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url: `${url}/`, headers: {}, stop: () => app.close() }
}

/** The whole service on its embedded database; its log is written out in full and goes nowhere. */
const serveOurs = async (): Promise<Served> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'diorama-bench-http-'))
  let written = 0
  const log = openLog({
    now: Date.now,
    write: (line) => {
      written += line.length
    },
  })
  const storage = await openStorage({ dataDir, log, now: Date.now, random: randomBytes })
  const apiKey = `dk_${randomBytes(24).toString('hex')}`
  const app = await openApp({
    config: { ...readConfig({ PORT: '0', DIORAMA_EMBEDDINGS: 'off' }), dataDir, apiKey },
    storage,
    log,
    now: Date.now,
    random: randomBytes,
    version: '0.0.0-bench',
    holder: 'bench',
  })
  return {
    url: `${app.baseUrl}/v1/me`,
    headers: { authorization: `Bearer ${apiKey}` },
    stop: async () => {
      await app.drain()
      await storage.close()
      rmSync(dataDir, { recursive: true, force: true })
      if (written === 0) throw new Error('nothing was logged')
    },
  }
}

const serve: Readonly<Record<Contender, () => Promise<Served>>> = {
  'bare node:http': serveBare,
  'fastify hello-world': serveFramework,
  'GET /v1/me': serveOurs,
}

/** Serves one contender until the parent says that it is done. */
const beContender = async (contender: Contender): Promise<void> => {
  const served = await serve[contender]()
  process.once('disconnect', () => process.exit(1))
  process.send?.({ url: served.url, headers: served.headers })
  process.on('message', async (order) => {
    if (order === 'cpu') return void process.send?.(process.cpuUsage().user + process.cpuUsage().system)
    await served.stop()
    process.exit(0)
  })
}

interface Running {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Microseconds of processor time that it has used. */
  cpu(): Promise<number>
  end(): Promise<void>
}

/** Starts a contender in its own process. */
const start = (contender: Contender): Promise<Running> =>
  new Promise((resolve, reject) => {
    const child = fork(new URL(import.meta.url), [contender], {
      env: { ...process.env, NODE_ENV: 'production' },
    })
    const ended = new Promise<void>((done) => child.once('exit', () => done()))
    child.once('exit', (code) => reject(new Error(`${contender} ended with ${code}`)))
    child.once('message', (message) => {
      const { url, headers } = message as Pick<Running, 'url' | 'headers'>
      resolve({
        url,
        headers,
        cpu: () =>
          new Promise((told) => {
            child.once('message', (used) => told(Number(used)))
            child.send('cpu')
          }),
        end: () => {
          child.send('done')
          return ended
        },
      })
    })
  })

interface Turn extends Measured {
  readonly cpuPerRequest: number
}

const takeTurn = async ({ url, headers, cpu }: Running): Promise<Turn> => {
  const before = await cpu()
  const measured = await measure({ url, headers, concurrency, seconds })
  // The load warms up for a third of its time, at the same rate.
  const requests = measured.perSecond * seconds * (4 / 3)
  return { ...measured, cpuPerRequest: ((await cpu()) - before) / requests }
}

const contest = async (): Promise<boolean> => {
  const servers = await Promise.all(contenders.map(start))
  const turns = contenders.map((): Turn[] => [])
  for (const { url, headers } of servers) await measure({ url, headers, concurrency, seconds: warmUpSeconds })
  for (let round = 0; round < rounds; round++)
    for (const [index, server] of servers.entries()) turns[index]?.push(await takeTurn(server))
  for (const { end } of servers) await end()
  const of = (read: (turn: Turn) => number) => turns.map((taken) => middle(taken.map(read)))
  const [rates, p99s, cpus] = [
    of((turn) => turn.perSecond),
    of((turn) => turn.p99Ms),
    of((turn) => turn.cpuPerRequest),
  ]
  for (const [index, contender] of contenders.entries()) {
    const speed = `${Math.round(rates[index] ?? 0).toLocaleString('en')} requests/s`
    const more = `p99 ${p99s[index]?.toFixed(1)} ms, ${cpus[index]?.toFixed(0)} µs of processor each`
    console.log(`     ${contender.padEnd(58)} ${speed.padStart(24)}   ${more}`)
  }
  const [bare = 1, framework = 1, ours = 0] = rates
  const [, frameworkCpu = 0, oursCpu = 1] = cpus
  const failed = turns.flat().reduce((sum, turn) => sum + turn.failed, 0)
  const share = ours / framework
  const cpuShare = frameworkCpu / oursCpu
  const line = (beside: string, value: number) =>
    [`GET /v1/me beside ${beside}`, `${value.toFixed(2)} of its rate`] as const
  report(...line('bare node:http', ours / bare), 'for comparison', true)
  report(...line('fastify hello-world', share), `at least ${target}`, share >= target)
  const byCpu = [`GET /v1/me beside fastify hello-world`, `${cpuShare.toFixed(2)} by processor time`] as const
  report(...byCpu, `at least ${target}`, cpuShare >= target)
  report('requests that failed', String(failed), 'none', failed === 0)
  return share >= target && cpuShare >= target && failed === 0
}

const [, , given] = process.argv
const contender = contenders.find((one) => one === given)
if (process.send && contender) await beContender(contender)
else if (!(await contest())) process.exitCode = 1
