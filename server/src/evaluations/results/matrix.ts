import type { FrozenTask, MatrixTrial, RunMatrix, Score } from '@diorama/contract'
import { BoundedCache } from '../../storage/bounded-cache.ts'
import type { MatrixRow, TrialQueries } from '../grading/trial-queries.ts'
import { headOf } from '../storable.ts'
import type { JobRow } from '../store.ts'
import { outcomeOf } from './outcome.ts'
import { weightedMean } from './results.ts'

const maxReason = 200
/** How many titles of tasks are kept in memory, over all evaluations. */
const maxTitles = 20_000

export type MatrixTask = Pick<FrozenTask, 'id' | 'title'>

interface MatrixTaskDeps {
  readonly tasksOf: (suiteId: string, versionId: string) => Promise<readonly FrozenTask[]>
  readonly triedTasks: TrialQueries['triedTasks']
}

/**
 * The tasks that an evaluation has trials of. Its trials are all inserted when it starts and its suite is frozen, so the
 * answer never changes: it is memoised in an LRU cache.
 */
export const createMatrixTasks = ({ tasksOf, triedTasks }: MatrixTaskDeps) => {
  const cache = new BoundedCache<readonly MatrixTask[]>({ most: maxTitles, weigh: ({ length }) => length })
  return async (job: JobRow): Promise<readonly MatrixTask[]> => {
    const kept = cache.get(job.id)
    if (kept) return kept
    const [all, tried] = await Promise.all([tasksOf(job.suite_id, job.suite_version_id), triedTasks(job.id)])
    const tasks = all.filter(({ id }) => tried.has(id)).map(({ id, title }) => ({ id, title }))
    cache.set(job.id, tasks)
    return tasks
  }
}

/** Tasks down, agents across: the trials of an evaluation, or of its first tasks, each in a few words. */
export const matrixOf = (
  job: JobRow,
  tasks: readonly MatrixTask[],
  rows: readonly MatrixRow[],
): RunMatrix => {
  const places = new Map(tasks.map(({ id }, index) => [id, index]))
  const agents = new Map(job.agents.map((agent, index) => [agent, index]))
  return {
    agents: job.agents,
    tasks: [...tasks],
    trials: rows.flatMap((row) => {
      const [task, agent] = [places.get(row.task_id), agents.get(row.agent)]
      return task === undefined || agent === undefined ? [] : [{ ...trialOf(row), task, agent }]
    }),
  }
}

const trialOf = (row: MatrixRow): Omit<MatrixTrial, 'task' | 'agent'> => {
  const scores = row.scores as Score[]
  const missed = scores.find(({ passed }) => passed === false)
  const reason = row.error ?? missed?.error ?? missed?.reason ?? null
  return {
    id: row.id,
    repetition: row.repetition,
    status: row.status,
    outcome: outcomeOf(row),
    score: weightedMean(scores),
    failed_scorer: missed?.name ?? null,
    reason: reason === null ? null : headOf(reason, maxReason),
    cost_usd: row.cost_usd,
    duration_ms: row.duration_ms,
  }
}
