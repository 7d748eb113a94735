import pg from 'pg'
import { type ChaosDatabase, maxConnections } from '../machines/database.ts'
import type { Network } from '../machines/network.ts'
import type { ChaosNode } from '../machines/nodes.ts'
import type { Random } from '../random.ts'

/** What faults are injected into. */
export interface Ground {
  readonly nodes: readonly ChaosNode[]
  readonly database: ChaosDatabase
  readonly network: Network
  readonly random: Random
  readonly sleep: (ms: number) => Promise<void>
}

export interface ChaosFault {
  readonly name: string
  /** Why it cannot be injected here. */
  readonly refusal: (ground: Ground) => string | undefined
  /** Injects it and repairs it; resolves to what was done. */
  readonly inject: (ground: Ground) => Promise<string>
}

/** Longer than the lease of a node: its twins are taken over, and it must notice. */
const longerThanLease = { from: 16_000, to: 19_000 }
const dayMs = 86_400_000

const always = () => undefined
const needsNetwork = ({ network }: Ground) => network.shared

/** Names what is done before it is done, so that the log shows where a run was. */
const fault = (
  name: string,
  inject: ChaosFault['inject'],
  refusal: ChaosFault['refusal'] = always,
): ChaosFault => ({ name, inject, refusal })

const forAWhile = async ({ random, sleep }: Ground, { from, to }: { from: number; to: number }) => {
  const ms = random.between(from, to)
  await sleep(ms)
  return `${(ms / 1_000).toFixed(1)} s`
}

const kill = fault('kill', async (ground) => {
  const node = ground.random.pick(ground.nodes)
  await node.kill()
  const time = await forAWhile(ground, { from: 500, to: 4_000 })
  await node.start()
  return `${node.machine.name} was gone for ${time}`
})

const pause = fault('pause', async (ground) => {
  const node = ground.random.pick(ground.nodes)
  node.pause()
  const time = await forAWhile(ground, longerThanLease)
  node.wake()
  return `${node.machine.name} stood still for ${time}`
})

const cutFromDatabase = fault(
  'database-partition',
  async (ground) => {
    const { network, database } = ground
    const node = ground.random.pick(ground.nodes)
    network.cut(node.machine, database.machine)
    const time = await forAWhile(ground, longerThanLease)
    network.heal(node.machine, database.machine)
    return `${node.machine.name} did not reach the database for ${time}`
  },
  needsNetwork,
)

const cutNodes = fault(
  'node-partition',
  async (ground) => {
    const [one, other] = ground.random.shuffle(ground.nodes)
    if (!one || !other) return 'there is one node only'
    ground.network.cut(one.machine, other.machine)
    const time = await forAWhile(ground, { from: 4_000, to: 9_000 })
    ground.network.heal(one.machine, other.machine)
    return `${one.machine.name} and ${other.machine.name} did not reach each other for ${time}`
  },
  needsNetwork,
)

const skew = fault('clock-skew', async (ground) => {
  const node = ground.random.pick(ground.nodes)
  const skewMs = ground.random.pick([-31 * dayMs, -90_000, 90_000, 31 * dayMs])
  await node.stop()
  await node.start({ skewMs })
  const time = await forAWhile(ground, { from: 5_000, to: 9_000 })
  await node.stop()
  await node.start()
  return `the clock of ${node.machine.name} was off by ${skewMs / 1_000} s for ${time}`
})

const fullDisk = fault(
  'full-disk',
  async (ground) => {
    const node = ground.random.pick(ground.nodes)
    node.fillDisk()
    const time = await forAWhile(ground, { from: 6_000, to: 10_000 })
    node.freeDisk()
    return `${node.machine.name} had no disk left for ${time}`
  },
  ({ nodes }) => (nodes.every(({ hasOwnDisk }) => hasOwnDisk) ? undefined : 'no file system can be mounted'),
)

/** Ends the connections of all nodes and takes their places, so that they cannot come back for a while. */
const exhaust = fault('connection-exhaustion', async (ground) => {
  const { database } = ground
  const taken: pg.Client[] = []
  const take = async () => {
    const client = new pg.Client({ connectionString: database.url, application_name: 'chaos' })
    client.on('error', () => {})
    await client.connect()
    taken.push(client)
  }
  for (let round = 0; round < 2; round++) {
    await cutConnections(database)
    await Promise.allSettled(Array.from({ length: maxConnections }, take))
  }
  const time = await forAWhile(ground, { from: 4_000, to: 8_000 })
  await Promise.all(taken.map((client) => client.end()))
  return `${taken.length} of ${maxConnections} connections were taken for ${time}`
})

const cutConnections = (database: ChaosDatabase) =>
  database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'chaos' and application_name = 'diorama'`,
  )

const cut = fault('cut-connections', async (ground) => {
  let ended = 0
  for (let round = 0; round < 3; round++) {
    ended += (await cutConnections(ground.database)).length
    await ground.sleep(ground.random.between(300, 1_500))
  }
  return `${ended} connections to the database were ended`
})

const rollingRestart = fault('rolling-restart', async (ground) => {
  for (const node of ground.random.shuffle(ground.nodes)) {
    await node.stop()
    await node.start()
  }
  return 'every node was stopped and started, one after the other'
})

export const chaosFaults: readonly ChaosFault[] = [
  ...[kill, pause, cutFromDatabase, cutNodes, skew, fullDisk, exhaust, cut, rollingRestart],
]
