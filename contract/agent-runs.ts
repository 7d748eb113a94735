import { z } from 'zod'
import { AgentName, AgentReference } from './agents.ts'
import { InputTimestamp, pageOf, pageQuery, Timestamp } from './pages.ts'
import { routes } from './route.ts'

export const AgentRunStatus = z.enum(['running', 'succeeded', 'failed', 'cancelled'])
export type AgentRunStatus = z.infer<typeof AgentRunStatus>

/** Words that tracing tools and frameworks use for the same outcomes. */
const spellings: Readonly<Record<string, AgentRunStatus>> = {
  success: 'succeeded',
  completed: 'succeeded',
  ok: 'succeeded',
  failure: 'failed',
  error: 'failed',
  errored: 'failed',
  timeout: 'failed',
  canceled: 'cancelled',
}

const InputStatus = z
  .preprocess((value) => (typeof value === 'string' ? (spellings[value] ?? value) : value), AgentRunStatus)
  .meta({
    description: 'success, completed and ok count as succeeded; failure, error and timeout as failed.',
  })

const count = z.int().min(0).max(1_000_000_000_000)
const duration = z.number().min(0).max(1e12)

/** Where a run came from: recorded by a caller, made by a trial or a chat, or seen in a trace. */
export const AgentRunOrigin = z.enum(['recorded', 'evaluation', 'chat', 'trace'])
export type AgentRunOrigin = z.infer<typeof AgentRunOrigin>

const ToolCall = z.object({
  name: z.string().min(1).max(200),
  status: InputStatus.default('succeeded'),
  duration_ms: duration.nullable().default(null),
})

export const TokenUsage = z.object({ input_tokens: count.default(0), output_tokens: count.default(0) })

export const AgentRunRecord = z
  .object({
    run_id: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'The same id again changes nothing, but for a run that was still running.' }),
    agent: AgentReference,
    started_at: InputTimestamp,
    finished_at: InputTimestamp.nullable().default(null),
    status: InputStatus,
    tool_calls: z.array(ToolCall).max(1_000).default([]),
    usage: TokenUsage.nullable().default(null),
    trace_id: z.string().min(1).max(200).nullable().default(null),
    error: z.string().max(10_000).nullable().default(null),
    metadata: z.record(z.string(), z.unknown()).default({}),
  })
  .meta({ id: 'AgentRunRecord' })
export type AgentRunRecord = z.infer<typeof AgentRunRecord>

export const AgentRun = z
  .object({
    run_id: z.string(),
    agent: z.string().meta({ description: 'name@version' }),
    origin: AgentRunOrigin,
    started_at: Timestamp,
    finished_at: Timestamp.nullable(),
    duration_ms: z.number().nullable(),
    status: AgentRunStatus,
    tool_calls: z.array(
      z.object({ name: z.string(), status: AgentRunStatus, duration_ms: z.number().nullable() }),
    ),
    usage: z.object({ input_tokens: z.int(), output_tokens: z.int() }).nullable(),
    cost_usd: z.number().nullable(),
    trace_id: z.string().nullable(),
    error: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AgentRun' })
export type AgentRun = z.infer<typeof AgentRun>

const Runs = z.array(AgentRunRecord).min(1).max(100)

export const agentRunRoutes = routes({
  recordAgentRuns: {
    method: 'POST',
    path: '/v1/agents/runs/batch',
    tag: 'Agents',
    summary: 'Record up to 100 observed runs: a bare array, or the same under `runs`. All or nothing.',
    scope: 'agents:write',
    body: z.union([Runs, z.object({ runs: Runs })]),
    status: 201,
    reply: z.object({ items: z.array(z.object({ id: z.string() })) }),
    creates: true,
    errors: ['invalid_reference'],
  },
  listAgentRuns: {
    method: 'GET',
    path: '/v1/agents/runs',
    tag: 'Agents',
    summary: 'List runs, the latest start first.',
    scope: 'agents:read',
    query: z.object({
      ...pageQuery,
      agent: AgentReference.optional().meta({ description: 'name or name@version' }),
      status: AgentRunStatus.optional(),
      origin: AgentRunOrigin.optional(),
    }),
    reply: pageOf(AgentRun),
    errors: ['invalid_cursor'],
  },
  readAgentRun: {
    method: 'GET',
    path: '/v1/agents/runs/{runId}',
    tag: 'Agents',
    summary: 'Read one run.',
    scope: 'agents:read',
    params: z.object({ runId: z.string() }),
    reply: AgentRun,
    errors: ['not_found'],
  },
})

/** Splits `name@version`; the version is `current` where none is named. */
export const splitReference = (reference: string): { name: string; version: string } | undefined => {
  const [name = '', version = 'current', ...rest] = reference.split('@')
  return rest.length === 0 && AgentName.safeParse(name).success && version !== ''
    ? { name, version }
    : undefined
}
