import type { AgentResult, ModelCallDetail, Trial } from '@diorama/contract'
import type { exportRoutes } from '@diorama/contract/exports'
import type { RunReader } from '../evaluations/runs.ts'
import type { EvaluationStore, JobRow, TrialRow } from '../evaluations/store.ts'
import { ApiError } from '../http/api-error.ts'
import { Answer, type Handlers } from '../http/handler.ts'
import { trajectoryOf } from './atif.ts'
import { evalFileOf } from './inspect/eval-file.ts'
import { type InspectSource, inspectLogOf } from './inspect/log.ts'
import { csvOf, jsonLinesOf, markdownOf } from './result-tables.ts'
import { type Transcript, type TranscriptCall, transcriptOf } from './transcript.ts'

export interface BridgeDeps {
  readonly runs: RunReader
  readonly store: EvaluationStore
  /** Where this service is reached, for links. */
  readonly baseUrl: () => string
  /** The model calls of an agent in one attempt at a trial. */
  readonly modelCalls: (at: {
    readonly jobId: string
    readonly trialId: string
    readonly attempt: number
  }) => AsyncIterable<ModelCallDetail>
}

/** An Inspect log holds whole transcripts: more than this is not put into one reply. */
const maxLogSteps = 50_000
const maxTranscriptCharacters = 50_000_000

const bytes = (text: string) => new Answer(200, Buffer.from(text))

/** Results and trials in the formats of other tools. */
export const exportHandlers = ({
  runs,
  store,
  modelCalls,
  baseUrl,
}: BridgeDeps): Handlers<typeof exportRoutes> => {
  const trialsOf = async (job: JobRow): Promise<Trial[]> => runs.trials(job, await store.wholeTrials(job.id))
  const transcript = async (job: JobRow, row: TrialRow): Promise<Transcript> => {
    const detail = await runs.detail(row, await runs.taskOf(job, row.task_id))
    const at = { jobId: job.id, trialId: row.id, attempt: row.attempt }
    return transcriptOf(detail, await boundedCalls(modelCalls(at)))
  }
  const transcriptsOf = async (job: JobRow, agent: string): Promise<Transcript[]> => {
    const rows = (await store.wholeTrials(job.id)).filter((row) => row.agent === agent)
    const all: Transcript[] = []
    let [steps, characters] = [0, 0]
    for (const row of rows) {
      const one = await transcript(job, row)
      steps += one.trial.steps.length
      characters += one.turns.reduce((sum, { call }) => sum + charactersOf(call), 0)
      if (steps > maxLogSteps || characters > maxTranscriptCharacters)
        throw new ApiError(
          'conflict',
          `The trials of ${agent} have more than ${maxLogSteps} steps, or ${maxTranscriptCharacters} characters of model calls; export them one by one as trajectories.`,
        )
      all.push(one)
    }
    return all
  }
  const inspectSource = async (
    organizationId: string,
    jobId: string,
    named: string | undefined,
  ): Promise<InspectSource> => {
    const row = await runs.require(organizationId, jobId)
    const [job] = await runs.shown([row])
    if (!job) throw new ApiError('not_found', 'There is no such evaluation.')
    const agent = chosenAgent((await runs.results(row)).agents, named)
    return { job, agent, transcripts: await transcriptsOf(row, agent.agent) }
  }
  return {
    readTrajectory: async ({ caller, params }) => {
      const job = await runs.require(caller.organizationId, params.jobId)
      const trial = await runs.requireTrial(job.id, params.trialId)
      return bytes(JSON.stringify(trajectoryOf(await transcript(job, trial))))
    },
    readInspectLog: async ({ caller, params, query }) =>
      bytes(
        JSON.stringify(inspectLogOf(await inspectSource(caller.organizationId, params.jobId, query.agent))),
      ),
    readInspectEval: async ({ caller, params, query }) =>
      new Answer(200, evalFileOf(await inspectSource(caller.organizationId, params.jobId, query.agent))),
    readResultsCsv: async ({ caller, params }) =>
      bytes(csvOf(await trialsOf(await runs.require(caller.organizationId, params.jobId)))),
    readResultsJsonl: async ({ caller, params }) =>
      bytes(jsonLinesOf(await trialsOf(await runs.require(caller.organizationId, params.jobId)))),
    readResultsMarkdown: async ({ caller, params }) => {
      const job = await runs.require(caller.organizationId, params.jobId)
      const results = await runs.results(job)
      return bytes(markdownOf({ results, name: job.name, trials: await trialsOf(job), baseUrl: baseUrl() }))
    },
  }
}

const chosenAgent = (agents: readonly AgentResult[], named: string | undefined): AgentResult => {
  const [only] = agents
  const found =
    named === undefined ? agents.length === 1 && only : agents.find(({ agent }) => agent === named)
  if (found) return found
  const message = `must name one agent of the evaluation: ${agents.map(({ agent }) => agent).join(', ')}`
  throw new ApiError('invalid_reference', `/query/agent ${message}.`, {
    details: [{ pointer: '/query/agent', message }],
  })
}

const charactersOf = ({ messages, reply }: TranscriptCall): number =>
  messages.reduce((sum, { text }) => sum + text.length, reply.text.length)

/** Leaves the bodies behind; ends where an agent asked for more than one reply can hold. */
const boundedCalls = async (calls: AsyncIterable<ModelCallDetail>): Promise<TranscriptCall[]> => {
  const kept: TranscriptCall[] = []
  let characters = 0
  for await (const { request: _, response: __, ...call } of calls) {
    characters += charactersOf(call)
    if (characters > maxTranscriptCharacters)
      throw new ApiError(
        'conflict',
        `The model calls of the trial have more than ${maxTranscriptCharacters} characters; read them one by one.`,
      )
    kept.push(call)
  }
  return kept
}
