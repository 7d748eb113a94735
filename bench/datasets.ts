import { Readable } from 'node:stream'
import { readConfig } from '../server/src/config.ts'
import { testService } from '../server/src/testing.ts'
import { sampleCompany } from '../server/src/worlds/sample.ts'
import { spentBy } from './parts/cpu.ts'
import { rows } from './parts/large-company.ts'
import { middle, report } from './parts/load.ts'

// A large company made of rows beside the sample company, both on the real service with twins in threads.

const config = readConfig({ PORT: '0', DIORAMA_EMBEDDINGS: 'off' })
await using service = await testService({ checkReplies: false, twinIsolates: config.twinIsolates })
// biome-ignore lint/suspicious/noExplicitAny: replies of every shape.
type Any = any

const batched = function* (): Generator<Uint8Array> {
  let held = ''
  for (const row of rows()) {
    held += row
    if (held.length < 262_144) continue
    yield Buffer.from(held)
    held = ''
  }
  yield Buffer.from(held)
}

interface Taken<T> {
  readonly ms: number
  /** Processor time of the service, its isolates and its database, whatever else the machine does. */
  readonly cpuMs: number
  readonly result: T
}
const timed = async <T>(work: () => Promise<T>): Promise<Taken<T>> => {
  const began = performance.now()
  const { result, serviceMs, databaseMs } = await spentBy(service.storage.pool, work)
  return { ms: performance.now() - began, cpuMs: serviceMs + databaseMs, result }
}
/** Two kinds of work by turns, so that a busy moment of the machine meets both: the middle time and the processor time of one. */
const byTurns = async (
  small: () => Promise<unknown>,
  large: () => Promise<unknown>,
  { rounds, times }: { rounds: number; times: number },
) => {
  const sides = [small, large].map((work) => ({ work, ms: [] as number[], cpuMs: 0 }))
  for (let round = 0; round < rounds; round++)
    for (const side of sides) {
      const { cpuMs } = await timed(async () => {
        for (let n = 0; n < times; n++) {
          const began = performance.now()
          await side.work()
          side.ms.push(performance.now() - began)
        }
      })
      side.cpuMs += cpuMs
    }
  const [a, b] = sides.map(({ ms, cpuMs }) => ({ ms: middle(ms), cpuMs: cpuMs / rounds / times }))
  if (!a || !b) throw new Error('there are two sides')
  return { a, b }
}
/** A ratio by processor time, which other work on the machine does not change; the clock's is printed beside it. */
const ratio = (what: string, max: number, { a, b }: Awaited<ReturnType<typeof byTurns>>): void =>
  report(
    what,
    `${b.cpuMs.toFixed(2)} ms beside ${a.cpuMs.toFixed(2)} of processor, ${(b.cpuMs / a.cpuMs).toFixed(1)} × (by the clock ${(b.ms / a.ms).toFixed(1)} ×)`,
    `within ${max} ×`,
    b.cpuMs / a.cpuMs < max,
  )

let peak = 0
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 50)
const before = process.memoryUsage.rss()
const imported = await timed(async () => {
  const reply = await fetch(`${service.baseUrl}/v1/datasets?name=large`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(Readable.from(batched())) as Any,
    duplex: 'half',
  } as Any)
  const body = (await reply.json()) as Any
  if (reply.status !== 201) throw new Error(JSON.stringify(body).slice(0, 500))
  return body
})
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
report(
  'import of the large company',
  `${seconds(imported.ms)}, ${seconds(imported.cpuMs)} of processor`,
  'under 60 s',
  Math.min(imported.ms, imported.cpuMs) < 60_000,
)
const mib = (bytes: number) => `${Math.round(bytes / 1_048_576)} MiB`
report(
  'memory of the process at its peak while importing',
  `${mib(peak)} (${mib(before)} before)`,
  'under 1.5 GiB',
  peak < 1.5 * 2 ** 30,
)
clearInterval(watch)

const launch = async (body: object): Promise<Any> => {
  const reply = await service.call('POST', '/v1/builder/worlds', body)
  if (reply.body.status !== 'ready') throw new Error(reply.text.slice(0, 500))
  return reply.body
}
const large = { datasetVersionId: imported.result.id }
// The first world of a process also starts the isolates; that is no matter of the dataset.
const small = await launch({ blueprint: sampleCompany })
// Nor is the garbage that the import left.
globalThis.gc?.()
const first = await timed(() => launch(large))
report(
  'start from the stored seeds, nothing loaded',
  `${Math.round(first.ms)} ms, ${Math.round(first.cpuMs)} ms of processor`,
  'under 1 s',
  Math.min(first.ms, first.cpuMs) < 1_000,
)
ratio(
  'another world of the same seeds',
  3,
  await byTurns(
    () => launch({ blueprint: sampleCompany }),
    () => launch(large),
    { rounds: 5, times: 4 },
  ),
)

const twinOf = (world: Any, kind: string): Any => world.twins.find((one: Any) => one.service === kind)
const asks: [string, string, (twin: Any, isLarge: boolean) => Promise<Response>][] = [
  [
    'first page of channels',
    'chat',
    (twin) =>
      fetch(`${twin.baseUrl}/api/conversations.list?limit=20`, {
        headers: { authorization: `Bearer ${twin.token}` },
      }),
  ],
  [
    'first page of people',
    'chat',
    (twin) =>
      fetch(`${twin.baseUrl}/api/users.list?limit=5`, { headers: { authorization: `Bearer ${twin.token}` } }),
  ],
  [
    'first page of issues',
    'tracker',
    (twin) =>
      fetch(`${twin.baseUrl}/graphql`, {
        method: 'POST',
        headers: { authorization: twin.token, 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ issues(first: 5) { nodes { identifier title } } }' }),
      }),
  ],
  [
    'query by an indexed name',
    'crm',
    (twin, isLarge) =>
      fetch(
        `${twin.baseUrl}/services/data/v62.0/query?q=${encodeURIComponent(`SELECT Id FROM Account WHERE Name = '${isLarge ? 'Account 500' : 'Lakeshore'}'`)}`,
        { headers: { authorization: `Bearer ${twin.token}` } },
      ),
  ],
]
for (const [name, kind, ask] of asks) {
  const read = async (world: Any, isLarge: boolean) => {
    const reply = await ask(twinOf(world, kind), isLarge)
    await reply.text()
    if (reply.status !== 200) throw new Error(`${name}: ${reply.status}`)
  }
  const turns = (rounds: number, times: number) =>
    byTurns(
      () => read(small, false),
      () => read(first.result, true),
      { rounds, times },
    )
  await turns(1, 100)
  ratio(name, 2, await turns(10, 40))
}
