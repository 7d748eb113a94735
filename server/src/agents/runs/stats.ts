import type { RunStats } from '@diorama/contract'
import { quantile } from './durations.ts'
import type { StatsRow } from './run-store.ts'

/** The statistics as the wire shows them; of no runs at all when there is no row. */
export const statsOf = (row: StatsRow | undefined): RunStats => {
  const { succeeded, failed, cancelled } = row ?? { succeeded: 0, failed: 0, cancelled: 0 }
  const durations = row && {
    counts: row.durations,
    shortestMs: row.shortest_ms,
    maxMs: row.longest_ms,
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
