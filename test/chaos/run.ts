import { randomBytes, randomInt } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../eventually.ts'
import { chaosFaults, type Ground } from './faults/faults.ts'
import { checkOut } from './machines/checkout.ts'
import { type ChaosDatabase, startDatabase } from './machines/database.ts'
import { type Network, openNetwork } from './machines/network.ts'
import { type ChaosNode, chaosNode } from './machines/nodes.ts'
import { type ChaosOptions, readOptions } from './options.ts'
import { seededRandom } from './random.ts'
import { type Api, openApi } from './workload/api.ts'
import { type Client, openClient } from './workload/clients.ts'
import { type ExamResult, otherVerdicts, prepareExam, readExam, startExam } from './workload/evaluation.ts'
import { services } from './workload/services.ts'

// `npm run test:chaos`: nodes on machines of their own share one PostgreSQL. Clients write to and read from twins of every
// service and an evaluation runs, while faults are injected one after the other. At the end everything that was
// acknowledged must be there, once and in order, no read may have been stale, and the verdicts must be those of a run
// without faults. The seed is printed: with `--seed` the same faults come in the same order.

const startedAt = performance.now()
const say = (text: string) =>
  process.stdout.write(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${text}\n`)

const options = readOptions(process.argv.slice(2), randomInt(1, 1_000_000))
const folder = mkdtempSync(join(tmpdir(), 'chaos-'))
// Sandboxed jobs of root run as other users, who must be able to pass.
chmodSync(folder, 0o711)
say(
  `seed ${options.seed}, ${options.nodes} nodes, ${options.trials} trials, faults for ${options.faultMs / 60_000} minutes`,
)

const once = (work: () => void): (() => void) => {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}

const perform = async (parts: {
  network: Network
  database: ChaosDatabase
  nodes: readonly ChaosNode[]
  key: string
}): Promise<string[]> => {
  const { network, nodes, key } = parts
  const random = seededRandom(options.seed)
  const api = openApi({ nodes, key, random: random.split(), sleep })
  const exam = await prepareExam(api, options.trials)
  say('an evaluation without faults')
  const calm = await readExam(api, await startExam(api, exam))
  say(`${calm.verdicts.size} verdicts: ${summary(calm)}`)
  const clients: Client[] = []
  for (const kind of Object.keys(services)) {
    const twin = await api.call('POST', '/v1/twins', { service: kind })
    clients.push(await openClient({ kind, twin, nodes, random: random.split(), sleep }))
  }
  const ground: Ground = { ...parts, random: random.split(), sleep }
  if (network.shared !== undefined) say(`all nodes share one network: ${network.shared}`)
  const disturbed = readExam(api, await startExam(api, exam))
  disturbed.catch(() => {})
  if (options.from !== undefined) {
    say(`upgrade from ${options.from} …`)
    for (const node of nodes) {
      await node.stop()
      await node.start()
      await recovered(ground, clients)
    }
    await tokensSealed(parts.database)
    say('upgrade: every node was replaced, one after the other, and tokens are sealed')
  }
  await injectAll(ground, clients, options)
  say('no more faults')
  for (const client of clients) await client.stop()
  const result = await disturbed
  say(`evaluation under faults: ${summary(result)}, ${result.voidedAttempts} attempts voided and repeated`)
  return [
    ...calm.faults,
    ...result.faults,
    ...otherVerdicts(calm, result),
    ...(await checkClients(clients, nodes)),
    ...checkReplies(api),
  ]
}

/** What an earlier version stored in plain text is sealed once none of its nodes lives. */
const tokensSealed = (database: ChaosDatabase) =>
  eventually(async () => (await database.plainTokens()) === 0, 'tokens of twins were not sealed')

/** Every kind of fault comes once in each round, in a new order. */
const injectAll = async (ground: Ground, clients: readonly Client[], { faultMs, faults }: ChaosOptions) => {
  const wanted = chaosFaults.filter(({ name }) => faults === undefined || faults.includes(name))
  if (wanted.length === 0) throw new Error(`--faults knows ${chaosFaults.map(({ name }) => name).join(', ')}`)
  for (const { name, refusal } of wanted) {
    const why = refusal(ground)
    if (why !== undefined) say(`${name} is left out: ${why}`)
  }
  const possible = wanted.filter(({ refusal }) => refusal(ground) === undefined)
  const endAt = performance.now() + faultMs
  for (let round = 0; round === 0 || performance.now() < endAt; round++)
    for (const { name, inject } of ground.random.shuffle(possible)) {
      if (round > 0 && performance.now() >= endAt) return
      say(`${name} …`)
      const done = await inject(ground)
      const repairedAt = performance.now()
      await recovered(ground, clients)
      say(`${name}: ${done}; all well ${((performance.now() - repairedAt) / 1_000).toFixed(1)} s later`)
    }
}

/** Every node is ready again and answers for every twin. */
const recovered = async ({ nodes }: Ground, clients: readonly Client[]) => {
  for (const node of nodes) {
    const ready = async () =>
      (await fetch(`${node.baseUrl}/readyz`, { signal: AbortSignal.timeout(2_000) })).status === 200
    await eventually(ready, `${node.machine.name} is not ready`)
    for (const client of clients)
      await eventually(() => client.reach(node), `${node.machine.name} does not answer for ${client.kind}`)
  }
}

const checkClients = async (clients: readonly Client[], nodes: readonly ChaosNode[]): Promise<string[]> => {
  for (const client of clients) {
    for (const node of nodes) await client.readAll(node)
    const { sent, acknowledged, reads } = client.history.counts
    const gap = (client.maxGapMs / 1_000).toFixed(1)
    say(
      `${client.kind}: ${acknowledged} of ${sent} writes acknowledged, ${reads} reads checked, ${client.unanswered} requests without an answer, no write acknowledged for at most ${gap} s`,
    )
  }
  return clients.flatMap(({ history, odd }) => [
    ...history.faults.map(({ kind, text }) => `${kind}: ${text}`),
    ...odd.map((text) => `odd reply: ${text}`),
  ])
}

const checkReplies = (api: Api): string[] => api.odd.map((text) => `odd reply: ${text}`)

const summary = ({ verdicts }: ExamResult): string => {
  const statuses = [...verdicts.values()].map((text) => String(JSON.parse(text).slice(0, 2)))
  return [...Map.groupBy(statuses, (status) => status)]
    .map(([status, all]) => `${all.length} ${status}`)
    .join(', ')
}

const network = openNetwork(process.pid)
const nodes: ChaosNode[] = []
let database: ChaosDatabase | undefined
/** Nothing is left behind, however the run ends. The database ends with this process. */
const clear = once(() => {
  for (const node of nodes) node.abandon()
  network.close()
})
process.once('exit', clear)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

const faults = await (async () => {
  const home = join(folder, 'database')
  mkdirSync(home, { mode: 0o700 })
  const shared = await startDatabase(network.machine('database'), { home, dataDir: folder })
  database = shared
  const key = `dk_${randomBytes(24).toString('hex')}`
  for (let n = 1; n <= options.nodes; n++) {
    const machine = network.machine(`node${n}`)
    nodes.push(chaosNode({ machine, database: shared, folder: join(folder, `n${n}`), key }))
  }
  const earlier = options.from === undefined ? {} : { main: checkOut(options.from, join(folder, 'earlier')) }
  // The first one migrates the database.
  await nodes[0]?.start(earlier)
  await Promise.all(nodes.slice(1).map((node) => node.start(earlier)))
  return perform({ network, database: shared, nodes, key })
})().catch((error: Error) => [`${error.stack}${error.cause ? `\ncaused by ${error.cause}` : ''}`])

if (faults.length > 0) {
  const logs = join(tmpdir(), `chaos-logs-${options.seed}`)
  mkdirSync(logs, { recursive: true })
  for (const node of nodes) writeFileSync(join(logs, `${node.machine.name}.log`), node.output())
  say(`what the nodes have printed is in ${logs}`)
}
for (const node of nodes) await node.kill()
await database?.close()
clear()
rmSync(folder, { recursive: true, force: true })
for (const text of faults) say(`FAULT ${text}`)
say(
  faults.length === 0
    ? 'nothing was lost, doubled, reordered or stale; all verdicts are the same'
    : `${faults.length} faults; repeat with --seed ${options.seed}`,
)
process.exit(faults.length === 0 ? 0 : 1)
