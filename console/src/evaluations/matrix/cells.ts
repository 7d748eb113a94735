import type { MatrixTrial, RunMatrix } from '@diorama/contract'

/** The trials of one agent at one task. */
export interface Cell {
  readonly trials: readonly MatrixTrial[]
  readonly score: number | null
  readonly flaky: boolean
}

export interface MatrixRow {
  readonly id: string
  readonly title: string
  readonly cells: readonly Cell[]
  /** The most frequent reason for which trials of this task did not pass. */
  readonly why: { readonly scorer: string | null; readonly reason: string; readonly count: number } | null
}

const none: Cell = { trials: [], score: null, flaky: false }

export const rowsOf = ({ tasks, agents, trials }: RunMatrix): readonly MatrixRow[] => {
  const byTask = Map.groupBy(trials, ({ task }) => task)
  return tasks.map(({ id, title }, task) => {
    const its = byTask.get(task) ?? []
    const byAgent = Map.groupBy(its, ({ agent }) => agent)
    return { id, title, cells: agents.map((_, agent) => cellOf(byAgent.get(agent))), why: whyOf(its) }
  })
}

const cellOf = (trials: readonly MatrixTrial[] | undefined): Cell => {
  if (!trials) return none
  const scores = trials.flatMap(({ score }) => score ?? [])
  const judged = trials.filter(({ outcome }) => outcome !== null && outcome !== 'errored')
  const passed = judged.filter(({ outcome }) => outcome === 'passed').length
  return {
    trials,
    score: scores.length === 0 ? null : scores.reduce((sum, one) => sum + one, 0) / scores.length,
    flaky: passed > 0 && passed < judged.length,
  }
}

const whyOf = (trials: readonly MatrixTrial[]): MatrixRow['why'] => {
  const missed = trials.filter(({ outcome }) => outcome !== null && outcome !== 'passed')
  const groups = [...Map.groupBy(missed, (one) => `${one.failed_scorer} ${one.reason}`).values()]
  const [most] = groups.toSorted((a, b) => b.length - a.length)
  const first = most?.[0]
  if (!most || !first) return null
  return { scorer: first.failed_scorer, reason: first.reason ?? '', count: most.length }
}
