import type { FailureCause, FrozenTask, Score, TrialStep, Usage } from '@diorama/contract'
import type { TrialRow } from '../store.ts'
import type { TrialRecord } from './recorder.ts'
import { type TracedOrder, type TracedOutcome, trialTrace } from './trace.ts'

/** The trial as a trace and as a run of its agent. */
export const recordOf = ({
  trial,
  order,
  outcome,
  began,
}: {
  trial: TrialRow
  order: Omit<TracedOrder, 'jobId'>
  outcome: TracedOutcome
  began: number
}): TrialRecord => {
  const ended = began + outcome.durationMs
  const calls = outcome.steps.filter(({ kind }) => kind === 'tool_call').slice(0, 500)
  return {
    organizationId: trial.organization_id,
    trace: trialTrace({ ...order, jobId: trial.job_id }, outcome, { began, ended }),
    run: {
      run_id: trial.id,
      agent: trial.agent,
      started_at: new Date(began).toISOString(),
      finished_at: new Date(ended).toISOString(),
      status: outcome.status === 'failed' ? 'failed' : 'succeeded',
      tool_calls: calls.map(({ name, status, duration_ms }) => ({
        name,
        status: status === 'succeeded' ? 'succeeded' : 'failed',
        duration_ms,
      })),
      usage: outcome.usage && {
        input_tokens: outcome.usage.input_tokens,
        output_tokens: outcome.usage.output_tokens,
      },
      trace_id: trial.id,
      error: outcome.error,
      metadata: {},
    },
  }
}

/** The same, from what is stored of a trial that has ended. */
export const storedRecord = (trial: TrialRow, task: FrozenTask): TrialRecord => {
  const durationMs = trial.duration_ms ?? 0
  return recordOf({
    trial,
    order: { trialId: trial.id, agent: { reference: trial.agent }, task },
    outcome: {
      status: trial.status === 'failed' ? 'failed' : 'succeeded',
      cause: trial.cause as FailureCause | null,
      error: trial.error,
      steps: trial.steps as TrialStep[],
      scores: trial.scores as Score[],
      usage: trial.usage as Usage | null,
      durationMs,
    },
    began: (trial.finished_at?.getTime() ?? 0) - durationMs,
  })
}
