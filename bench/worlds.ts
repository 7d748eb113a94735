import { Instance } from '@diorama/twin-kit/kernel/instance'
import { freezeSeed } from '@diorama/twin-kit/kernel/seed'
import { testCompany } from '@diorama/twin-kit/testing/host'
import Fastify from 'fastify'
import { WorldBlueprint } from '../contract/blueprint/index.ts'
import { testService } from '../server/src/testing.ts'
import { stateStore } from '../server/src/twins/isolates/state-store.ts'
import { openRegistry } from '../server/src/twins/registry.ts'
import { checkBlueprint, compileBlueprint } from '../server/src/worlds/compile.ts'
import { sampleCompany, sampleModels } from '../server/src/worlds/sample.ts'
import { notes } from '../twins/notes/twin.ts'
import { measure, middle, report } from './parts/load.ts'

// Launch, fork, memory, recorded requests and restore, each beside its baseline or its target.

const blueprint = WorldBlueprint.parse(sampleCompany)
const registry = openRegistry(sampleModels())
const timed = async (times: number, work: () => unknown): Promise<number> => {
  const taken: number[] = []
  for (let n = 0; n < times; n++) {
    const began = performance.now()
    await work()
    taken.push(performance.now() - began)
  }
  return middle(taken)
}
const ms = (value: number) => `${value.toFixed(2)} ms`
const heap = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const compileMs = await timed(50, () => {
  checkBlueprint(blueprint, registry)
  compileBlueprint(blueprint, registry)
})
report('compile the sample company', ms(compileMs), 'under 10 ms', compileMs < 10)

await using service = await testService({ checkReplies: false }, [
  ...sampleModels(),
  { twin: notes, sample: { section: { notes: [] }, company: testCompany } },
])

const launch = () => service.call('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
await timed(5, launch)
const launchMs = await timed(40, launch)
report('launch of four sections to ready, over HTTP', ms(launchMs), 'under 60 ms', launchMs < 60)

const { runtime } = service.app
const seeds = compileBlueprint(blueprint, registry).map((one) =>
  freezeSeed(registry.require(one.seed.kind).twin, one.seed, one.sha256),
)
const [organization] = await service.storage.db.selectFrom('organizations').select('id').execute()
const orders = (trial: string) =>
  seeds.map((seed, position) => ({
    organizationId: organization?.id ?? '',
    createdBy: 'bench',
    worldId: null,
    position,
    seed,
    entityCount: 0,
    environmentVersionId: null,
    trialId: trial,
    ttlMs: 3_600_000,
  }))
await timed(50, () => runtime.twins.fork(orders('warm')))
let trial = 0
const forkMs = await timed(200, () => runtime.twins.fork(orders(`trial ${trial++}`)))
report('fork of a compiled world, durable', ms(forkMs), 'under 2 ms', forkMs < 2)

const before = heap()
const held = Array.from({ length: 10_000 }, (_, n) => {
  const seed = seeds[n % seeds.length]
  return seed && new Instance({ seed, principals: [{ subject: 'integration', token: `token ${n}` }] })
})
const eachKib = (heap() - before) / held.length / 1_024
report('heap of an untouched twin', `${eachKib.toFixed(1)} KiB`, 'under 64 KiB', eachKib < 64)
const rss = process.memoryUsage().rss / 2 ** 30
report(
  `a process with ${held.length.toLocaleString('en')} live twins`,
  `${rss.toFixed(2)} GiB`,
  'under 1.5 GiB',
  rss < 1.5,
)

const made = await service.call('POST', '/v1/twins', { service: 'notes' })
const twin = made.body
const plain = Fastify()
plain.post('/', async () => ({ ok: true }))
const constant = await plain.listen({ host: '127.0.0.1', port: 0 })
const headers = { authorization: `Bearer ${twin.token}`, 'content-type': 'application/json' }
const shared = { method: 'POST', headers, concurrency: 32, seconds: 4 }
const base = await measure({ ...shared, url: constant, body: '{}' })
const note = await fetch(`${twin.baseUrl}/write`, { method: 'POST', headers, body: '{"text":"Hello"}' })
const { id } = (await note.json()) as { id: string }
const read = await measure({ ...shared, url: `${twin.baseUrl}/read`, body: JSON.stringify({ id }) })
const write = await measure({ ...shared, url: `${twin.baseUrl}/write`, body: '{"text":"Hello"}' })
const ratio = (one: { perSecond: number }) => one.perSecond / base.perSecond
report(
  'recorded read beside a constant of the framework',
  `${ratio(read).toFixed(2)} (${read.perSecond.toFixed(0)}/s)`,
  'at least 0.5',
  ratio(read) >= 0.5,
)
report(
  'recorded durable write, 32 at once, beside it',
  `${ratio(write).toFixed(2)} (${write.perSecond.toFixed(0)}/s)`,
  'at least 0.25',
  ratio(write) >= 0.25,
)
await plain.close()

const row = await runtime.store.findAny(twin.id)
if (row) {
  const { writes: steps } = await stateStore(service.storage.db).stepCounts(row.id, row.epoch)
  const restoreMs = await timed(5, async () => {
    runtime.host.forget(row.id)
    await runtime.host.find(row.id)
  })
  report(
    `restore of a twin after ${steps.toLocaleString('en')} steps`,
    ms(restoreMs),
    'under 200 ms at 10,000',
    restoreMs < 200 || steps > 15_000,
  )
}
