import type { AgentResult, Trial, TrialDetail } from '@diorama/contract'
import type { exportRoutes } from '@diorama/contract/exports'
import type { RunReader } from '../evaluations/runs.ts'
import type { EvaluationStore, JobRow } from '../evaluations/store.ts'
import { ApiError } from '../http/api-error.ts'
import { Answer, type Handlers } from '../http/handler.ts'
import { trajectoryOf } from './atif.ts'
import { inspectLogOf } from './inspect-log.ts'
import { csvOf, jsonLinesOf, markdownOf } from './tables.ts'

export interface BridgeDeps {
  readonly runs: RunReader
  readonly store: EvaluationStore
}

/** An Inspect log holds whole transcripts: more steps than this are not put into one reply. */
const maxLogSteps = 50_000

const bytes = (text: string) => new Answer(200, Buffer.from(text))

/** Results and trials in the formats of other tools. */
export const exportHandlers = ({ runs, store }: BridgeDeps): Handlers<typeof exportRoutes> => {
  const trialsOf = async (job: JobRow): Promise<Trial[]> => runs.trials(job, await store.wholeTrials(job.id))
  const detailsOf = async (job: JobRow, agent: string): Promise<TrialDetail[]> => {
    const rows = (await store.wholeTrials(job.id)).filter((row) => row.agent === agent)
    const details: TrialDetail[] = []
    let steps = 0
    for (const row of rows) {
      const detail = await runs.detail(row, await runs.taskOf(job, row.task_id))
      steps += detail.steps.length
      if (steps > maxLogSteps)
        throw new ApiError(
          'conflict',
          `The trials of ${agent} have more than ${maxLogSteps} steps; export them one by one as trajectories.`,
        )
      details.push(detail)
    }
    return details
  }
  return {
    readTrajectory: async ({ caller, params }) => {
      const job = await runs.require(caller.organizationId, params.jobId)
      const trial = await runs.requireTrial(job.id, params.trialId)
      return bytes(
        JSON.stringify(trajectoryOf(await runs.detail(trial, await runs.taskOf(job, trial.task_id)))),
      )
    },
    readInspectLog: async ({ caller, params, query }) => {
      const row = await runs.require(caller.organizationId, params.jobId)
      const [job] = await runs.shown([row])
      const { agents } = await runs.results(row)
      const agent = chosenAgent(agents, query.agent)
      if (!job) throw new ApiError('not_found', 'There is no such run.')
      return bytes(JSON.stringify(inspectLogOf({ job, agent, trials: await detailsOf(row, agent.agent) })))
    },
    readResultsCsv: async ({ caller, params }) =>
      bytes(csvOf(await trialsOf(await runs.require(caller.organizationId, params.jobId)))),
    readResultsJsonl: async ({ caller, params }) =>
      bytes(jsonLinesOf(await trialsOf(await runs.require(caller.organizationId, params.jobId)))),
    readResultsMarkdown: async ({ caller, params }) => {
      const job = await runs.require(caller.organizationId, params.jobId)
      return bytes(markdownOf(await runs.results(job), job.name))
    },
  }
}

const chosenAgent = (agents: readonly AgentResult[], named: string | undefined): AgentResult => {
  const [only] = agents
  const found =
    named === undefined ? agents.length === 1 && only : agents.find(({ agent }) => agent === named)
  if (found) return found
  const message = `must name one agent of the run: ${agents.map(({ agent }) => agent).join(', ')}`
  throw new ApiError('invalid_reference', `/query/agent ${message}.`, {
    details: [{ pointer: '/query/agent', message }],
  })
}
