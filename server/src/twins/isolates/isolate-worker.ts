import { parentPort, workerData } from 'node:worker_threads'
import type { AnyTwin } from '@diorama/twin-kit/kernel/twin'
import { Kysely, PostgresDialect } from 'kysely'
import { connectionTo, openPool } from '../../storage/connection.ts'
import { silentLog } from '../../storage/log.ts'
import type { Database } from '../../storage/schema.ts'
import { openSeeds } from '../seeds.ts'
import type { Outcome, Sent } from './protocol.ts'
import { createRunner, TwinNotLoaded } from './runner.ts'
import { stateStore } from './state-store.ts'
import type { IsolateData } from './thread-isolate.ts'
import { threadNumber } from './thread-time.ts'

/** A long batch sends what it has this often, so that the first reply does not wait for the last. */
const sendEveryMs = 4

const port = parentPort
if (!port) throw new Error('an isolate runs as a worker thread')
const { databaseUrl, twinsModule, cacheFolder, current } = workerData as IsolateData
Atomics.store(current, 1, threadNumber())
const { allTwins } = (await import(twinsModule)) as { allTwins: readonly AnyTwin[] }
for (const twin of allTwins) twin.useCache?.(cacheFolder)
const byKind = new Map(allTwins.map((twin) => [twin.kind, twin]))
const pool = openPool({ ...connectionTo(databaseUrl), application_name: 'diorama twins' }, silentLog, 2)
const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
const runner = createRunner({
  store: stateStore(db),
  seeds: openSeeds({ db, twinOf: (kind) => byKind.get(kind) }),
})

const failed = (n: number, error: unknown): Outcome => ({
  n,
  error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  notLoaded: error instanceof TwinNotLoaded,
})

port.on('message', (batch: readonly Sent[]) => {
  let out: Outcome[] = []
  let sentAt = performance.now()
  const send = () => {
    if (out.length > 0) port.postMessage(out)
    out = []
    sentAt = performance.now()
  }
  for (const { n, op } of batch) {
    // The watchdog of the main thread reads which op is being run.
    Atomics.store(current, 0, n)
    try {
      const result = runner.execute(op)
      if (result instanceof Promise)
        result.then(
          (value) => port.postMessage([{ n, result: value }]),
          (error) => port.postMessage([failed(n, error)]),
        )
      else out.push({ n, result })
    } catch (error) {
      out.push(failed(n, error))
    }
    Atomics.store(current, 0, 0)
    if (performance.now() - sentAt > sendEveryMs) send()
  }
  send()
})
port.postMessage('ready')
