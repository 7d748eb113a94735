import { Instance } from '@diorama/twin-kit/kernel/instance'
import type { TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { chat } from '../twins/chat/twin.ts'
import { chatSeed } from './parts/chat-seed.ts'

// The chat twin in process: search over 20,000 messages, and history as a channel grows. The service beside emulate, with
// sockets and a durable ledger, is measured by bench/ledger.ts. Processor time is shown beside the clock's, since other
// work on the machine hardly moves it.

const wanted = { searchMs: 20, growth: 1.5 }

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const verdict = (isGood: boolean): string => (isGood ? 'met' : 'MISSED')

interface Took {
  readonly cpuMs: number
  readonly wallMs: number
}

const subject = testCompany.people[0]?.handle ?? ''

const inProcess = (messages: number) => {
  const seed = chatSeed(messages)
  const bare = new Instance({ seed, principals: [] })
  // A person: bots may not search.
  const token = chat.token(subject, 'bench', bare.tables as never)
  const instance = new Instance({ seed, principals: [{ subject, token }] })
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

searchBench()
growthBench()
