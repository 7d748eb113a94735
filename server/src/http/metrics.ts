import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { watchLoopTurns } from './health/loop-turns.ts'
import { withTimeout } from './health/with-timeout.ts'

const readTimeoutMs = 2_000

interface Handle {
  readonly method: string
  readonly status: number
  readonly count: Counter.Internal
  readonly time: Histogram.Internal<string>
}

export interface Metrics {
  readonly registry: Registry<'text/plain; version=0.0.4; charset=utf-8'>
  readonly observe: (method: string, route: string, status: number, elapsedMs: number) => void
  /** A number that is asked for when the metrics are read; NaN where it cannot be had within two seconds. */
  readonly gauge: (name: string, help: string, read: () => number | Promise<number>) => void
  readonly counter: (name: string, help: string, labelNames?: readonly string[]) => Counter<string>
}

/** What the service counts. Every part adds its own gauges to the registry. */
export const openMetrics = (): Metrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'diorama_' })
  watchLoopTurns(registry)
  const requests = new Counter({
    name: 'diorama_http_requests_total',
    help: 'Requests by route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'diorama_http_request_seconds',
    help: 'Time to answer a request.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  /** As many as there are routes and statuses; finding a handle by its labels costs more than counting. */
  const handles = new Map<string, Handle[]>()
  const handleOf = (method: string, route: string, status: number): Handle => {
    const known = handles.get(route) ?? []
    const found = known.find((handle) => handle.status === status && handle.method === method)
    if (found) return found
    const count = requests.labels(method, route, String(status))
    const made = { method, status, count, time: seconds.labels(method, route) }
    handles.set(route, [...known, made])
    return made
  }
  return {
    registry,
    observe: (method: string, route: string, status: number, elapsedMs: number): void => {
      const { count, time } = handleOf(method, route, status)
      count.inc()
      time.observe(elapsedMs / 1_000)
    },
    gauge: (name: string, help: string, read: () => number | Promise<number>): void => {
      new Gauge({
        name: `diorama_${name}`,
        help,
        registers: [registry],
        async collect() {
          this.set(await inTime(read))
        },
      })
    },
    counter: (name: string, help: string, labelNames: readonly string[] = []): Counter<string> =>
      new Counter({ name: `diorama_${name}`, help, labelNames: [...labelNames], registers: [registry] }),
  }
}

/** A number that cannot be had now, such as from a database that does not answer, does not cost the others. */
const inTime = async (read: () => number | Promise<number>): Promise<number> => {
  try {
    return await withTimeout(Promise.resolve(read()), readTimeoutMs)
  } catch {
    return Number.NaN
  }
}
