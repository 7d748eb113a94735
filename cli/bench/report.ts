import { benchmarkLines, type ReportLine } from '@diorama/sdk/core/benchmark-report'
import type { Client } from '@diorama/sdk/index.ts'
import { take } from '../options.ts'

/** Reads the trials of an evaluation and sums them up by agent and group. */
export const readReport = async (
  client: Client,
  jobId: string,
): Promise<{ lines: ReportLine[]; unscored: number }> => {
  const trials = await take(client.evaluations.listTrials(jobId, { limit: 200 }), 100_000)
  return benchmarkLines(
    trials.map((trial) => ({
      agent: trial.agent,
      task: trial.taskId,
      title: trial.taskTitle ?? '',
      passed: trial.passed,
      reasons: trial.scores.map(({ reason }) => reason ?? ''),
      unasked: trial.unaskedChanges?.items.length ?? 0,
    })),
  )
}
