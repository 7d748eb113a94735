import type { AgentResult, FailureCause, Gate, Regression, Results, TaskResult } from '@diorama/contract'

/** The share of attempts that may be voided before nothing can be said of an agent. */
export const maxVoidRate = 0.1
/** One or two retries say nothing about an agent, whatever share of a small run they are. */
const ignoredVoids = 2

type Ungated = Omit<AgentResult, 'gate'>

/**
 * Passes when the evaluation succeeded and every task passed. Only what the agent did can fail it: where a scorer, a model
 * provider or the platform stands between a task and its verdict, or too many attempts were voided, nothing can be said.
 */
export const agentGate = (status: Results['status'], agent: Ungated): Gate => {
  if (status !== 'succeeded') return inconclusive([`The evaluation is ${status}; it did not run to its end.`])
  if (agent.tasks.length === 0) return inconclusive(['The evaluation has no task results.'])
  const failed = agent.tasks.filter(isFailed)
  if (failed.length > 0) return { verdict: 'fail', reasons: failed.map(failure) }
  const open = [...agent.tasks.filter(({ passed }) => !passed).map(unscored), ...voids(agent)]
  return open.length > 0
    ? inconclusive(open)
    : { verdict: 'pass', reasons: [`All ${agent.tasks.length} tasks passed.`] }
}

/**
 * All gated agents together: the worst verdict, with the reasons of those that have it. A baseline is named, so that
 * the candidate's failures are not mistaken for the baseline's.
 */
export const combinedGate = (
  agents: readonly Pick<AgentResult, 'agent' | 'gate'>[],
  baseline?: string | undefined,
): Gate => {
  if (agents.length === 0) return inconclusive(['The evaluation has no agent that is held to the gate.'])
  const worst = (['fail', 'inconclusive', 'pass'] as const).find((verdict) =>
    agents.some(({ gate }) => gate.verdict === verdict),
  )
  const those = agents.filter(({ gate }) => gate.verdict === worst)
  const reasons = those.flatMap(({ agent, gate }) =>
    gate.reasons.map((reason) =>
      agents.length > 1 || baseline !== undefined ? `${agent}: ${reason}` : reason,
    ),
  )
  const apart = baseline === undefined ? [] : [`${baseline} is the baseline and is not held to the gate.`]
  return { verdict: worst ?? 'inconclusive', reasons: [...reasons, ...apart] }
}

export const inconclusive = (reasons: readonly string[]): Gate => ({
  verdict: 'inconclusive',
  reasons: [...reasons],
})

/** A trial of the task ended with a verdict, and not a pass. */
export const isFailed = ({ passed, trials, passed_trials, errored_trials }: TaskResult): boolean =>
  !passed && passed_trials + errored_trials < trials

/** A crash is named before the scorers: what they missed usually follows from it. */
export const failure = (task: TaskResult): string => {
  const { title, passed_trials, trials, failed_scorers, crashed_trials, crash } = task
  const crashed = crashed_trials > 0 ? `; the agent ended early in ${crashed_trials}: ${crash}` : ''
  const missed = failed_scorers.length > 0 ? `; failed ${failed_scorers.join(', ')}` : ''
  return `${title}: ${passed_trials} of ${trials} trials passed${crashed}${missed}.`
}

const words: Readonly<Record<Exclude<FailureCause, 'agent' | 'budget'>, string>> = {
  scorer: 'a scorer',
  model_provider: 'a model provider',
  platform: 'the platform',
}

export const blamedFor = ({ unscored: by }: Pick<TaskResult, 'unscored'>) =>
  (['scorer', 'model_provider', 'platform'] as const).filter((cause) => by[cause] > 0)

export const unscored = (task: TaskResult): string => {
  const who = blamedFor(task).map((cause) => words[cause])
  return `${task.title}: ${who.join(' and ') || 'the platform'} failed in ${task.errored_trials} of ${task.trials} trials, so they have no verdict.`
}

const voids = ({ attempts, voided_attempts, void_rate }: Ungated): string[] =>
  voided_attempts > ignoredVoids && (void_rate ?? 0) > maxVoidRate
    ? [
        `${voided_attempts} of ${attempts} attempts were voided and run again; above ${Math.round(maxVoidRate * 100)} % that may favour the agent.`,
      ]
    : []

/**
 * Fails only for regressions, and only for those that chance does not explain: a task that failed before and fails now
 * is not news. Says which run it was held against.
 */
export const regressionGate = (
  status: Results['status'],
  agent: AgentResult,
  regression: Regression,
): Gate => {
  if (status !== 'succeeded') return agent.gate
  const { baseline_job_id, baseline_name } = regression
  const against = `Held against ${baseline_name} (${baseline_job_id}).`
  const compared = regression.agents.find((one) => one.agent === agent.agent)
  if (baseline_job_id === null || !compared)
    return inconclusive(['There is no earlier evaluation of this agent to be held against.'])
  const worse = regression.regressed.filter((one) => one.agent === agent.agent)
  const regressed = worse.map(
    ({ title, p_value }) =>
      `${title}: passed before, and not in every trial now (p = ${p_value.toFixed(3)}).`,
  )
  if (compared.regressed === true) return { verdict: 'fail', reasons: [...regressed, against] }
  if (worse.length > 0)
    return inconclusive([
      ...regressed,
      'So few trials can differ that much by chance at an error rate of 5 %: repeat with more trials a task.',
      against,
    ])
  const open = [...agent.tasks.filter((task) => task.errored_trials > 0).map(unscored), ...voids(agent)]
  if (open.length > 0) return inconclusive([...open, against])
  const failing = compared.still_failing
  const news = failing > 0 ? ` ${failing} failed before and fail still.` : ''
  return { verdict: 'pass', reasons: [`None of ${compared.tasks} tasks regressed.${news}`, against] }
}

/**
 * The answer of a sequential evaluation, at the error rate that was asked for. Trials without a verdict are no observations, so
 * an agent that could leave the ones it is about to fail would be found good: too many of them answer nothing.
 */
export const sequentialGate = (
  stopped: Results['stopped'],
  agents: readonly Omit<AgentResult, 'gate'>[],
): Gate => {
  if (!stopped || stopped.answer === null)
    return inconclusive([
      'The evaluation used all its trials and the answer is not known at the error rate asked for.',
    ])
  if (stopped.answer === 'below') return { verdict: 'fail', reasons: [stopped.reason] }
  // Of two agents the second is the one that was found better.
  const favoured = agents[1] ?? agents[0]
  const open = favoured ? [...unjudged(favoured), ...voids(favoured)] : []
  return open.length > 0
    ? inconclusive([stopped.reason, ...open])
    : { verdict: 'pass', reasons: [stopped.reason] }
}

const unjudged = ({ trials, errored_trials }: Ungated): string[] =>
  errored_trials > ignoredVoids && errored_trials / trials > maxVoidRate
    ? [
        `${errored_trials} of ${trials} trials have no verdict; above ${Math.round(maxVoidRate * 100)} % that may favour the agent.`,
      ]
    : []
