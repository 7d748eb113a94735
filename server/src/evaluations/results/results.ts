import type {
  AgentResult,
  Comparison,
  FrozenTask,
  Results,
  Score,
  TaskResult,
  Unscored,
  Usage,
} from '@diorama/contract'
import type { JobRow, TrialRow } from '../store.ts'
import { agentGate, combinedGate } from './gate.ts'
import { mean, meanInterval, passAll, passAt, signFlipTest, wilson } from './statistics.ts'

const weights = { low: 1, med: 2, high: 4 } as const
const ks = [1, 2, 4, 8, 16]

/** What the results of a run must know. */
export interface RunRecord {
  readonly job: JobRow
  readonly trials: readonly TrialRow[]
  readonly tasks: readonly FrozenTask[]
}

/** The results of a run: everything follows from its trials. */
export const resultsOf = (run: RunRecord, baseline: RunRecord | undefined): Results => {
  const { job, trials } = run
  const judged = trials.filter(isJudged)
  const passed = judged.filter((trial) => trial.passed === true).length
  const count = (...statuses: string[]) => trials.filter(({ status }) => statuses.includes(status)).length
  const agents = job.agents.map((agent) => agentResult(run, agent))
  const comparisons = job.mode === 'compare' ? comparisonsOf(run) : []
  return {
    job_id: job.id,
    status: job.status as Results['status'],
    gate: combinedGate(agents.filter(({ agent }) => agent !== comparisons[0]?.baseline)),
    pass_rate: judged.length === 0 ? null : passed / judged.length,
    interval: wilson(passed, judged.length),
    task_results: taskResults(run, trials),
    trials: {
      planned: job.total_trials,
      finished: count('succeeded', 'failed', 'errored'),
      scored: judged.length,
      errored: count('errored'),
      cancelled: count('cancelled'),
    },
    agents,
    comparisons,
    regression: job.mode === 'regression' ? regressionOf(run, baseline) : null,
  }
}

/** The platform's failures are no verdict on the agent: they are counted apart and lower no rate. */
const isJudged = ({ status, passed }: TrialRow): boolean =>
  (status === 'succeeded' || status === 'failed') && passed !== null

const taskResults = ({ tasks }: Pick<RunRecord, 'tasks'>, trials: readonly TrialRow[]): TaskResult[] => {
  const byTask = Map.groupBy(trials, ({ task_id }) => task_id)
  return tasks.flatMap((task) => {
    const its = byTask.get(task.id)
    return its ? [taskResult(task, its)] : []
  })
}

/** A task passes when every scorer that has a threshold met it in every trial. */
const taskResult = (task: FrozenTask, trials: readonly TrialRow[]): TaskResult => {
  const judged = trials.filter(isJudged)
  const passed = judged.filter((trial) => trial.passed === true).length
  const failing = trials.flatMap(({ scores }) =>
    (scores as Score[]).filter((score) => score.passed === false).map(({ name }) => name),
  )
  return {
    task_id: task.id,
    title: task.title,
    passed:
      trials.length > 0 && trials.every((trial) => trial.passed === true && trial.status === 'succeeded'),
    failed_scorers: [...new Set(failing)],
    trials: trials.length,
    passed_trials: passed,
    errored_trials: trials.filter(({ status }) => status === 'errored').length,
    unscored: unscoredOf(trials),
    flaky: passed > 0 && passed < judged.length,
  }
}

const agentResult = (run: RunRecord, agent: string): AgentResult => {
  const trials = run.trials.filter((trial) => trial.agent === agent)
  const judged = trials.filter(isJudged)
  const passed = judged.filter((trial) => trial.passed === true).length
  const perTask = [...Map.groupBy(judged, ({ task_id }) => task_id).values()].map((its) => ({
    total: its.length,
    passed: its.filter((trial) => trial.passed === true).length,
  }))
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
    pass_rate: judged.length === 0 ? null : passed / judged.length,
    interval: wilson(passed, judged.length),
    pass_at: spread(passAt),
    pass_all: spread(passAll),
    weighted_score: weightedScore(trials.filter(({ status }) => status !== 'cancelled')),
    mean_duration_ms: mean(durations),
    usage: usageOf(trials),
    tasks: taskResults(run, trials),
  }
  return { ...result, gate: agentGate(run.job.status as Results['status'], result) }
}

/** Trials without a verdict, by whose fault that is; those stored before causes were kept are the platform's. */
const unscoredOf = (trials: readonly TrialRow[]): Unscored => {
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

const attemptsOf = (trials: readonly TrialRow[]) => {
  const attempts = trials.reduce((sum, { attempt }) => sum + attempt, 0)
  const voided = trials.reduce((sum, { voided_attempts }) => sum + voided_attempts.length, 0)
  return { attempts, voided_attempts: voided, void_rate: attempts === 0 ? null : voided / attempts }
}

/** Null where a scorer gave no score by nobody's wish: the mean of the others would rise by it. */
const weightedScore = (trials: readonly TrialRow[]): number | null => {
  const all = trials.flatMap(({ scores }) => scores as Score[])
  if (all.some(({ score, error }) => score === null && error !== null)) return null
  const scores = all.filter(({ score }) => score !== null)
  const weight = scores.reduce((sum, score) => sum + weights[score.weight], 0)
  return weight === 0
    ? null
    : scores.reduce((sum, score) => sum + (score.score ?? 0) * weights[score.weight], 0) / weight
}

const usageOf = (trials: readonly TrialRow[]): Usage | null => {
  const all = trials.flatMap(({ usage }) => (usage ? [usage as Usage] : []))
  if (all.length === 0) return null
  const costs = all.flatMap(({ cost_usd }) => cost_usd ?? [])
  return {
    input_tokens: all.reduce((sum, one) => sum + one.input_tokens, 0),
    output_tokens: all.reduce((sum, one) => sum + one.output_tokens, 0),
    model_calls: all.reduce((sum, one) => sum + one.model_calls, 0),
    cost_usd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  }
}

/** The share of passed trials of each task, for one agent; tasks that were never judged are left out. */
const ratesOf = ({ trials }: RunRecord, agent: string): Map<string, number> => {
  const judged = trials.filter((trial) => trial.agent === agent && isJudged(trial))
  return new Map(
    [...Map.groupBy(judged, ({ task_id }) => task_id)].map(([task, its]) => [
      task,
      its.filter(({ passed }) => passed === true).length / its.length,
    ]),
  )
}

/** Each agent beside the first, paired by task. */
const comparisonsOf = (run: RunRecord): Comparison[] => {
  const [first, ...others] = run.job.agents
  if (first === undefined) return []
  const base = ratesOf(run, first)
  return others.map((agent) => {
    const rates = ratesOf(run, agent)
    const pairs = run.tasks.flatMap(({ id, title }) => {
      const [a, b] = [base.get(id), rates.get(id)]
      return a === undefined || b === undefined ? [] : [{ task_id: id, title, baseline: a, agent: b }]
    })
    const differences = pairs.map((pair) => pair.agent - pair.baseline)
    return {
      baseline: first,
      agent,
      wins: differences.filter((difference) => difference > 0).length,
      losses: differences.filter((difference) => difference < 0).length,
      ties: differences.filter((difference) => difference === 0).length,
      tasks: pairs.length,
      difference: mean(differences),
      interval: meanInterval(differences),
      p_value: signFlipTest(differences),
      differing: pairs.filter((pair) => pair.agent !== pair.baseline),
    }
  })
}

const nameOf = (agent: string): string => agent.slice(0, agent.lastIndexOf('@'))

/** What passed in the earlier run and fails now, agent by agent name, task by task. */
const regressionOf = (run: RunRecord, baseline: RunRecord | undefined): Results['regression'] => {
  if (!baseline) return { baseline_job_id: null, regressed: [], fixed: [] }
  const changed = (wanted: (before: boolean, now: boolean) => boolean) =>
    run.job.agents.flatMap((agent) => {
      const former = baseline.job.agents.find((one) => nameOf(one) === nameOf(agent))
      if (former === undefined) return []
      const before = ratesOf(baseline, former)
      const now = ratesOf(run, agent)
      return run.tasks.flatMap((task) => {
        const [a, b] = [before.get(task.id) ?? before.get(sameTask(baseline, task)), now.get(task.id)]
        return a !== undefined && b !== undefined && wanted(a === 1, b === 1)
          ? [{ agent, task_id: task.id, title: task.title }]
          : []
      })
    })
  return {
    baseline_job_id: baseline.job.id,
    regressed: changed((before, now) => before && !now),
    fixed: changed((before, now) => !before && now),
  }
}

const sameTask = ({ tasks }: RunRecord, { key }: FrozenTask): string =>
  key === null ? '' : (tasks.find((one) => one.key === key)?.id ?? '')
