import { fork } from 'node:child_process'
import { Agent, request } from 'node:http'

/** A load from a separate process, so that the server under it has its core to itself. */
export interface Load {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly concurrency: number
  readonly seconds: number
}

export interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly failed: number
}

export const measure = (load: Load): Promise<Measured> =>
  new Promise((resolve, reject) => {
    const child = fork(new URL(import.meta.url), [], { execArgv: [] })
    child.once('message', (measured) => resolve(measured as Measured))
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? undefined : reject(new Error(`the load ended with ${code}`))))
    child.send(load)
  })

const once = (load: Load, agent: Agent): Promise<boolean> =>
  new Promise((resolve) => {
    const outgoing = request(
      load.url,
      { method: load.method ?? 'GET', headers: { ...load.headers }, agent },
      (reply) => {
        reply.resume()
        reply.on('end', () => resolve((reply.statusCode ?? 500) < 400))
      },
    )
    outgoing.on('error', () => resolve(false))
    outgoing.end(load.body)
  })

const run = async (load: Load): Promise<Measured> => {
  const agent = new Agent({ keepAlive: true, maxSockets: load.concurrency })
  const times: number[] = []
  let failed = 0
  const work = async (until: number, keep: boolean) => {
    while (performance.now() < until) {
      const began = performance.now()
      const fine = await once(load, agent)
      if (keep) times.push(performance.now() - began)
      if (!fine) failed++
    }
  }
  const all = (seconds: number, keep: boolean) => {
    const until = performance.now() + seconds * 1_000
    return Promise.all(Array.from({ length: load.concurrency }, () => work(until, keep)))
  }
  await all(load.seconds / 3, false)
  await all(load.seconds, true)
  agent.destroy()
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return { perSecond: times.length / load.seconds, p50Ms: at(0.5), p99Ms: at(0.99), failed }
}

if (process.send && process.argv[1] === new URL(import.meta.url).pathname)
  process.once('message', (load) => {
    run(load as Load).then((measured) => {
      process.send?.(measured, () => process.exit(0))
    })
  })

export const middle = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

/** One line of a benchmark: what, how much, and against what was asked. */
export const report = (what: string, value: string, target: string, holds: boolean): void =>
  console.log(`${holds ? 'ok  ' : 'MISS'} ${what.padEnd(58)} ${value.padStart(24)}   ${target}`)
