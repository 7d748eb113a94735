import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { openApp } from '../../server/src/app.ts'
import { readConfig } from '../../server/src/config.ts'
import { silentLog } from '../../server/src/storage/log.ts'
import { openStorage } from '../../server/src/storage/storage.ts'
import { sampleCompany } from '../../server/src/worlds/sample.ts'
import { middle, report } from '../parts/load.ts'
import { startService } from '../parts/running-service.ts'

// Resets through OpenEnv, in the service as `npm start` runs it, beside as many bare forks of the same world: the rows
// and isolates of its twins and nothing else, made by a call within a process on a second embedded database. Slices
// of both take turns, so that a machine with other work slows both alike. Each reset also ends the episode before it.

const count = Number(process.argv[2] ?? 1_000)
const slice = 50
const target = 5

/** The parts of the service in this process, with its defaults. */
const openBare = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-forks-'))
  const common = { log: silentLog, now: Date.now, random: randomBytes }
  const storage = await openStorage({ ...common, dataDir })
  const key = `dk_${randomBytes(24).toString('hex')}`
  const config = { ...readConfig({ PORT: '0', DIORAMA_EMBEDDINGS: 'off' }), dataDir, apiKey: key }
  const app = await openApp({ ...common, config, storage, version: '0', holder: 'bench' })
  const reply = await fetch(`${app.baseUrl}/v1/builder/worlds`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ blueprint: sampleCompany }),
  })
  const launched = (await reply.json()) as { world: { twins: { seedSha256: string }[] } }
  const seeds = await Promise.all(
    launched.world.twins.map(({ seedSha256 }) => app.runtime.seeds.load(seedSha256)),
  )
  const [organization] = await storage.db.selectFrom('organizations').select('id').execute()
  const orders = (trialId: string) =>
    seeds.map((seed, position) => ({
      ...{ organizationId: organization?.id ?? '', createdBy: 'bench', worldId: null, position, seed },
      ...{ entityCount: 0, environmentVersionId: null, trialId, ttlMs: 3_600_000 },
    }))
  let made = 0
  return {
    fork: () => app.runtime.twins.fork(orders(`bench ${made++}`)),
    [Symbol.asyncDispose]: async () => {
      await app.drain()
      await storage.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

await using bare = await openBare()
await using service = await startService()
const launched = await service.call('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
const suiteId = launched.evaluation.taskSuiteId
const address = `${service.baseUrl.replace('http', 'ws')}/openenv/${suiteId}/ws`
const socket = new WebSocket(address, { headers: { authorization: `Bearer ${service.key}` } })
await once(socket, 'open')
const reset = async () => {
  socket.send('{"type":"reset","data":{"task":"escalate-calder"}}')
  const [data] = await once(socket, 'message')
  const { type } = JSON.parse(String(data))
  if (type !== 'observation') throw new Error(`a reset was answered ${String(data)}`)
}

const taken: { fork: number[]; reset: number[] } = { fork: [], reset: [] }
const measure = async (side: 'fork' | 'reset', times: number) => {
  const work = side === 'fork' ? bare.fork : reset
  for (let n = 0; n < times; n++) {
    const began = performance.now()
    await work()
    taken[side].push(performance.now() - began)
  }
}
await measure('fork', slice)
await measure('reset', slice)
taken.fork.length = 0
taken.reset.length = 0
for (let at = 0; at < count; at += slice) {
  const isForkFirst = (at / slice) % 2 === 0
  for (const side of isForkFirst ? (['fork', 'reset'] as const) : (['reset', 'fork'] as const))
    await measure(side, Math.min(slice, count - at))
}
socket.close()
const sum = (times: readonly number[]) => times.reduce((all, one) => all + one, 0)
const ratio = sum(taken.reset) / sum(taken.fork)
const seconds = (times: readonly number[]) => (sum(times) / 1_000).toFixed(1)
report(
  `${count.toLocaleString('en')} resets through OpenEnv beside bare forks`,
  `${ratio.toFixed(2)} × (${seconds(taken.reset)} of ${seconds(taken.fork)} s)`,
  `at most ${target} ×`,
  ratio <= target,
)
report(
  'a reset, and a bare fork, in the middle',
  `${middle(taken.reset).toFixed(1)} and ${middle(taken.fork).toFixed(1)} ms`,
  'milliseconds',
  middle(taken.reset) < 100,
)
if (ratio > target) process.exitCode = 1
