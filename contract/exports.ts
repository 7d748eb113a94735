import { z } from 'zod'
import { routes } from './route.ts'

const jobParams = z.object({ jobId: z.string() })
const trialParams = z.object({ jobId: z.string(), trialId: z.string() })

const agentQuery = z.object({
  agent: z.string().max(200).optional().meta({
    description: 'As name@version; may be left out where the evaluation has one agent.',
  }),
})

/** Results and trials in the formats of other tools. */
export const exportRoutes = routes({
  readTrajectory: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/trials/{trialId}/trajectory',
    tag: 'Evaluations',
    summary:
      'The trial as an ATIF 1.7 trajectory: instruction, model calls, requests to the services as tool calls, answer.',
    scope: 'evals:read',
    params: trialParams,
    gives: 'application/json; charset=utf-8',
    errors: ['not_found', 'conflict'],
  },
  readInspectLog: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/inspect.json',
    tag: 'Evaluations',
    summary: "One agent's trials as an Inspect log (version 2), which Inspect View opens.",
    scope: 'evals:read',
    params: jobParams,
    query: agentQuery,
    gives: 'application/json; charset=utf-8',
    errors: ['not_found', 'invalid_reference', 'conflict'],
  },
  readInspectEval: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/inspect.eval',
    tag: 'Evaluations',
    summary: "One agent's trials as an Inspect log in the packed .eval form.",
    scope: 'evals:read',
    params: jobParams,
    query: agentQuery,
    gives: 'application/zip',
    errors: ['not_found', 'invalid_reference', 'conflict'],
  },
  readResultsCsv: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/results.csv',
    tag: 'Evaluations',
    summary: 'One row for each trial and scorer, as CSV.',
    scope: 'evals:read',
    params: jobParams,
    gives: 'text/csv; charset=utf-8',
    errors: ['not_found'],
  },
  readResultsJsonl: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/results.jsonl',
    tag: 'Evaluations',
    summary: 'One trial with its scores on each line, as JSON Lines.',
    scope: 'evals:read',
    params: jobParams,
    gives: 'application/jsonl; charset=utf-8',
    errors: ['not_found'],
  },
  readResultsMarkdown: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/results.md',
    tag: 'Evaluations',
    summary: 'The results as Markdown, for a pull request or a job summary.',
    scope: 'evals:read',
    params: jobParams,
    gives: 'text/markdown; charset=utf-8',
    errors: ['not_found'],
  },
})
