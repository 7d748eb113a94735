import type { AgentRunOrigin, AgentRunStatus } from '@diorama/contract'
import type pg from 'pg'
import { bucketCount } from './durations.ts'

export interface NewRun {
  readonly run_id: string
  readonly agent: string
  readonly version: string
  readonly origin: AgentRunOrigin
  readonly status: AgentRunStatus
  readonly started_at: string
  readonly finished_at: string | null
  readonly duration_ms: number | null
  readonly tool_calls: readonly unknown[]
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly cost_usd: number | null
  readonly trace_id: string | null
  readonly error: string | null
  readonly metadata: Readonly<Record<string, unknown>>
  /** Counted and not stored: the bucket of the duration, the tool calls and how many of them failed. */
  readonly bucket: number | null
  readonly calls: number
  readonly call_failures: number
}

const types = {
  run_id: 'text',
  agent: 'text',
  version: 'text',
  origin: 'text',
  status: 'text',
  started_at: 'timestamptz',
  finished_at: 'timestamptz',
  duration_ms: 'double precision',
  tool_calls: 'jsonb',
  input_tokens: 'bigint',
  output_tokens: 'bigint',
  cost_usd: 'double precision',
  trace_id: 'text',
  error: 'text',
  metadata: 'jsonb',
}
const columns = Object.keys(types).join(', ')
const fields = Object.entries({ ...types, bucket: 'integer', calls: 'integer', call_failures: 'integer' })
  .map(([name, type]) => `${name} ${type}`)
  .join(', ')

const sums = [
  'succeeded',
  'failed',
  'cancelled',
  'input_tokens',
  'output_tokens',
  'cost_usd',
  'priced',
  'tool_calls',
  'tool_failures',
]
const statsColumns = `agent, version, ${sums.join(', ')}, shortest_ms, longest_ms, durations`

/**
 * Adds runs, finishes those that were there and running, leaves the others as they are, and adds what became finished
 * by it to the counters of each version and of the agent as a whole (version empty): all in one statement, so that a
 * run is counted exactly once and a batch costs one trip. Rows are taken in one order, so that no two batches wait
 * for each other.
 */
const text = `
with sent as materialized (select * from jsonb_to_recordset($2::jsonb) as sent(${fields})),
added as (
  insert into agent_runs (organization_id, ${columns})
  select $1, ${columns} from sent order by run_id
  on conflict (organization_id, run_id) do update set
    status = excluded.status, finished_at = excluded.finished_at, duration_ms = excluded.duration_ms,
    tool_calls = excluded.tool_calls, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
    cost_usd = excluded.cost_usd, error = excluded.error, metadata = excluded.metadata
  where agent_runs.status = 'running' and excluded.status <> 'running'
    and agent_runs.agent = excluded.agent and agent_runs.version = excluded.version
  returning run_id, status
),
counted as materialized (
  select sent.* from sent join added using (run_id) where added.status <> 'running'
),
each as (
  select agent, version, run_id, status, duration_ms, input_tokens, output_tokens, cost_usd, calls, call_failures, bucket
  from counted
  union all
  select agent, '', run_id, status, duration_ms, input_tokens, output_tokens, cost_usd, calls, call_failures, bucket
  from counted
),
buckets as (
  select agent, version, bucket, count(*)::int as n from each where bucket is not null group by 1, 2, 3
),
tallies as (
  select agent, version,
    count(*) filter (where status = 'succeeded') as succeeded,
    count(*) filter (where status = 'failed') as failed,
    count(*) filter (where status = 'cancelled') as cancelled,
    coalesce(sum(input_tokens), 0) as input_tokens,
    coalesce(sum(output_tokens), 0) as output_tokens,
    coalesce(sum(cost_usd), 0) as cost_usd,
    count(cost_usd) as priced,
    sum(calls) as tool_calls,
    sum(call_failures) as tool_failures,
    min(duration_ms) as shortest_ms,
    max(duration_ms) as longest_ms
  from each group by 1, 2
)
insert into agent_run_stats as held (organization_id, ${statsColumns})
select $1, t.*, (
  select array_agg(coalesce(b.n, 0) order by place)
  from generate_series(0, ${bucketCount - 1}) as place
  left join buckets b on b.bucket = place and b.agent = t.agent and b.version = t.version
)
from tallies t order by agent, version
on conflict (organization_id, agent, version) do update set
  ${sums.map((name) => `${name} = held.${name} + excluded.${name}`).join(', ')},
  shortest_ms = least(held.shortest_ms, excluded.shortest_ms),
  longest_ms = greatest(held.longest_ms, excluded.longest_ms),
  durations = (select array_agg(a + b order by n)
    from unnest(held.durations, excluded.durations) with ordinality as pair(a, b, n))`

export const writeRuns = async (
  pool: pg.Pool,
  organizationId: string,
  runs: readonly NewRun[],
): Promise<void> => {
  await pool.query({ name: 'agent-runs', text, values: [organizationId, JSON.stringify(runs)] })
}
