import type { Comparison, FrozenTask, Regression } from '@diorama/contract'
import { costPerPass } from './cost.ts'
import {
  differenceInterval,
  differencesOf,
  fisherDrop,
  holm,
  inWords,
  minimumDetectable,
  type Pair,
  signFlipTest,
  tasksNeeded,
} from './differences.ts'
import { isJudged, type RunRecord } from './run-record.ts'
import { type Cluster, mean } from './statistics.ts'

/** The error rate of the regression gate, split over its two tests. */
const alpha = 0.05
const tenPoints = 0.1

export type TaskPair = Pair & { readonly task: FrozenTask }

/** The judged trials of one agent by task; tasks that were never judged are left out. */
export const clustersOf = ({ trials }: RunRecord, agent: string): Map<string, Cluster> => {
  const judged = trials.filter((trial) => trial.agent === agent && isJudged(trial))
  return new Map(
    [...Map.groupBy(judged, ({ task_id }) => task_id)].map(([task, its]) => [
      task,
      { passed: its.filter(({ passed }) => passed === true).length, total: its.length },
    ]),
  )
}

const rateOf = ({ passed, total }: Cluster): number => passed / total

/** Each agent beside the first, paired by task. */
export const comparisonsOf = (run: RunRecord): Comparison[] => {
  const [first, ...others] = run.job.agents
  if (first === undefined) return []
  const base = clustersOf(run, first)
  return others.map((agent) => {
    const its = clustersOf(run, agent)
    const pairs = run.tasks.flatMap((task): TaskPair[] => {
      const [baseline, one] = [base.get(task.id), its.get(task.id)]
      return baseline && one ? [{ task, baseline, agent: one }] : []
    })
    const costOf = (name: string) => costPerPass(run.trials.filter((trial) => trial.agent === name))
    return {
      baseline: first,
      agent,
      ...compared(pairs, { baseline: first, agent }),
      cost_per_pass_usd: { baseline: costOf(first), agent: costOf(agent) },
    }
  })
}

export const compared = (pairs: readonly TaskPair[], names: { baseline: string; agent: string }) => {
  const differences = differencesOf(pairs)
  const difference = mean(differences)
  const statistics = {
    difference,
    interval: differenceInterval(pairs),
    p_value: signFlipTest(differences),
    minimum_detectable_difference: minimumDetectable(differences),
    tasks_needed: {
      for_observed: difference === null ? null : tasksNeeded(differences, difference),
      for_ten_points: tasksNeeded(differences, tenPoints),
    },
  }
  return {
    wins: differences.filter((one) => one > 0).length,
    losses: differences.filter((one) => one < 0).length,
    ties: differences.filter((one) => one === 0).length,
    tasks: pairs.length,
    ...statistics,
    summary: summaryOf({ ...statistics, tasks: pairs.length }, names),
    differing: pairs
      .filter(({ baseline, agent }) => rateOf(baseline) !== rateOf(agent))
      .map(({ task, baseline, agent }) => ({
        task_id: task.id,
        title: task.title,
        baseline: rateOf(baseline),
        agent: rateOf(agent),
      })),
  }
}

const points = (share: number): string => `${(Math.round(share * 1_000) / 10).toFixed(1).replace(/\.0$/, '')}`

type Summarised = Pick<
  Comparison,
  'difference' | 'interval' | 'p_value' | 'minimum_detectable_difference' | 'tasks_needed' | 'tasks'
>

const summaryOf = (found: Summarised, { baseline, agent }: { baseline: string; agent: string }): string => {
  const { difference, interval, p_value, minimum_detectable_difference: detectable, tasks } = found
  if (difference === null || !interval || p_value === null || detectable === null)
    return `${agent} and ${baseline} have no task with a verdict on both.`
  const direction =
    difference === 0
      ? 'as many tasks as'
      : `${points(Math.abs(difference))} points ${difference > 0 ? 'more' : 'less'} than`
  const sentences = [
    `${agent} passes ${direction} ${baseline} over ${tasks} tasks (95 % interval ${points(interval.low)} to ${points(interval.high)} points).`,
    `A difference this large comes ${inWords(p_value)} (p = ${p_value.toFixed(3)}).`,
    `With ${tasks} tasks a difference below ${points(detectable)} points is likely to be missed; ten points need ${found.tasks_needed.for_ten_points} tasks.`,
  ]
  return sentences.join(' ')
}

const nameOf = (agent: string): string => agent.slice(0, agent.lastIndexOf('@'))

const sameTask = ({ tasks }: RunRecord, { key }: FrozenTask): string =>
  key === null ? '' : (tasks.find((one) => one.key === key)?.id ?? '')

/**
 * What passed in the earlier evaluation and fails now, by agent name and task. A task that failed before and fails now is not
 * news. Each agent's drop is tested over all tasks together, and each regressed task on its own, corrected for their
 * number.
 */
export const regressionOf = (run: RunRecord, baseline: RunRecord | undefined): Regression => {
  if (!baseline) return { baseline_job_id: null, baseline_name: null, regressed: [], fixed: [], agents: [] }
  const agents = run.job.agents.flatMap((agent) => {
    const former = baseline.job.agents.find((one) => nameOf(one) === nameOf(agent))
    return former === undefined ? [] : [changesOf({ run, baseline, agent, former })]
  })
  return {
    baseline_job_id: baseline.job.id,
    baseline_name: baseline.job.name,
    regressed: agents.flatMap(({ regressed }) => regressed),
    fixed: agents.flatMap(({ fixed }) => fixed),
    agents: agents.map(({ result }) => result),
  }
}

interface AgentChange {
  readonly run: RunRecord
  readonly baseline: RunRecord
  readonly agent: string
  readonly former: string
}

const changesOf = ({ run, baseline, agent, former }: AgentChange) => {
  const before = clustersOf(baseline, former)
  const now = clustersOf(run, agent)
  const pairs = run.tasks.flatMap((task): TaskPair[] => {
    const [a, b] = [before.get(task.id) ?? before.get(sameTask(baseline, task)), now.get(task.id)]
    return a && b ? [{ task, baseline: a, agent: b }] : []
  })
  const changed = (wanted: (before: number, now: number) => boolean) =>
    pairs.filter((pair) => wanted(rateOf(pair.baseline), rateOf(pair.agent)))
  const worse = changed((then, since) => then === 1 && since < 1)
  // Corrected over every task that could have regressed, not over those that did.
  const candidates = pairs.filter((pair) => rateOf(pair.baseline) === 1)
  const corrected = holm(candidates.map((pair) => fisherDrop(pair.baseline, pair.agent)))
  const named = ({ task }: TaskPair) => ({ agent, task_id: task.id, title: task.title })
  const regressed = worse.map((pair) => ({
    ...named(pair),
    p_value: corrected[candidates.indexOf(pair)] ?? 1,
  }))
  const differences = differencesOf(pairs)
  const drop = signFlipTest(differences, 'drop')
  const proven =
    regressed.length > 0 &&
    ((drop !== null && drop < alpha / 2) || regressed.some(({ p_value }) => p_value < alpha / 2))
  return {
    regressed,
    fixed: changed((then, since) => then < 1 && since === 1).map(named),
    result: {
      agent,
      baseline_agent: former,
      tasks: pairs.length,
      still_failing: changed((then, since) => then < 1 && since < 1).length,
      difference: mean(differences),
      interval: differenceInterval(pairs),
      p_value: drop,
      regressed: proven ? true : regressed.length > 0 ? null : false,
    },
  }
}
