import type { Log } from '../../storage/log.ts'
import type { FinishedCall } from './call.ts'

const debounceMs = 200

/** Writes calls down shortly after they end, several at a time, so that a crash loses the last moment at most. */
export interface Meter {
  add(call: FinishedCall): void
  /** Writes what is left; throws where that fails. */
  close(): Promise<void>
}

export interface MeterDeps {
  /** Writing a call again changes nothing. */
  readonly write: (calls: readonly FinishedCall[]) => Promise<void>
  readonly log: Log
}

export const openMeter = ({ write, log }: MeterDeps): Meter => {
  let waiting: FinishedCall[] = []
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0) return
    const some = waiting
    waiting = []
    try {
      await write(some)
    } catch (error) {
      waiting = [...some, ...waiting]
      throw error
    }
  }
  /** One write at a time, so that calls keep their order. */
  const next = (): Promise<void> => {
    const done = writing.then(flush)
    writing = done.catch(() => undefined)
    return done
  }

  return {
    add: (call) => {
      waiting.push(call)
      timer ??= setTimeout(() => {
        next().catch((error) =>
          log.warn({ event: 'model_call.not_written', error }, 'Model calls are written later.'),
        )
      }, debounceMs)
    },
    close: next,
  }
}
