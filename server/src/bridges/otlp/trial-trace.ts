import type { TraceCreate } from '@diorama/contract'
import type { RunReader } from '../../evaluations/runs.ts'
import type { EvaluationStore } from '../../evaluations/store.ts'
import { storedRecord } from '../../evaluations/worker/trial-record.ts'
import type { TraceOutbox, Waiting } from './store.ts'

export interface TrialTraceDeps {
  readonly store: Pick<EvaluationStore, 'findJob' | 'findTrial'>
  readonly runs: Pick<RunReader, 'taskOf'>
}

/** The trace of a trial that waits in the outbox; undefined where the trial is gone. */
export const trialTrace =
  ({ store, runs }: TrialTraceDeps) =>
  async (organizationId: string, { trial_id, job_id }: Waiting): Promise<TraceCreate | undefined> => {
    const job = await store.findJob(organizationId, job_id)
    const trial = job && (await store.findTrial(job_id, trial_id))
    return trial && storedRecord(trial, await runs.taskOf(job, trial.task_id)).trace
  }

type RecordRuns<R> = (organizationId: string, runs: readonly R[]) => Promise<unknown>

/**
 * Records runs, then puts their trials into the outbox. A trial leaves the recorder's own outbox only after this, so a
 * crash in between loses nothing.
 */
export const recordThenExport =
  <R extends { readonly run_id?: string | null | undefined }>(
    record: RecordRuns<R>,
    outbox: Pick<TraceOutbox, 'add'>,
  ): RecordRuns<R> =>
  async (organizationId, runs) => {
    await record(organizationId, runs)
    await outbox.add(
      organizationId,
      runs.flatMap(({ run_id }) => run_id ?? []),
    )
  }
