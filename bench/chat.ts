import { type ChildProcess, fork } from 'node:child_process'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { chat } from '../twins/chat/twin.ts'
import { Instance } from '../twins/kernel/instance.ts'
import { integration, type TwinRequest } from '../twins/kernel/twin.ts'
import { testCompany } from '../twins/testing/host.ts'
import { chatSeed } from './chat-seed.ts'

// The chat twin beside emulate 0.12.2, in one run on one machine: the same calls by turns at 32 at once, each server
// in a process of its own. Ours records every request and answers a write only when it is on the disk. Then, in
// process: search over 20,000 messages, and history as a channel grows. Processor time is shown beside the clock's,
// since other work on the machine hardly moves it; the targets are held against the clock.

const rounds = 5
const roundMs = 1_500
const crowd = 32
const wanted = { ratio: 1.5, searchMs: 20, growth: 1.5 }

interface Side {
  readonly url: string
  readonly token: string
  readonly channel: string
  readonly process: ChildProcess
  /** Emulate takes any token and allows each so many calls; it gets a new one in time. */
  readonly nextToken: () => string
}

const start = (name: string): Promise<Side> =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL(name, import.meta.url)), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    let calls = 0
    child.once('message', (said) => {
      const side = said as { url: string; token: string; channel: string; tokens: number }
      const nextToken = () =>
        side.tokens === 1 ? side.token : `${side.token}-${Math.floor(calls++ / side.tokens)}`
      resolve({ ...side, process: child, nextToken })
    })
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)))
  })

const agent = new Agent({ keepAlive: true, maxSockets: crowd })

const call = (side: Side, method: string, args: Record<string, string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const body = new URLSearchParams({ channel: side.channel, ...args }).toString()
    const headers = {
      authorization: `Bearer ${side.nextToken()}`,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(body),
    }
    const sent = request(`${side.url}/api/${method}`, { method: 'POST', agent, headers }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('end', () => resolve(Buffer.concat(chunks).toString()))
    })
    sent.on('error', reject)
    sent.end(body)
  })

interface Rate {
  readonly perSecond: number
  /** Microseconds of the server's own processor time for each request: hardly moved by what else runs here. */
  readonly cpuMicros: number
}

const cpuOf = (side: Side): Promise<number> =>
  new Promise((resolve) => {
    side.process.once('message', (said) => {
      const { user, system } = said as NodeJS.CpuUsage
      resolve(user + system)
    })
    side.process.send('cpu')
  })

/** How fast requests are answered with 32 under way all the time. */
const rate = async (side: Side, method: string, args: Record<string, string>): Promise<Rate> => {
  const end = performance.now() + roundMs
  let done = 0
  const worker = async () => {
    while (performance.now() < end) {
      const answer = await call(side, method, args)
      if (!answer.startsWith('{"ok":true')) throw new Error(`${method}: ${answer.slice(0, 200)}`)
      done++
    }
  }
  const before = await cpuOf(side)
  const from = performance.now()
  await Promise.all(Array.from({ length: crowd }, worker))
  const perSecond = (done / (performance.now() - from)) * 1_000
  return { perSecond, cpuMicros: ((await cpuOf(side)) - before) / done }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const verdict = (isGood: boolean): string => (isGood ? 'met' : 'MISSED')

const contest = async (
  ours: Side,
  theirs: Side,
  method: string,
  args: Record<string, string>,
): Promise<void> => {
  const [mine, rival]: [Rate[], Rate[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    mine.push(await rate(ours, method, args))
    rival.push(await rate(theirs, method, args))
  }
  const of = (rates: readonly Rate[], field: keyof Rate) => median(rates.map((one) => one[field]))
  const ratio = of(mine, 'perSecond') / of(rival, 'perSecond')
  const cpu = of(rival, 'cpuMicros') / of(mine, 'cpuMicros')
  console.log(
    `${method}: ours ${Math.round(of(mine, 'perSecond'))}/s, emulate ${Math.round(of(rival, 'perSecond'))}/s, ratio ${ratio.toFixed(2)} (wanted ${wanted.ratio}: ${verdict(ratio >= wanted.ratio)})`,
  )
  console.log(
    `  processor time a request: ours ${Math.round(of(mine, 'cpuMicros'))} µs, emulate ${Math.round(of(rival, 'cpuMicros'))} µs, ratio ${cpu.toFixed(2)}`,
  )
}

interface Took {
  readonly cpuMs: number
  readonly wallMs: number
}

const inProcess = (messages: number) => {
  const seed = chatSeed(messages)
  const bare = new Instance({ seed, principals: [] })
  const token = chat.token(integration, 'bench', bare.tables as never)
  const instance = new Instance({ seed, principals: [{ subject: integration, token }] })
  const channel = seed.seed.keys.find(({ key }) => key === 'pumps')?.id ?? ''
  const get = (method: string, args: Record<string, string>): TwinRequest => ({
    method: 'GET',
    path: `/api/${method}`,
    query: new URLSearchParams(args).toString(),
    headers: { authorization: `Bearer ${token}` },
    body: new Uint8Array(),
    baseUrl: 'http://twin.example',
  })
  return (method: string, args: Record<string, string>): Took => {
    const start = performance.now()
    const from = process.cpuUsage()
    const { step } = instance.handle(get(method, { channel, ...args }), testCompany.clock)
    const { user, system } = process.cpuUsage(from)
    const took = { cpuMs: (user + system) / 1_000, wallMs: performance.now() - start }
    if (!String(step.reply.body).startsWith('{"ok":true'))
      throw new Error(String(step.reply.body).slice(0, 200))
    return took
  }
}

const searches = [
  'invoice',
  'pump supplier',
  '"customer renewal"',
  'ref123',
  'deliver*',
  'in:#pumps budget -plan',
  'from:@mira release',
  'incident after:2026-03-01',
  'order',
  'ref7 has:link',
]

const searchBench = (): void => {
  const time = inProcess(20_000)
  for (const query of searches) time('search.messages', { query })
  const runs = Array.from({ length: 400 }, (_, n) =>
    time('search.messages', { query: searches[n % searches.length] ?? '' }),
  )
  const at = (field: keyof Took, share: number) =>
    runs.map((run) => run[field]).sort((a, b) => a - b)[Math.floor(runs.length * share)] ?? 0
  console.log(
    `search.messages over 20,000: p50 ${at('wallMs', 0.5).toFixed(2)} ms, p99 ${at('wallMs', 0.99).toFixed(2)} ms (wanted under ${wanted.searchMs}: ${verdict(at('wallMs', 0.99) < wanted.searchMs)})`,
  )
  console.log(
    `  in processor time: p50 ${at('cpuMs', 0.5).toFixed(2)} ms, p99 ${at('cpuMs', 0.99).toFixed(2)} ms`,
  )
  for (const query of searches) {
    const own = Array.from({ length: 20 }, () => time('search.messages', { query }).cpuMs)
    console.log(`  ${query}: ${median(own).toFixed(2)} ms of processor time`)
  }
}

const growthBench = (): void => {
  const [small, large] = [inProcess(100), inProcess(100_000)]
  const args = { limit: '100' }
  for (let n = 0; n < 50; n++) for (const time of [small, large]) time('conversations.history', args)
  const [few, many]: [number[], number[]] = [[], []]
  for (let n = 0; n < 300; n++) {
    few.push(small('conversations.history', args).wallMs)
    many.push(large('conversations.history', args).wallMs)
  }
  const growth = median(many) / median(few)
  console.log(
    `conversations.history: 100 messages ${median(few).toFixed(3)} ms, 100,000 messages ${median(many).toFixed(3)} ms, ratio ${growth.toFixed(2)} (wanted under ${wanted.growth}: ${verdict(growth < wanted.growth)})`,
  )
}

const [ours, theirs] = [await start('./chat-host.ts'), await start('./chat-rival.ts')]
await contest(ours, theirs, 'conversations.history', { limit: '100' })
await contest(ours, theirs, 'chat.postMessage', { text: 'The order of pumps is late; see the invoice.' })
for (const { process } of [ours, theirs]) process.disconnect()
agent.destroy()
searchBench()
growthBench()
