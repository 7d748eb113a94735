import { type Session, VendorError } from '@diorama/twin-kit/kernel/twin'
import { type Meter, maxSteps } from '../records/organization.ts'
import { type Missing, standardNameOf } from '../schema/standard-names.ts'
import type { CrmTables } from '../tables.ts'

/** Operations whose work grows with what the caller asks for. */
const metered = new Set(['query', 'queryMore', 'queryColumns', 'explain', 'search'])

/** A session that records what a refused call asked for, where the real service has it and the twin has not. */
export interface CountingSession extends Session<CrmTables> {
  /** Counts a refusal that did not come from an operation; each is counted once. */
  readonly countMissing: (error: unknown) => void
}

export const countingSession = (session: Session<CrmTables>): CountingSession => {
  const counted = new WeakSet<VendorError>()
  // The parts of a composite request share one budget, so that many queries take no longer than one.
  const meter: Meter = { left: maxSteps }
  const countMissing = (error: unknown): void => {
    if (!(error instanceof VendorError) || counted.has(error)) return
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
          return session.call<O>(operation, metered.has(operation) ? { ...(input as object), meter } : input)
        } catch (error) {
          countMissing(error)
          throw error
        }
      },
    },
  })
}
