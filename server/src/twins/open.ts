import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { FairUse } from '../http/limits/fair-use.ts'
import type { Metrics } from '../http/metrics.ts'
import { every } from '../http/schedule.ts'
import type { Log } from '../storage/log.ts'
import type { Sealing } from '../storage/secrets/sealing.ts'
import type { Storage } from '../storage/storage.ts'
import { type GatewayParts, mountGateway } from './gateway.ts'
import { type Host, openHost } from './host.ts'
import { inlineIsolate } from './isolates/isolate.ts'
import type { Movement, WorldSteps } from './isolates/movement.ts'
import { type IsolatePool, inlinePool, openThreadPool, type ThreadPoolDeps } from './isolates/pool.ts'
import { createRunner } from './isolates/runner.ts'
import { stateStore } from './isolates/state-store.ts'
import type { IsolateSettings } from './isolates/thread-isolate.ts'
import { type Ledger, openLedger } from './ledger/ledger.ts'
import type { LedgerEntry } from './ledger/ledger-entry.ts'
import { type ActivityReader, openActivity } from './ledger/ledger-reader.ts'
import { type ActivityStreams, openActivityStreams, openActivityWakeups } from './ledger/ledger-stream.ts'
import { lookMs, watchDeadNodes } from './placement/dead-nodes.ts'
import { heartbeatMs, type Node, nodeLease, openNode } from './placement/nodes.ts'
import { createOtherNodes, type NodeIdentity } from './placement/other-nodes.ts'
import { openPlacements } from './placement/placements.ts'
import { openRegistry, type Registry, type TwinModel } from './registry.ts'
import { createLedgerRetention, type LedgerRetention } from './retention.ts'
import { openSeeds, type Seeds } from './seeds.ts'
import { type TwinStore, twinStore } from './store.ts'
import { createTokenSealing, type TokenSealing } from './tokens/token-sealing.ts'
import { openTwins, type Twins } from './twins.ts'

export interface RuntimeParts {
  readonly storage: Storage
  /** Encrypts the tokens of twins. */
  readonly sealing: Sealing
  readonly models: readonly TwinModel[]
  readonly log: Log
  readonly metrics: Metrics
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
  readonly holder: string
  readonly place: () => { baseUrl: string; version: string }
  /** Where other nodes reach this one. */
  readonly address: () => string
  readonly bodyLimitBytes: number
  /** The origin that serves twins alone, apart from the console's. */
  readonly twinOrigin: string | undefined
  readonly fairUse: FairUse
  readonly limitsOf: GatewayParts['limitsOf']
  readonly dataDir: string
  /** The threads that run twins; without them twins run in this thread. */
  readonly isolates: IsolateOptions | undefined
  /** What this node shows other nodes, where they speak TLS. */
  readonly identity: NodeIdentity | undefined
  /** No other process shares the database: what an earlier life of this one held is free at once. */
  readonly alone: boolean
  /** Worlds whose twins share a clock. */
  readonly movement: (steps: WorldSteps) => Movement
}

export interface IsolateOptions extends Omit<IsolateSettings, 'databaseUrl' | 'cacheFolder'> {
  readonly count: number
}

const expirySweepMs = 2_000
const strandedSweepMs = 5_000
const healthSweepMs = 15_000
const idleSweepMs = 60_000
const retentionSweepMs = 10 * 60_000
const sealingSweepMs = 5_000

export interface TwinRuntime {
  readonly registry: Registry
  readonly store: TwinStore
  readonly seeds: Seeds
  readonly host: Host
  readonly twins: Twins
  readonly activity: ActivityReader
  readonly retention: LedgerRetention
  readonly streams: ActivityStreams
  /** Calls the listener with steps as soon as they are durable, in the order of each twin's life. */
  readonly onCommitted: (listener: (entries: readonly LedgerEntry[]) => void) => void
  readonly mount: (edge: FastifyInstance) => Promise<void>
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Everything that runs twins: seeds, ledger, host, gateway and the sweeps that keep their states true. */
export const openTwinRuntime = ({
  storage,
  sealing,
  models,
  log,
  metrics,
  now,
  random,
  holder,
  place,
  address,
  bodyLimitBytes,
  twinOrigin,
  fairUse,
  limitsOf,
  alone,
  dataDir,
  isolates,
  identity,
  movement,
}: RuntimeParts): TwinRuntime => {
  const { db, pool, wake, leases, makeId } = storage
  const registry = openRegistry(models)
  for (const { twin } of models) twin.useCache?.(join(dataDir, 'cache'))
  const tokens = createTokenSealing({ db, store: twinStore(db), sealing })
  const { store } = tokens
  const seeds = openSeeds({ db, twinOf: (kind) => registry.find(kind)?.twin })
  const wakeups = openActivityWakeups({ wake, log, now })
  const committedListeners: ((entries: readonly LedgerEntry[]) => void)[] = []
  const ledger = openLedger(pool, (entries) => {
    wakeups.recorded(entries)
    for (const listener of committedListeners) listener(entries)
  })
  const leasesLost = countLostLeases(metrics)
  const node = openNode({
    ...{ leases, wake, holder, address, log, isAlone: alone },
    onLost: () => {
      leasesLost.inc()
      host.evictAll()
    },
  })
  const isolatePool = openIsolates({
    ...{ storage, seeds, isolates, dataDir, log },
    onGone: (isolate, culprit) => placements.isolateGone(isolate, culprit),
  })
  const placements = openPlacements({
    ...{ store, registry, ledger, node, wake, log, now },
    pool: () => isolatePool,
    nodes: createOtherNodes(identity),
  })
  const host = openHost({ placements, pool: () => isolatePool, ledger, movement, log, now, makeId })
  const mcpPathOf = (service: string) => registry.find(service)?.twin.mcp?.path
  const placeOf = () => ({ ...place(), mcpPathOf })
  const twins = openTwins({ db, store, host, node, log, now, random, makeId, place: placeOf })
  const activity = openActivity({ db, now, host, flush: ledger.flush })
  const retention = createLedgerRetention({ db, leases, holder, log })
  const streams = openActivityStreams({ db, store, wakeups, wake, log, now })
  showMetrics(metrics, { host, node, ledger, isolatePool, streams })
  let stops: (() => Promise<void>)[] = []
  return {
    registry,
    store,
    seeds,
    host,
    twins,
    activity,
    retention,
    streams,
    onCommitted: (listener: (entries: readonly LedgerEntry[]) => void): void => {
      committedListeners.push(listener)
    },
    mount: (edge: FastifyInstance) =>
      mountGateway(edge, {
        host,
        log,
        now,
        baseUrl: () => place().baseUrl,
        bodyLimitBytes,
        twinOrigin,
        fairUse,
        limitsOf,
        expire: twins.sweepExpired,
      }),
    start: async (): Promise<void> => {
      await isolatePool.ready()
      if (alone) await store.forgetNodes()
      await node.start()
      await twins.sweepExpired()
      if (alone) await twins.sweepStranded(0)
      stops = startSweeps({ node, pool, twins, tokens, retention, log })
    },
    close: async (): Promise<void> => {
      for (const stop of stops) await stop()
      await host.drain()
      await wakeups.close()
      await node.stop()
    },
  }
}

const startSweeps = ({
  node,
  pool,
  twins,
  tokens,
  retention,
  log,
}: Pick<TwinRuntime, 'twins' | 'retention'> & {
  node: Node
  tokens: TokenSealing
  pool: Storage['pool']
  log: Log
}): (() => Promise<void>)[] => [
  every(heartbeatMs, node.beat, log),
  ...(node.isAlone ? [] : [every(lookMs, watchDeadNodes({ pool, prefix: nodeLease(''), log }).look, log)]),
  every(expirySweepMs, twins.sweepExpired, log),
  every(strandedSweepMs, twins.sweepStranded, log),
  every(healthSweepMs, twins.sweepHealth, log),
  every(idleSweepMs, twins.sweepIdle, log),
  every(retentionSweepMs, retention.sweep, log),
  every(sealingSweepMs, tokens.sealEarlier, log),
]

const openIsolates = ({
  storage,
  seeds,
  isolates,
  dataDir,
  log,
  onGone,
}: Pick<RuntimeParts, 'storage' | 'isolates' | 'dataDir' | 'log'> &
  Pick<ThreadPoolDeps, 'onGone'> & { readonly seeds: Seeds }): IsolatePool => {
  if (!isolates) return inlinePool(inlineIsolate(createRunner({ store: stateStore(storage.db), seeds })))
  const { count, ...limits } = isolates
  const settings = { ...limits, databaseUrl: storage.url, cacheFolder: join(dataDir, 'cache') }
  return openThreadPool({ settings, size: count, log, onGone })
}

const countLostLeases = (metrics: Metrics) =>
  metrics.counter(
    'node_leases_lost_total',
    'How often this node had to give up its twins: its lease or its connection was lost.',
  )

const showMetrics = (
  metrics: Metrics,
  {
    host,
    node,
    ledger,
    isolatePool,
    streams,
  }: { host: Host; node: Node; ledger: Ledger; isolatePool: IsolatePool; streams: ActivityStreams },
): void => {
  metrics.gauge('live_twins', 'Twins in the memory of this process.', () => host.size)
  metrics.gauge('node_leased', '1 while this node may answer for its twins, 0 while it may not.', async () =>
    Number(await node.confirm()),
  )
  metrics.gauge('ledger_queued_writes', 'Writes that wait for a commit.', () => ledger.queued.writes)
  metrics.gauge('ledger_queued_reads', 'Records of reads that wait for a commit.', () => ledger.queued.reads)
  metrics.gauge(
    'ledger_pending_bytes',
    'Bytes of steps that are not yet committed.',
    () => ledger.queued.bytes,
  )
  metrics.gauge('twin_isolates', 'Threads that run twins.', () => isolatePool.size)
  metrics.gauge(
    'twin_isolate_restarts',
    'Isolates that were replaced since the start.',
    () => isolatePool.restarts,
  )
  metrics.gauge('activity_stream_readers', 'Open streams of requests in this process.', () => streams.readers)
}
