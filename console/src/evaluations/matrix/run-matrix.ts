import { useAsk } from '../../ask.ts'

/** More than fit on a screen. */
const firstTasks = 24

/** The cells of a run: those in sight first, and of a long run all of them after that. */
export const useRunMatrix = (jobId: string, everyMs: number | false | undefined) => {
  const params = { jobId }
  const first = useAsk('readMatrix', { params, query: { first_tasks: firstTasks } }, { everyMs })
  const isLong = (first.data?.tasks.length ?? 0) > firstTasks
  const all = useAsk('readMatrix', { params }, { everyMs, when: isLong })
  return isLong && all.data ? all : first
}
