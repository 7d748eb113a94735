import type { RunStats } from '@diorama/contract'
import { bucketCount, bucketOf, quantile } from './durations.ts'
import type { NewRun, StatsRow } from './run-store.ts'

/** What some runs add to the statistics of a version, or of an agent as a whole (version empty). */
export interface RunTally {
  readonly agent: string
  readonly version: string
  succeeded: number
  failed: number
  cancelled: number
  shortest_ms: number | null
  longest_ms: number | null
  readonly durations: number[]
  input_tokens: number
  output_tokens: number
  cost_usd: number
  priced: number
  tool_calls: number
  tool_failures: number
}

const emptyTally = (agent: string, version: string): RunTally => ({
  agent,
  version,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  shortest_ms: null,
  longest_ms: null,
  durations: Array.from({ length: bucketCount }, () => 0),
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  priced: 0,
  tool_calls: 0,
  tool_failures: 0,
})

/** Counts finished runs, once for their version and once for their agent. */
export const tallyRuns = (runs: readonly NewRun[]): RunTally[] => {
  const tallies = new Map<string, RunTally>()
  for (const run of runs) {
    for (const version of [run.version, '']) {
      const key = `${run.agent}@${version}`
      const tally = tallies.get(key) ?? emptyTally(run.agent, version)
      tallies.set(key, tally)
      count(tally, run)
    }
  }
  return [...tallies.values()]
}

const count = (tally: RunTally, run: NewRun): void => {
  if (run.status !== 'running') tally[run.status]++
  if (run.duration_ms !== null) {
    const bucket = bucketOf(run.duration_ms)
    tally.durations[bucket] = (tally.durations[bucket] ?? 0) + 1
    tally.shortest_ms = Math.min(tally.shortest_ms ?? run.duration_ms, run.duration_ms)
    tally.longest_ms = Math.max(tally.longest_ms ?? run.duration_ms, run.duration_ms)
  }
  tally.input_tokens += run.input_tokens ?? 0
  tally.output_tokens += run.output_tokens ?? 0
  tally.cost_usd += run.cost_usd ?? 0
  tally.priced += run.cost_usd === null ? 0 : 1
  tally.tool_calls += run.tool_calls.length
  tally.tool_failures += run.tool_failures
}

/** The statistics as the wire shows them; of no runs at all when there is no row. */
export const statsOf = (row: StatsRow | undefined): RunStats => {
  const { succeeded, failed, cancelled } = row ?? { succeeded: 0, failed: 0, cancelled: 0 }
  const durations = row && {
    counts: row.durations,
    shortestMs: row.shortest_ms,
    longestMs: row.longest_ms,
  }
  return {
    count: succeeded + failed + cancelled,
    success_rate: succeeded + failed === 0 ? null : succeeded / (succeeded + failed),
    succeeded,
    failed,
    cancelled,
    p50_duration_ms: durations ? quantile(durations, 0.5) : null,
    p95_duration_ms: durations ? quantile(durations, 0.95) : null,
    input_tokens: row?.input_tokens ?? 0,
    output_tokens: row?.output_tokens ?? 0,
    cost_usd: row && row.priced > 0 ? row.cost_usd : null,
    tool_calls: row?.tool_calls ?? 0,
    tool_failures: row?.tool_failures ?? 0,
  }
}
