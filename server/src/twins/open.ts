import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { FairUse } from '../http/limits/fair-use.ts'
import type { Metrics } from '../http/metrics.ts'
import { every } from '../http/schedule.ts'
import type { Log } from '../storage/log.ts'
import type { Storage } from '../storage/storage.ts'
import { type GatewayParts, mountGateway } from './gateway.ts'
import { openHost } from './host.ts'
import { openLedger } from './ledger/ledger.ts'
import { openActivity } from './ledger/ledger-reader.ts'
import { openActivityStreams, openActivityWakeups } from './ledger/ledger-stream.ts'
import { heartbeatMs, openNode } from './nodes.ts'
import { openRegistry, type TwinModel } from './registry.ts'
import { openSeeds } from './seeds.ts'
import { twinStore } from './store.ts'
import { openTwins } from './twins.ts'

export interface RuntimeParts {
  readonly storage: Storage
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
  /** No other process shares the database: what an earlier life of this one held is free at once. */
  readonly alone: boolean
}

const expirySweepMs = 2_000
const strandedSweepMs = 5_000
const healthSweepMs = 15_000

/** Everything that runs twins: seeds, ledger, host, gateway and the sweeps that keep their states true. */
export const openTwinRuntime = ({
  storage,
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
}: RuntimeParts) => {
  const { db, pool, wake, leases, makeId } = storage
  const registry = openRegistry(models)
  for (const { twin } of models) twin.useCache?.(join(dataDir, 'cache'))
  const store = twinStore(db)
  const seeds = openSeeds({ db, registry })
  const wakeups = openActivityWakeups({ wake, log, now })
  const ledger = openLedger(pool, wakeups.recorded)
  const node = openNode({ leases, holder, address, log, onLost: () => host.evictAll() })
  const host = openHost({ store, seeds, ledger, node, wake, log, now, makeId })
  const twins = openTwins({ db, store, seeds, host, node, wake, log, now, random, makeId, place })
  const activity = openActivity({ db, now, flush: ledger.flush })
  const streams = openActivityStreams({ db, store, wakeups, wake, log, now })
  metrics.gauge('live_twins', 'Twins in the memory of this process.', () => host.size)
  metrics.gauge('ledger_queued_writes', 'Writes that wait for a commit.', () => ledger.queued.writes)
  metrics.gauge('ledger_queued_reads', 'Records of reads that wait for a commit.', () => ledger.queued.reads)
  metrics.gauge(
    'ledger_pending_bytes',
    'Bytes of steps that are not yet committed.',
    () => ledger.queued.bytes,
  )
  metrics.gauge('activity_stream_readers', 'Open streams of requests in this process.', () => streams.readers)
  let stops: (() => Promise<void>)[] = []
  return {
    registry,
    store,
    seeds,
    host,
    twins,
    activity,
    streams,
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
        onExpired: () => void twins.sweepExpired().catch((error) => log.error({ error }, 'Expiry failed.')),
      }),
    start: async (): Promise<void> => {
      if (alone) await store.forgetNodes()
      await node.start()
      await twins.sweepExpired()
      if (alone) await twins.sweepStranded(0)
      stops = [
        every(heartbeatMs, node.beat, log),
        every(expirySweepMs, twins.sweepExpired, log),
        every(strandedSweepMs, twins.sweepStranded, log),
        every(healthSweepMs, twins.sweepHealth, log),
      ]
    },
    close: async (): Promise<void> => {
      for (const stop of stops) await stop()
      await host.close()
      await wakeups.close()
      await node.stop()
    },
  }
}
export type TwinRuntime = ReturnType<typeof openTwinRuntime>
