import { growing } from './telemetry/read.ts'
import { indexing, searching } from './telemetry/search.ts'
import { type BenchService, type Line, openService } from './telemetry/service.ts'
import { streaming } from './telemetry/stream.ts'
import { tracing, writing } from './telemetry/write.ts'

// How fast telemetry is, as ratios within one run: `node bench/telemetry.ts [write trace read stream search near]`.
// EVENTS sets how many events the lists are read at, VECTORS how many the search has. BENCH_DATABASE_URL names an empty
// database to use in place of the embedded one, such as one with pgvector.

const large = Number(process.env.EVENTS ?? 1_000_000)

const withService =
  (measure: (service: BenchService) => Promise<Line[]>, environment: Readonly<Record<string, string>> = {}) =>
  async (): Promise<Line[]> => {
    await using service = await openService(environment)
    return await measure(service)
  }

const parts: Readonly<Record<string, () => Promise<Line[]>>> = {
  write: withService(writing),
  trace: withService(tracing),
  // The space for young objects would grow once, by more than the readers hold, and is the process's and no reader's.
  stream: withService(streaming, { NODE_OPTIONS: '--max-semi-space-size=16' }),
  read: withService((service) => growing(service, large)),
  search: searching,
  near: indexing,
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts)
let missed = 0
for (const name of wanted) {
  const part = parts[name]
  if (!part) throw new Error(`There is no part ${name}; there are ${Object.keys(parts).join(', ')}.`)
  for (const { what, value, target, met } of await part()) {
    process.stdout.write(
      `${met ? 'met   ' : 'MISSED'} ${value.toFixed(2).padStart(8)} (${target})  ${what}\n`,
    )
    if (!met) missed++
  }
}
process.exitCode = missed === 0 ? 0 : 1
