import { type AgentRun, AgentRunOrigin, AgentRunStatus } from '@diorama/contract'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { z } from 'zod'
import { keysetPage, type Page } from '../storage/pages.ts'
import type { Database } from '../storage/schema.ts'
import type { RunTally } from './tally.ts'

type Connection = Kysely<Database> | Transaction<Database>
export type RunRow = Selectable<Database['agent_runs']>
export type StatsRow = Selectable<Database['agent_run_stats']>

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
  /** How many of the tool calls failed; counted, not stored. */
  readonly tool_failures: number
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly cost_usd: number | null
  readonly trace_id: string | null
  readonly error: string | null
  readonly metadata: Readonly<Record<string, unknown>>
}

export interface RunFilter {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly agent?: { name: string; version: string | undefined } | undefined
  readonly status?: AgentRunStatus | undefined
  readonly origin?: AgentRunOrigin | undefined
}

const columns = sql.raw(
  'run_id, agent, version, origin, status, started_at, finished_at, duration_ms, tool_calls, input_tokens, output_tokens, cost_usd, trace_id, error, metadata',
)
const columnTypes = sql.raw(
  'run_id text, agent text, version text, origin text, status text, started_at timestamptz, finished_at timestamptz, duration_ms double precision, tool_calls jsonb, input_tokens bigint, output_tokens bigint, cost_usd double precision, trace_id text, error text, metadata jsonb',
)

/** The SQL of runs and of what is counted about them. */
export const runStore = (db: Connection) => ({
  /**
   * Adds runs, and finishes those that were there and running; the others stay as they are. Returns the ids of the
   * runs that are finished now and were not before: each run is returned so exactly once in its life.
   */
  insert: async (organizationId: string, runs: readonly NewRun[]): Promise<ReadonlySet<string>> => {
    const { rows } = await sql<{ run_id: string; status: string }>`
      insert into agent_runs (organization_id, ${columns})
      select ${organizationId}, ${columns}
      from jsonb_to_recordset(${JSON.stringify(runs)}::jsonb) as sent(${columnTypes})
      on conflict (organization_id, run_id) do update set
        status = excluded.status, finished_at = excluded.finished_at, duration_ms = excluded.duration_ms,
        tool_calls = excluded.tool_calls, input_tokens = excluded.input_tokens,
        output_tokens = excluded.output_tokens, cost_usd = excluded.cost_usd, error = excluded.error,
        metadata = excluded.metadata
      where agent_runs.status = 'running' and excluded.status <> 'running'
        and agent_runs.agent = excluded.agent and agent_runs.version = excluded.version
      returning run_id, status`.execute(db)
    return new Set(rows.filter(({ status }) => status !== 'running').map(({ run_id }) => run_id))
  },

  /** Adds counts to the rows of versions and agents, always in the same order, so that no two writers wait for each other. */
  addToStats: async (organizationId: string, tallies: readonly RunTally[]): Promise<void> => {
    await sql`
      insert into agent_run_stats as held (organization_id, agent, version, succeeded, failed, cancelled, shortest_ms,
        longest_ms, durations, input_tokens, output_tokens, cost_usd, priced, tool_calls, tool_failures)
      select ${organizationId}, agent, version, succeeded, failed, cancelled, shortest_ms, longest_ms, durations,
        input_tokens, output_tokens, cost_usd, priced, tool_calls, tool_failures
      from jsonb_to_recordset(${JSON.stringify(tallies)}::jsonb) as sent(agent text, version text, succeeded bigint,
        failed bigint, cancelled bigint, shortest_ms double precision, longest_ms double precision,
        durations integer[], input_tokens bigint, output_tokens bigint, cost_usd double precision, priced bigint,
        tool_calls bigint, tool_failures bigint)
      order by agent, version
      on conflict (organization_id, agent, version) do update set
        succeeded = held.succeeded + excluded.succeeded,
        failed = held.failed + excluded.failed,
        cancelled = held.cancelled + excluded.cancelled,
        shortest_ms = least(held.shortest_ms, excluded.shortest_ms),
        longest_ms = greatest(held.longest_ms, excluded.longest_ms),
        durations = (select array_agg(a + b order by n)
          from unnest(held.durations, excluded.durations) with ordinality as pair(a, b, n)),
        input_tokens = held.input_tokens + excluded.input_tokens,
        output_tokens = held.output_tokens + excluded.output_tokens,
        cost_usd = held.cost_usd + excluded.cost_usd,
        priced = held.priced + excluded.priced,
        tool_calls = held.tool_calls + excluded.tool_calls,
        tool_failures = held.tool_failures + excluded.tool_failures`.execute(db)
  },

  /** What is counted about versions of an agent; the empty version is the agent as a whole. */
  stats: async (
    organizationId: string,
    agents: readonly string[],
    versions?: readonly string[],
  ): Promise<readonly StatsRow[]> => {
    if (agents.length === 0) return []
    let query = db
      .selectFrom('agent_run_stats')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('agent', 'in', agents)
    if (versions) query = query.where('version', 'in', versions)
    return query.execute()
  },

  /** The versions, with their models, that references stand for; `current` among them. */
  versions: async (
    organizationId: string,
    references: readonly { name: string; version: string }[],
  ): Promise<readonly { agent: string; version: string; status: string; model: unknown }[]> => {
    const { rows } = await sql<{ agent: string; version: string; status: string; model: unknown }>`
      select v.agent, v.version, v.status, v.model
      from jsonb_to_recordset(${JSON.stringify(references)}::jsonb) as asked(name text, version text)
      join agent_versions v on v.organization_id = ${organizationId} and v.agent = asked.name
        and v.version = asked.version
      union
      select v.agent, v.version, v.status, v.model
      from jsonb_to_recordset(${JSON.stringify(references)}::jsonb) as asked(name text, version text)
      join agent_versions v on v.organization_id = ${organizationId} and v.agent = asked.name
        and v.status = 'current' and asked.version = 'current'`.execute(db)
    return rows
  },

  find: async (organizationId: string, runId: string): Promise<AgentRun | undefined> => {
    const row = await db
      .selectFrom('agent_runs')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('run_id', '=', runId)
      .executeTakeFirst()
    return row && toRun(row)
  },

  /** Whether a run that was not made from the trace itself belongs to it. */
  hasTrace: async (organizationId: string, traceId: string): Promise<boolean> => {
    const row = await db
      .selectFrom('agent_runs')
      .select('run_id')
      .where('organization_id', '=', organizationId)
      .where('trace_id', '=', traceId)
      .where('origin', '!=', 'trace')
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  },

  list: async (organizationId: string, filter: RunFilter): Promise<Page<AgentRun>> => {
    let query = db.selectFrom('agent_runs').selectAll().where('organization_id', '=', organizationId)
    if (filter.agent) query = query.where('agent', '=', filter.agent.name)
    if (filter.agent?.version !== undefined) query = query.where('version', '=', filter.agent.version)
    if (filter.status) query = query.where('status', '=', filter.status)
    if (filter.origin) query = query.where('origin', '=', filter.origin)
    const { items, nextCursor } = await keysetPage(query, {
      column: 'started_at',
      idColumn: 'run_id',
      limit: filter.limit,
      cursor: filter.cursor,
      position: (row) => ({ at: row.started_at, id: row.run_id }),
    })
    return { items: items.map(toRun), nextCursor }
  },
})
export type RunStore = ReturnType<typeof runStore>

const ToolCalls = z.array(
  z.object({ name: z.string(), status: AgentRunStatus, duration_ms: z.number().nullable() }),
)
const Metadata = z.record(z.string(), z.unknown())

const toRun = (row: RunRow): AgentRun => ({
  run_id: row.run_id,
  agent: `${row.agent}@${row.version}`,
  origin: AgentRunOrigin.parse(row.origin),
  started_at: row.started_at.toISOString(),
  finished_at: row.finished_at?.toISOString() ?? null,
  duration_ms: row.duration_ms,
  status: AgentRunStatus.parse(row.status),
  tool_calls: ToolCalls.parse(row.tool_calls),
  usage:
    row.input_tokens === null || row.output_tokens === null
      ? null
      : { input_tokens: row.input_tokens, output_tokens: row.output_tokens },
  cost_usd: row.cost_usd,
  trace_id: row.trace_id,
  error: row.error,
  metadata: Metadata.parse(row.metadata),
})
