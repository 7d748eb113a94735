import type { AgentRunRecord, TraceCreate } from '@diorama/contract'
import type { Log } from '../../storage/log.ts'

export interface RecorderParts {
  /** Records runs of one organization, all or none; a run that is there already is left as it is. */
  readonly recordRuns: (organizationId: string, runs: readonly AgentRunRecord[]) => Promise<unknown>
  /** Records the trace of a run that has been recorded. */
  readonly recordTrace: (organizationId: string, trace: TraceCreate) => Promise<unknown>
  readonly log: Log
}

/** What is left of a trial beside its row. */
export interface TrialRecord {
  readonly organizationId: string
  readonly run: AgentRunRecord
  readonly trace: TraceCreate
}

/** Trials that end this close together are recorded together. */
const gatherMs = 250
const mostTogether = 64
const mostWaiting = 2_000

/**
 * Records trials as runs of their agents and as traces, behind the back of whoever ended them: a few at a time, since
 * most of what it costs is the same for one and for many. What waits is recorded before `close` is over.
 */
export const openRecorder = ({ recordRuns, recordTrace, log }: RecorderParts) => {
  const waiting: TrialRecord[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  const writeOf = async (organizationId: string, records: readonly TrialRecord[]): Promise<void> => {
    // The run first: a trace without its run would be told as a run of its own.
    await recordRuns(
      organizationId,
      records.map(({ run }) => run),
    )
    await Promise.all(records.map(({ trace }) => recordTrace(organizationId, trace)))
  }

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostTogether)
      for (const [organizationId, records] of Map.groupBy(batch, (record) => record.organizationId))
        await writeOf(organizationId, records).catch((error) =>
          log.warn({ trials: records.map(({ run }) => run.run_id), error }, 'Trials left no trace.'),
        )
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

  return {
    /** Whoever adds more than can wait drops the oldest: a trial's own row holds all of it. */
    add: (record: TrialRecord): void => {
      if (waiting.length >= mostWaiting) {
        const dropped = waiting.shift()
        log.warn({ trial: dropped?.run.run_id }, 'A trial left no trace: too many wait to be recorded.')
      }
      waiting.push(record)
      timer ??= setTimeout(() => void flush(), gatherMs)
    },
    flush,
    close: async (): Promise<void> => {
      await flush()
      await flush()
    },
  }
}
export type Recorder = ReturnType<typeof openRecorder>
