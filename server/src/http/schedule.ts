import type { Log } from '../storage/log.ts'

/** Runs work again and again with a pause between, never twice at once; a failure is logged and the next turn comes. */
export const every = (pauseMs: number, work: () => Promise<unknown>, log: Log): (() => Promise<void>) => {
  let stopped = false
  let running: Promise<unknown> = Promise.resolve()
  const turn = () => {
    if (stopped) return
    running = work()
      .catch((error) => log.error({ event: 'task.failed', error }, 'A recurring task failed.'))
      .finally(() => {
        if (!stopped) timer = setTimeout(turn, pauseMs).unref()
      })
  }
  let timer = setTimeout(turn, pauseMs).unref()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
