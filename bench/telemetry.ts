import { growing } from './telemetry/read.ts'
import { searching } from './telemetry/search.ts'
import { type BenchService, type Line, openService } from './telemetry/service.ts'
import { streaming } from './telemetry/stream.ts'
import { tracing, writing } from './telemetry/write.ts'

// How fast telemetry is, as ratios within one run: `node bench/telemetry.ts [write trace read stream search]`.
// EVENTS sets how many events the lists are read at.

const large = Number(process.env.EVENTS ?? 1_000_000)

const parts: Readonly<Record<string, (service: BenchService) => Promise<Line[]>>> = {
  write: writing,
  trace: tracing,
  stream: streaming,
  read: (service) => growing(service, large),
  search: searching,
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts)
let missed = 0
for (const name of wanted) {
  const part = parts[name]
  if (!part) throw new Error(`There is no part ${name}; there are ${Object.keys(parts).join(', ')}.`)
  await using service = await openService(name === 'search' ? { DIORAMA_EMBEDDINGS: 'local' } : {})
  for (const { what, value, target, met } of await part(service)) {
    process.stdout.write(
      `${met ? 'met   ' : 'MISSED'} ${value.toFixed(2).padStart(8)} (${target})  ${what}\n`,
    )
    if (!met) missed++
  }
}
process.exitCode = missed === 0 ? 0 : 1
