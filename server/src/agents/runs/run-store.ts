import { type AgentRun, AgentRunOrigin, AgentRunStatus } from '@diorama/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { keysetPage, type Page } from '../../storage/pages.ts'
import type { AgentTables } from '../tables.ts'

export type RunRow = Selectable<AgentTables['agent_runs']>
export type StatsRow = Selectable<AgentTables['agent_run_stats']>

export interface RunFilter {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly agent?: { name: string; version: string | undefined } | undefined
  readonly status?: AgentRunStatus | undefined
  readonly origin?: AgentRunOrigin | undefined
}

export interface RunStore {
  /** What is counted about versions of an agent; the empty version is the agent as a whole. */
  readonly stats: (
    organizationId: string,
    agents: readonly string[],
    versions?: readonly string[],
  ) => Promise<readonly StatsRow[]>
  /** The versions, with their models, that references mean; `current` among them. */
  readonly versions: (
    organizationId: string,
    references: readonly { name: string; version: string }[],
  ) => Promise<readonly { agent: string; version: string; status: string; model: unknown }[]>
  readonly find: (organizationId: string, runId: string) => Promise<AgentRun | undefined>
  /** Whether a run that was not made from the trace itself belongs to it. */
  readonly hasTrace: (organizationId: string, traceId: string) => Promise<boolean>
  readonly list: (organizationId: string, filter: RunFilter) => Promise<Page<AgentRun>>
}

/** The SQL of reading runs and what is counted about them. */
export const runStore = (db: Kysely<AgentTables>): RunStore => ({
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
      timed: true,
      idColumn: 'run_id',
      limit: filter.limit,
      cursor: filter.cursor,
      position: (row) => ({ at: row.started_at, id: row.run_id }),
    })
    return { items: items.map(toRun), nextCursor }
  },
})

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
