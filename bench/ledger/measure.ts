import { rssMb, usageOf } from './processes.ts'
import type { Side } from './sides.ts'

export interface Group {
  readonly label: string
  readonly clients: number
  readonly send: () => Promise<unknown>
}

export interface Latency {
  readonly count: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface Round {
  readonly groups: Readonly<Record<string, Latency>>
  /** Processor time of one request, whichever group it is of. */
  readonly serviceMicros: number
  readonly databaseMicros: number
  readonly maxRssMb: number
}

/** Closed-loop clients for a while: each sends its next request when the last was answered. */
export const measure = async (side: Side, groups: readonly Group[], forMs: number): Promise<Round> => {
  const before = usageOf(side.pid)
  const from = performance.now()
  const until = from + forMs
  let maxRssMb = rssMb(side.pid)
  const watch = setInterval(() => {
    maxRssMb = Math.max(maxRssMb, rssMb(side.pid))
  }, 50)
  const times = groups.map((): number[] => [])
  await Promise.all(
    groups.flatMap(({ clients, send }, n) =>
      Array.from({ length: clients }, async () => {
        while (performance.now() < until) {
          const began = performance.now()
          await send()
          times[n]?.push(performance.now() - began)
        }
      }),
    ),
  )
  clearInterval(watch)
  const tookMs = performance.now() - from
  const after = usageOf(side.pid)
  const requests = times.reduce((sum, one) => sum + one.length, 0)
  return {
    groups: Object.fromEntries(groups.map(({ label }, n) => [label, latencyOf(times[n] ?? [], tookMs)])),
    serviceMicros: (after.serviceMicros - before.serviceMicros) / requests,
    databaseMicros: (after.databaseMicros - before.databaseMicros) / requests,
    maxRssMb,
  }
}

export const latencyOf = (times: readonly number[], tookMs: number): Latency => {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return {
    count: sorted.length,
    perSecond: (sorted.length * 1_000) / tookMs,
    p50: at(0.5),
    p99: at(0.99),
    max: sorted.at(-1) ?? 0,
  }
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
