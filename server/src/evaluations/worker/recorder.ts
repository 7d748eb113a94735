import type { AgentRunRecord, TraceCreate } from '@diorama/contract'
import type { Log } from '../../storage/log.ts'

export interface RecorderDeps {
  /** Records runs of one organization, all or none; a run that is there already is left as it is. */
  readonly recordRuns: (organizationId: string, runs: readonly AgentRunRecord[]) => Promise<unknown>
  /** Records the trace of a run that has been recorded. */
  readonly recordTrace: (organizationId: string, trace: TraceCreate) => Promise<unknown>
  readonly hasTrace: (organizationId: string, trialId: string) => Promise<boolean>
  /** Takes trials out of the outbox. */
  readonly markRecorded: (trialIds: readonly string[]) => Promise<unknown>
  /** Trials that are still in the outbox some time after they ended. */
  readonly overdue: () => Promise<readonly TrialRecord[]>
  readonly log: Log
}

/** What is written of a trial besides its row. */
export interface TrialRecord {
  readonly organizationId: string
  readonly run: AgentRunRecord & { readonly run_id: string }
  readonly trace: TraceCreate
}

export interface Recorder {
  add(record: TrialRecord): void
  flush(): Promise<void>
  /** Records what the outbox holds from an earlier life; also done every few seconds. */
  sweep(): void
  /** Writes what is in memory. What fails stays in the outbox for the next worker. */
  close(): Promise<void>
}

/** Trials that end this close together are recorded together. */
const debounceMs = 250
const maxBatch = 64
const maxWaiting = 2_000
const sweepEveryMs = 5_000

/**
 * Records trials as runs of their agents and as traces, in batches. The rows of ended trials are the outbox: a record
 * leaves it only once both are written, so a failure or a crash delays a trace and never loses it. The queue in memory
 * is only the fast path; a sweep of the outbox finds what it missed.
 */
export const openRecorder = (deps: RecorderDeps): Recorder => {
  const { recordRuns, recordTrace, hasTrace, markRecorded, overdue, log } = deps
  const waiting: TrialRecord[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  const writeBatch = async (organizationId: string, records: readonly TrialRecord[]): Promise<void> => {
    // The run first: a trace without its run would be taken for a run that the trace reports.
    await recordRuns(
      organizationId,
      records.map(({ run }) => run),
    )
    await Promise.all(
      records.map(async ({ trace, run }) => {
        if (!(await hasTrace(organizationId, run.run_id))) await recordTrace(organizationId, trace)
      }),
    )
    await markRecorded(records.map(({ run }) => run.run_id))
  }

  /** One bad record must not hold up the others: a batch that fails is written one by one. */
  const writeAll = async (organizationId: string, records: readonly TrialRecord[]): Promise<void> => {
    try {
      await writeBatch(organizationId, records)
    } catch (error) {
      const trials = records.map(({ run }) => run.run_id)
      log.warn({ event: 'trial.record_failed', trials, error }, 'Trials stay in the outbox.')
      if (records.length > 1) for (const record of records) await writeAll(organizationId, [record])
    }
  }

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxBatch)
      for (const [organizationId, records] of Map.groupBy(batch, (record) => record.organizationId))
        await writeAll(organizationId, records)
    }
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    writing ??= write().finally(() => {
      writing = undefined
    })
    return writing
  }

  const sweep = async (): Promise<void> => {
    for (const record of await overdue()) if (waiting.length < maxWaiting) waiting.push(record)
    await flush()
  }
  let sweeping: Promise<void> | undefined
  const startSweep = () => {
    sweeping ??= sweep()
      .catch((error) => log.warn({ event: 'trial.sweep_failed', error }, 'The outbox was not swept.'))
      .finally(() => {
        sweeping = undefined
      })
  }
  const interval = setInterval(startSweep, sweepEveryMs)
  interval.unref()

  return {
    /** What does not fit into memory is left to the sweep. */
    add: (record: TrialRecord): void => {
      if (waiting.length < maxWaiting) waiting.push(record)
      timer ??= setTimeout(() => void flush(), debounceMs)
    },
    flush,
    sweep: startSweep,
    close: async (): Promise<void> => {
      clearInterval(interval)
      await sweeping
      await flush()
      await flush()
    },
  }
}
