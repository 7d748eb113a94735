import { Refusal, type Session } from '../../kernel/twin.ts'
import { type Missing, standardNameOf } from '../schema/standard-names.ts'
import type { CrmTables } from '../tables.ts'

/** A session that records what a refused call asked for, where the real service has it and the twin has not. */
export interface CountingSession extends Session<CrmTables> {
  /** Counts a refusal that did not come from an operation; each is counted once. */
  readonly countMissing: (error: unknown) => void
}

export const countingSession = (session: Session<CrmTables>): CountingSession => {
  const counted = new WeakSet<Refusal>()
  const countMissing = (error: unknown): void => {
    if (!(error instanceof Refusal) || counted.has(error)) return
    counted.add(error)
    const missing = error.data.missing as Missing | undefined
    const standard = missing && standardNameOf(missing)
    if (standard !== undefined) session.notEmulated(standard)
  }
  return Object.create(session, {
    countMissing: { value: countMissing },
    call: {
      value: <O>(operation: string, input: unknown): O => {
        try {
          return session.call<O>(operation, input)
        } catch (error) {
          countMissing(error)
          throw error
        }
      },
    },
  })
}
