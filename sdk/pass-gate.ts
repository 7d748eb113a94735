import type { Reply } from './methods.ts'

export type Verdict = 'pass' | 'fail' | 'inconclusive'

type Results = Pick<Reply<'readResults'>, 'status' | 'taskResults' | 'agents'>

export interface GateOptions {
  /** Hold one agent of a comparison to the gate, and not all of them together. */
  readonly agent?: string | undefined
}

/**
 * Passes when the run succeeded and every task passed. A failure of the platform is no verdict on the agent: where
 * only such failures stand between a task and its pass, the gate is inconclusive.
 */
export const passGate = (results: Results, options: GateOptions = {}): Verdict =>
  explainGate(results, options).verdict

/** The verdict, and each reason for it in words. */
export const explainGate = (
  results: Results,
  { agent }: GateOptions = {},
): { readonly verdict: Verdict; readonly reasons: readonly string[] } => {
  const tasks =
    agent === undefined ? results.taskResults : results.agents.find((one) => one.agent === agent)?.tasks
  if (!tasks) return { verdict: 'inconclusive', reasons: [`${agent} is not an agent of this run.`] }
  if (results.status !== 'succeeded')
    return { verdict: 'inconclusive', reasons: [`The run is ${results.status}; it did not run to its end.`] }
  if (tasks.length === 0) return { verdict: 'inconclusive', reasons: ['The run has no task results.'] }
  const missed = tasks.filter(({ passed }) => !passed)
  const failed = missed.filter(
    ({ trials, passedTrials, erroredTrials }) => passedTrials + erroredTrials < trials,
  )
  if (failed.length > 0)
    return {
      verdict: 'fail',
      reasons: failed.map(
        ({ title, passedTrials, trials, failedScorers }) =>
          `${title}: ${passedTrials} of ${trials} trials passed${failedScorers.length > 0 ? `; failed ${failedScorers.join(', ')}` : ''}.`,
      ),
    }
  return missed.length === 0
    ? { verdict: 'pass', reasons: [`All ${tasks.length} tasks passed.`] }
    : {
        verdict: 'inconclusive',
        reasons: missed.map(
          ({ title, erroredTrials, trials }) =>
            `${title}: the platform failed in ${erroredTrials} of ${trials} trials.`,
        ),
      }
}
