import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { startService } from '../parts/running-service.ts'
import { slopeOf } from './slope.ts'

// The service as `npm start` runs it, under a steady load of 70 % of what it bears here, for SOAK_MINUTES (5): memory and
// latency must stay flat, within the scatter of their samples. Old messages are left behind in channels that are no longer
// read, as in a company.

const minutes = Number(process.env.SOAK_MINUTES ?? 5)
const clients = 8
const sampleMs = 5_000
const fullLoadMs = 15_000
const share = 0.7
const perChannel = 500

await using service = await startService({ DIORAMA_LOG: 'none' })
const twin = await service.call('POST', '/v1/twins', { service: 'chat' })
const api = async (method: string, args: Record<string, string>) => {
  const reply = await fetch(`${service.baseUrl}/t/${twin.id}/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${twin.token}` },
    body: new URLSearchParams(args),
  })
  const body = (await reply.json()) as { ok: boolean; channel?: { id: string } }
  if (!body.ok) throw new Error(`${method}: ${JSON.stringify(body)}`)
  return body
}
let sent = 0
let channel = ''
const latencies: number[] = []
const request = async () => {
  const n = sent++
  if (n % perChannel === 0)
    channel = (await api('conversations.create', { name: `soak-${n}` })).channel?.id ?? ''
  const start = performance.now()
  if (n % 2 === 0) await api('chat.postMessage', { channel, text: `message ${n}` })
  else await api('conversations.history', { channel, limit: '20' })
  latencies.push(performance.now() - start)
}
const residentMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1_024
const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0

await request()
const fullLoad = async (): Promise<number> => {
  const before = sent
  const endAt = performance.now() + fullLoadMs
  const loop = async () => {
    while (performance.now() < endAt) await request()
  }
  await Promise.all(Array.from({ length: clients }, loop))
  return ((sent - before) * 1_000) / fullLoadMs
}
const full = await fullLoad()
const rate = full * share
process.stdout.write(
  `${full.toFixed(0)} requests a second at full load; ${rate.toFixed(0)} for ${minutes} minutes\n`,
)

const samples: { at: number; memory: number; median: number; slow: number }[] = []
const startedAt = performance.now()
let failure: unknown
const keepFailure = (error: unknown) => {
  failure = error
}
for (let due = 0; performance.now() - startedAt < minutes * 60_000 && failure === undefined; ) {
  latencies.length = 0
  const sampleEnd = performance.now() + sampleMs
  const running: Promise<void>[] = []
  while (performance.now() < sampleEnd) {
    // Requests are sent when they are due, however long earlier ones take, so that a slow service cannot lower the load.
    for (; due < ((performance.now() - startedAt) * rate) / 1_000; due++)
      running.push(request().catch(keepFailure))
    await pause(2)
  }
  await Promise.all(running)
  const at = (performance.now() - startedAt) / 60_000
  const [median, slow] = [percentile(latencies, 0.5), percentile(latencies, 0.95)]
  samples.push({ at, memory: residentMb(), median, slow })
}
if (failure !== undefined) throw failure

// The first fifth is the warm-up: caches fill, and the heap grows to its working size.
const steady = samples.slice(Math.floor(samples.length / 5))
for (const [name, unit, value] of [
  ['resident memory', 'MB', (one: (typeof samples)[number]) => one.memory],
  ['median latency', 'ms', (one: (typeof samples)[number]) => one.median],
  ['95th percentile of latency', 'ms', (one: (typeof samples)[number]) => one.slow],
] as const) {
  const values = steady.map((one) => ({ at: one.at, value: value(one) }))
  const { perUnit, noise, isFlat } = slopeOf(values)
  const [first, last] = [values[0]?.value ?? 0, values.at(-1)?.value ?? 0]
  process.stdout.write(
    `${name}: ${first.toFixed(1)} to ${last.toFixed(1)} ${unit}, ${perUnit.toFixed(3)} ${unit} a minute ` +
      `(noise ${noise.toFixed(3)}): ${isFlat ? 'flat' : perUnit > 0 ? 'RISING' : 'falling'}\n`,
  )
}
