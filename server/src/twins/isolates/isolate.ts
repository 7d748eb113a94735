import type { Op, OpKind, OpOf, Results } from './protocol.ts'
import type { Runner } from './runner.ts'

/** Where twins run: a worker thread, or this thread. */
export interface Isolate {
  readonly run: <K extends OpKind>(op: OpOf<K>) => Promise<Results[K]>
  readonly close: () => Promise<void>
}

/**
 * The isolate ended before it answered. `isCulprit` says that it was running just this op: it ran out of time or of
 * memory by it, and would again. Other ops may be sent to another isolate: nothing of them was recorded.
 */
export class IsolateGone extends Error {
  override readonly name = 'IsolateGone'
  readonly isCulprit: boolean
  readonly op: Op
  constructor(reason: string, op: Op, isCulprit: boolean) {
    super(reason)
    this.op = op
    this.isCulprit = isCulprit
  }
}

/** Runs twins in this thread: for tests with their own twins, and where threads cannot be had. */
export const inlineIsolate = (runner: Runner): Isolate => ({
  run: async (op) => runner.execute(op),
  close: async () => {},
})
