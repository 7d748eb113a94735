import { useAsk } from '../../ask.ts'
import { usePainted } from '../../parts/painted.ts'

/** As many as fit into the table, however high the screen is. */
const firstTasks = 20

/** The cells of a run: those in sight first, and of a long run all of them once those are painted. */
export const useRunMatrix = (jobId: string, everyMs: number | false | undefined) => {
  const params = { jobId }
  const first = useAsk('readMatrix', { params, query: { first_tasks: firstTasks } }, { everyMs })
  const painted = usePainted(first.data !== undefined)
  const isLong = (first.data?.tasks.length ?? 0) > firstTasks
  const all = useAsk('readMatrix', { params }, { everyMs, when: isLong && painted })
  return { matrix: isLong && all.data ? all : first, painted }
}
