import type { AgentResult, Job, TrialDetail } from '@diorama/contract'
import type { Transcript } from '../transcript.ts'
import { sampleOf } from './sample.ts'
import { errorOf, scorersOf, scoreValue } from './scores.ts'

export interface InspectSource {
  readonly job: Job
  readonly agent: AgentResult
  /** The agent's trials, in the order of the evaluation. */
  readonly transcripts: readonly Transcript[]
}

/** The trials of one agent as an Inspect log, version 2: a sample for each trial, an epoch for each repetition. */
export const inspectLogOf = (source: InspectSource) => ({
  ...inspectHeaderOf(source),
  samples: source.transcripts.map(sampleOf),
})

/** Everything but the samples: what a list of logs is shown from. */
export const inspectHeaderOf = ({ job, agent, transcripts }: InspectSource) => {
  const trials = transcripts.map(({ trial }) => trial)
  return {
    version: 2,
    status: statuses[job.status],
    eval: {
      created: job.created_at,
      eval_id: job.id,
      run_id: job.id,
      task: job.name,
      task_id: job.task_suite_id,
      task_version: job.task_suite_version_id,
      dataset: {
        name: job.name,
        samples: new Set(trials.map(({ task_id }) => task_id)).size,
        sample_ids: [...new Set(trials.map(({ task_id }) => task_id))],
        shuffled: false,
      },
      model: agent.agent,
      config: { epochs: job.trials_per_task },
      metadata: { diorama: { agent: agent.agent, isolation: job.isolation, gate: agent.gate } },
    },
    plan: { name: 'agent', steps: [{ solver: 'agent', params: { agent: agent.agent } }], config: {} },
    results: {
      total_samples: trials.length,
      completed_samples: trials.filter(({ finished_at }) => finished_at !== null).length,
      scores: scorersOf(trials).map((name) => ({
        name,
        scorer: name,
        params: {},
        ...scoredCounts(trials, name),
        metrics: { mean: { name: 'mean', value: meanOf(trials, name), params: {} } },
      })),
    },
    stats: {
      started_at: job.started_at ?? job.created_at,
      completed_at: job.finished_at ?? '',
      model_usage: {},
    },
    ...(job.error === null ? {} : { error: errorOf(job.error) }),
  }
}

const statuses: Readonly<Record<Job['status'], string>> = {
  queued: 'started',
  running: 'started',
  succeeded: 'success',
  failed: 'error',
  cancelled: 'cancelled',
}

const scoreValues = (trials: readonly TrialDetail[], name: string): number[] =>
  trials.flatMap((trial) => scoreValue(trial, name) ?? [])

const scoredCounts = (trials: readonly TrialDetail[], name: string) => {
  const scored = scoreValues(trials, name).length
  return { scored_samples: scored, unscored_samples: trials.length - scored }
}

const meanOf = (trials: readonly TrialDetail[], name: string): number => {
  const values = scoreValues(trials, name)
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}
