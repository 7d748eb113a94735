import type { FrozenTask, MatrixTrial, RunMatrix, Score } from '@diorama/contract'
import type { MatrixRow } from '../grading/trial-queries.ts'
import { headOf } from '../storable.ts'
import type { JobRow } from '../store.ts'
import { outcomeOf } from './outcome.ts'
import { weightedMean } from './results.ts'

const maxReason = 200

/** Tasks down, agents across: the trials of an evaluation, or of its first tasks, each in a few words. */
export const matrixOf = (
  job: JobRow,
  shown: readonly FrozenTask[],
  rows: readonly MatrixRow[],
): RunMatrix => {
  const places = new Map(shown.map(({ id }, index) => [id, index]))
  const agents = new Map(job.agents.map((agent, index) => [agent, index]))
  return {
    agents: job.agents,
    tasks: shown.map(({ id, title }) => ({ id, title })),
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
