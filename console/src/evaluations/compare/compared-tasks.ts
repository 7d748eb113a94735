import type { MatrixTrial, RunMatrix } from '@diorama/contract'

/** One agent of one evaluation. */
export interface Side {
  readonly jobId: string
  readonly matrix: RunMatrix
  readonly agent: string
}

export interface ComparedTask {
  readonly title: string
  readonly before: readonly MatrixTrial[]
  readonly after: readonly MatrixTrial[]
  readonly change: 'fixed' | 'broken' | 'differs' | 'only' | 'same'
  readonly scores: readonly [number | null, number | null]
  readonly costs: readonly [number | null, number | null]
}

const trialsOf = ({ matrix, agent }: Side, task: number): MatrixTrial[] =>
  matrix.trials.filter((one) => one.task === task && matrix.agents[one.agent] === agent)

const mean = (values: readonly (number | null)[]): number | null => {
  const known = values.flatMap((value) => value ?? [])
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length
}

const hasPassed = (trials: readonly MatrixTrial[]): boolean | null =>
  trials.length === 0 ? null : trials.every(({ outcome }) => outcome === 'passed')

const rank = { broken: 0, fixed: 1, differs: 2, only: 3, same: 4 } as const

/** The tasks of two evaluations, paired by id or else by title; what got worse comes first. */
export const compareTasks = (a: Side, b: Side): readonly ComparedTask[] => {
  const places = b.matrix.tasks.map((task, index) => ({ ...task, index }))
  const paired = a.matrix.tasks.map(({ id, title }, index) => {
    const other = places.find((one) => one.id === id) ?? places.find((one) => one.title === title)
    return { title, before: trialsOf(a, index), after: other ? trialsOf(b, other.index) : [], other }
  })
  const met = new Set(paired.map(({ other }) => other?.index))
  const fresh = places
    .filter(({ index }) => !met.has(index))
    .map(({ title, index }) => ({ title, before: [], after: trialsOf(b, index) }))
  return [...paired, ...fresh]
    .map(({ title, before, after }) => ({
      title,
      before,
      after,
      change: changeOf(before, after),
      scores: [mean(before.map(({ score }) => score)), mean(after.map(({ score }) => score))] as const,
      costs: [
        mean(before.map(({ cost_usd }) => cost_usd)),
        mean(after.map(({ cost_usd }) => cost_usd)),
      ] as const,
    }))
    .toSorted((x, y) => rank[x.change] - rank[y.change])
}

const changeOf = (before: readonly MatrixTrial[], after: readonly MatrixTrial[]): ComparedTask['change'] => {
  const [was, is] = [hasPassed(before), hasPassed(after)]
  if (was === null || is === null) return 'only'
  if (was !== is) return is ? 'fixed' : 'broken'
  const endings = (trials: readonly MatrixTrial[]) =>
    trials
      .map(({ outcome }) => outcome)
      .sort()
      .join()
  return endings(before) === endings(after) ? 'same' : 'differs'
}
