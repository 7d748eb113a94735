import { z } from 'zod'
import { TrialOutcome } from './evaluation-kinds.ts'
import { Interval } from './evaluation-results.ts'
import { pageOf, pageQuery, queryBoolean, queryInteger, Timestamp } from './pages.ts'
import { routes } from './route.ts'

export const RunVerdict = z.enum(['pass', 'fail', 'inconclusive'])
export type RunVerdict = z.infer<typeof RunVerdict>

const rates = {
  agent: z.string().meta({ description: 'name@version' }),
  scored_trials: z.int(),
  passed_trials: z.int(),
  pass_rate: z.number().nullable(),
  interval: Interval.nullable().meta({ description: '95 %, clustered by task.' }),
  cost_usd: z.number().nullable(),
}

/** One agent of an evaluation, as lists show it. */
export const RunAgentSummary = z
  .object({ ...rates, verdict: RunVerdict.nullable() })
  .meta({ id: 'RunAgentSummary' })
export type RunAgentSummary = z.infer<typeof RunAgentSummary>

/** One agent's result in one finished evaluation, wherever it ran. */
export const AgentRunResult = z
  .object({
    ...rates,
    agent_name: z.string(),
    agent_version: z.string(),
    job_id: z.string(),
    job_name: z.string(),
    task_suite_id: z.string(),
    task_suite_name: z.string().nullable(),
    weighted_score: z.number().nullable(),
    mean_duration_ms: z.number().nullable(),
    verdict: RunVerdict,
    finished_at: Timestamp,
  })
  .meta({ id: 'AgentRunResult' })
export type AgentRunResult = z.infer<typeof AgentRunResult>

/** One trial of the matrix, as small as it can be: a large run has thousands. */
export const MatrixTrial = z
  .object({
    id: z.string(),
    task: z.int().meta({ description: 'Its place in `tasks`.' }),
    agent: z.int().meta({ description: 'Its place in `agents`.' }),
    repetition: z.int(),
    status: z.string(),
    outcome: TrialOutcome.nullable(),
    score: z.number().nullable().meta({ description: 'The mean of its scores by weight.' }),
    failed_scorer: z.string().nullable().meta({ description: 'The first scorer whose threshold it missed.' }),
    reason: z.string().nullable().meta({ description: 'Why it did not pass; at most 200 characters.' }),
    cost_usd: z.number().nullable(),
    duration_ms: z.number().nullable(),
  })
  .meta({ id: 'MatrixTrial' })
export type MatrixTrial = z.infer<typeof MatrixTrial>

export const RunMatrix = z
  .object({
    agents: z.array(z.string()),
    tasks: z.array(z.object({ id: z.string(), title: z.string() })),
    trials: z.array(MatrixTrial),
  })
  .meta({ id: 'RunMatrix' })
export type RunMatrix = z.infer<typeof RunMatrix>

const id = z.string().min(1).max(200)

export const evaluationSummaryRoutes = routes({
  listAgentResults: {
    method: 'GET',
    path: '/v1/backtests/agent-results',
    tag: 'Evaluations',
    summary:
      'The result of each agent in each finished evaluation, newest first: pass rates by suite and version.',
    scope: 'evals:read',
    query: z.object({
      ...pageQuery,
      agent: id.optional().meta({ description: 'An agent by its name, or by name@version.' }),
      task_suite_id: id.optional(),
      latest: queryBoolean.optional().meta({
        description: 'Only the newest result of each agent, version and suite.',
      }),
    }),
    reply: pageOf(AgentRunResult),
    errors: ['invalid_cursor'],
  },
  readMatrix: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/matrix',
    tag: 'Evaluations',
    summary:
      'Every trial of an evaluation in one reply, by task and agent: how it ended, its score, and why.',
    scope: 'evals:read',
    params: z.object({ jobId: z.string() }),
    query: z.object({
      first_tasks: queryInteger(1, 10_000).optional().meta({
        description: 'Only the trials of so many tasks, the first ones; all tasks are named.',
      }),
    }),
    reply: RunMatrix,
    errors: ['not_found'],
  },
})
