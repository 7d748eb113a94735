import type {
  AgentResult,
  FrozenTask,
  Results,
  Score,
  TaskResult,
  UnaskedChanges,
  Unscored,
  Usage,
} from '@diorama/contract'
import { failsByUnasked } from '../../scoring/unasked.ts'
import { headOf } from '../storable.ts'
import type { TrialSummary } from '../store.ts'
import { comparisonsOf, regressionOf } from './compare.ts'
import { costPerPass } from './cost.ts'
import { agentGate, combinedGate, regressionGate, sequentialGate } from './gate.ts'
import { isJudged, type RunRecord } from './run-record.ts'
import { clusteredRate, mean, passAll, passAt } from './statistics.ts'
import { variantResults } from './variants.ts'

const weights = { low: 1, med: 2, high: 4 } as const
const ks = [1, 2, 4, 8, 16]
const maxCrashText = 200

/** The results of an evaluation: everything follows from its trials. Numbers over several agents mean nothing, so they are null. */
export const resultsOf = (whole: RunRecord, baseline: RunRecord | undefined): Results => {
  const { job } = whole
  // An evaluation that stopped because its answer was known has planned trials that were never needed.
  const needed = job.stopped === null ? whole.trials : whole.trials.filter(isNeeded)
  const run = { ...whole, trials: needed.filter(({ variant }) => variant === null) }
  const agents = job.agents.map((agent) => agentResult(run, agent))
  const comparisons = job.mode === 'compare' ? comparisonsOf(run) : []
  const regression = job.mode === 'regression' ? regressionOf(run, baseline) : null
  const gated = agents.filter(({ agent }) => agent !== comparisons[0]?.baseline)
  const only = agents.length === 1 ? agents[0] : undefined
  const status = job.status as Results['status']
  const judge = (agent: AgentResult) =>
    regression ? { ...agent, gate: regressionGate(status, agent, regression) } : agent
  const judged = agents.map(judge)
  const stopped = job.stopped as Results['stopped']
  return {
    job_id: job.id,
    status,
    scoring: whole.scoring,
    gate:
      job.sequential === null || status !== 'succeeded'
        ? combinedGate(gated.map(judge), comparisons[0]?.baseline)
        : sequentialGate(stopped, agents),
    stopped,
    pass_rate: only?.pass_rate ?? null,
    interval: only?.interval ?? null,
    task_results: taskResults(run, run.trials),
    trials: countsOf(whole),
    agents: judged,
    comparisons,
    variants: variantResults({ ...whole, trials: needed }),
    regression,
  }
}

const isNeeded = ({ status }: TrialSummary): boolean => status !== 'cancelled'

const countsOf = ({ job, trials }: RunRecord): Results['trials'] => {
  const count = (...statuses: string[]) => trials.filter(({ status }) => statuses.includes(status)).length
  return {
    planned: job.total_trials,
    finished: count('succeeded', 'failed', 'errored'),
    scored: trials.filter(isJudged).length,
    errored: count('errored'),
    cancelled: count('cancelled'),
  }
}

const taskResults = ({ tasks }: Pick<RunRecord, 'tasks'>, trials: readonly TrialSummary[]): TaskResult[] => {
  const byTask = Map.groupBy(trials, ({ task_id }) => task_id)
  return tasks.flatMap((task) => {
    const its = byTask.get(task.id)
    return its ? [taskResult(task, its)] : []
  })
}

/** A task passes when every scorer that has a threshold met it in every trial. */
const taskResult = (task: FrozenTask, trials: readonly TrialSummary[]): TaskResult => {
  const judged = trials.filter(isJudged)
  const passed = judged.filter((trial) => trial.passed === true).length
  const failing = trials.flatMap(({ scores }) =>
    (scores as Score[]).filter((score) => score.passed === false).map(({ name }) => name),
  )
  const crashed = trials.filter(({ status }) => status === 'failed')
  return {
    task_id: task.id,
    title: task.title,
    passed:
      trials.length > 0 && trials.every((trial) => trial.passed === true && trial.status === 'succeeded'),
    failed_scorers: [...new Set([...failing, ...(trials.some(failsUnasked) ? ['unasked changes'] : [])])],
    trials: trials.length,
    passed_trials: passed,
    errored_trials: trials.filter(({ status }) => status === 'errored').length,
    unscored: unscoredOf(trials),
    unasked_trials: trials.filter((trial) => (unaskedOf(trial)?.total ?? 0) > 0).length,
    crashed_trials: crashed.length,
    crash: crashed.length === 0 ? null : crashText(crashed[0]),
    // Agents that differ are no flake: the same agent must have passed and failed.
    flaky: [...Map.groupBy(judged, ({ agent }) => agent).values()].some((its) => {
      const good = its.filter((trial) => trial.passed === true).length
      return good > 0 && good < its.length
    }),
  }
}

const crashText = (trial: TrialSummary | undefined): string =>
  headOf(
    (trial?.error ?? 'no error was recorded').replaceAll(/\s+/g, ' ').replace(/[.;]+$/, ''),
    maxCrashText,
  )

const agentResult = (run: RunRecord, agent: string): AgentResult => {
  const trials = run.trials.filter((trial) => trial.agent === agent)
  const judged = trials.filter(isJudged)
  const passed = judged.filter((trial) => trial.passed === true).length
  const perTask = [...Map.groupBy(judged, ({ task_id }) => task_id).values()].map((its) => ({
    total: its.length,
    passed: its.filter((trial) => trial.passed === true).length,
  }))
  const clustered = clusteredRate(perTask)
  const spread = (estimate: typeof passAt) =>
    Object.fromEntries(
      ks.flatMap((k) => {
        const values = perTask.map((task) => estimate(task.passed, task.total, k))
        const whole = values.filter((value) => value !== null)
        const average = whole.length === values.length ? mean(whole) : null
        return average === null ? [] : [[String(k), average]]
      }),
    )
  const durations = judged.flatMap(({ duration_ms }) => duration_ms ?? [])
  const result = {
    agent,
    trials: trials.length,
    scored_trials: judged.length,
    passed_trials: passed,
    errored_trials: trials.filter(({ status }) => status === 'errored').length,
    unscored: unscoredOf(trials),
    ...attemptsOf(trials),
    pass_rate: clustered?.rate ?? null,
    interval: clustered?.interval ?? null,
    effective_trials: clustered?.effectiveTrials ?? null,
    pass_at: spread(passAt),
    pass_all: spread(passAll),
    weighted_score: weightedScore(trials.filter(({ status }) => status !== 'cancelled')),
    mean_duration_ms: mean(durations),
    usage: usageOf(trials),
    cost_per_pass_usd: costPerPass(trials),
    tasks: taskResults(run, trials),
  }
  return { ...result, gate: agentGate(run.job.status as Results['status'], result) }
}

const unaskedOf = ({ unasked_changes }: TrialSummary) => unasked_changes as UnaskedChanges | null
const failsUnasked = (trial: TrialSummary): boolean =>
  trial.passed === false && failsByUnasked(unaskedOf(trial))

/** Trials without a verdict, by whose fault that is; those stored before causes were kept are the platform's. */
const unscoredOf = (trials: readonly TrialSummary[]): Unscored => {
  const causes = trials.filter(({ status }) => status === 'errored').map(({ cause }) => cause)
  const [scorer, provider] = ['scorer', 'model_provider'].map(
    (wanted) => causes.filter((cause) => cause === wanted).length,
  )
  return {
    scorer: scorer ?? 0,
    model_provider: provider ?? 0,
    platform: causes.length - (scorer ?? 0) - (provider ?? 0),
  }
}

const attemptsOf = (trials: readonly TrialSummary[]) => {
  const attempts = trials.reduce((sum, { attempt }) => sum + attempt, 0)
  const voided = trials.reduce((sum, { voided_attempts }) => sum + voided_attempts.length, 0)
  return { attempts, voided_attempts: voided, void_rate: attempts === 0 ? null : voided / attempts }
}

/** Null where a scorer unintentionally gave no score: the mean of the others would be too high. */
const weightedScore = (trials: readonly TrialSummary[]): number | null =>
  weightedMean(trials.flatMap(({ scores }) => scores as Score[]))

export const weightedMean = (all: readonly Score[]): number | null => {
  if (all.some(({ score, error }) => score === null && error !== null)) return null
  const scores = all.filter(({ score }) => score !== null)
  const weight = scores.reduce((sum, score) => sum + weights[score.weight], 0)
  return weight === 0
    ? null
    : scores.reduce((sum, score) => sum + (score.score ?? 0) * weights[score.weight], 0) / weight
}

const usageOf = (trials: readonly TrialSummary[]): Usage | null => {
  const all = trials.flatMap(({ usage }) => (usage ? [usage as Usage] : []))
  if (all.length === 0) return null
  const costs = all.flatMap(({ cost_usd }) => cost_usd ?? [])
  return {
    input_tokens: all.reduce((sum, one) => sum + one.input_tokens, 0),
    output_tokens: all.reduce((sum, one) => sum + one.output_tokens, 0),
    model_calls: all.reduce((sum, one) => sum + one.model_calls, 0),
    cost_usd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    cached_input_tokens: all.reduce((sum, one) => sum + (one.cached_input_tokens ?? 0), 0),
    replayed_calls: all.reduce((sum, one) => sum + (one.replayed_calls ?? 0), 0),
    latency_ms: all.reduce((sum, one) => sum + (one.latency_ms ?? 0), 0),
  }
}
