import { Readable } from 'node:stream'
import { readConfig } from '../server/src/config.ts'
import { testService } from '../server/src/testing.ts'
import { sampleCompany } from '../server/src/worlds/sample.ts'
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

const timed = async <T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> => {
  const began = performance.now()
  const result = await work()
  return { ms: performance.now() - began, result }
}
const half = async (times: number, work: (n: number) => Promise<unknown>): Promise<number> => {
  const taken: number[] = []
  for (let n = 0; n < times; n++) taken.push((await timed(() => work(n))).ms)
  return middle(taken)
}

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
report(
  'import of the large company',
  `${(imported.ms / 1_000).toFixed(1)} s`,
  'under 60 s',
  imported.ms < 60_000,
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
const first = await timed(() => launch(large))
report(
  'start from the stored seeds, nothing loaded',
  `${Math.round(first.ms)} ms`,
  'under 1 s',
  first.ms < 1_000,
)
const small = await launch({ blueprint: sampleCompany })
const smallMs = await half(20, () => launch({ blueprint: sampleCompany }))
const largeMs = await half(20, () => launch(large))
report(
  'another world of the same seeds',
  `${largeMs.toFixed(1)} ms beside ${smallMs.toFixed(1)} ms, ${(largeMs / smallMs).toFixed(1)} ×`,
  'within 3 ×',
  largeMs / smallMs < 3,
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
  const time = async (world: Any, isLarge: boolean) => {
    const read = async () => {
      const reply = await ask(twinOf(world, kind), isLarge)
      await reply.text()
      if (reply.status !== 200) throw new Error(`${name}: ${reply.status}`)
    }
    await half(20, read)
    return half(100, read)
  }
  const [a, b] = [await time(small, false), await time(first.result, true)]
  report(
    name,
    `${b.toFixed(2)} ms beside ${a.toFixed(2)} ms, ${(b / a).toFixed(1)} ×`,
    'within 2 ×',
    b / a < 2,
  )
}
