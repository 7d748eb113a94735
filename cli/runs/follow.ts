import type { Finished } from '@diorama/sdk/index.ts'
import type { Invocation } from '../invocation.ts'
import { take } from '../options.ts'
import { openProgress } from './progress-bar.ts'
import { missedTable, resultsText } from './results-text.ts'

const maxWaitMs = 24 * 3_600_000

/** Follows an evaluation to its end, with its progress on the terminal. */
export const follow = async (run: Invocation<object>, jobId: string): Promise<Finished> => {
  const progress = openProgress(run.terminal, run.json)
  try {
    return await run.client.evaluations.wait(jobId, {
      signal: run.terminal.signal,
      timeoutMs: maxWaitMs,
      onProgress: progress.show,
    })
  } finally {
    progress.end()
  }
}

/** Follows an evaluation that this command started; if the user interrupts, trials that have not started are cancelled. */
export const followOwn = async (run: Invocation<object>, jobId: string): Promise<Finished> => {
  try {
    return await follow(run, jobId)
  } catch (error) {
    if (run.terminal.signal.aborted) await run.client.evaluations.cancel(jobId).catch(() => {})
    throw error
  }
}

/** An evaluation as it is now. */
export const readRun = async ({ client }: Invocation<object>, jobId: string): Promise<Finished> => ({
  job: await client.evaluations.get(jobId),
  results: await client.evaluations.results(jobId),
})

/** The one summary of an evaluation: its table, and why each trial that did not pass did not. */
export const summaryOf = async ({ client, paint }: Invocation<object>, { job, results }: Finished) => {
  const trials = await take(client.evaluations.listTrials(job.id, { limit: 200 }), 200)
  const text = [resultsText(job, results, paint), ...missedTable(trials, paint)].join('\n\n')
  return { trials, text }
}
