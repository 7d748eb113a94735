import type pg from 'pg'
import { isRowFault } from '../storage/failure.ts'
import { GroupWriter } from '../storage/group.ts'
import type { JournalEntry } from './journal-entry.ts'
import { insertSteps, stepColumns } from './step-columns.ts'

export class StepLost extends Error {
  override readonly name = 'StepLost'
}

const readsGatherMs = 25

/**
 * The ledger: steps of all twins that arrive together are written together. A step is durable when its promise
 * resolves. Sequence numbers are unique within a twin's life, so that two nodes can never both extend it.
 */
export const openJournal = (pool: pg.Pool, recorded: (entries: readonly JournalEntry[]) => void) => {
  const writer = new GroupWriter<JournalEntry, void>({
    lanes: 2,
    laneOf: ({ twin }) => laneOf(twin.id),
    maxBatch: 500,
    maxQueue: 20_000,
    retrySingly: isRowFault,
    // Nobody waits for the record of a read; many are written for little more than one.
    isPatient: ({ step }) => step.changes.length === 0,
    gatherMs: readsGatherMs,
    flush: async (entries) => {
      if (entries.some(({ twin }) => twin.lost))
        throw new StepLost('an earlier step of this twin was not written')
      try {
        await pool.query({ name: 'twin-steps', text: insertSteps, values: stepColumns(entries) })
      } catch (error) {
        // A batch with a bad row is tried row by row; otherwise nobody knows what was written, and memory is not to be trusted.
        if (entries.length === 1 || !isRowFault(error)) for (const { twin } of entries) twin.lost = true
        throw error
      }
      recorded(entries)
      return entries.map(() => undefined)
    },
  })
  return {
    append: (entry: JournalEntry): Promise<void> => writer.write(entry),
    get queued() {
      return writer.queued
    },
    /** Resolves when every step so far is in the ledger, or was refused. */
    hurry: () => writer.hurry(),
    drain: () => writer.drain(),
  }
}
export type Journal = ReturnType<typeof openJournal>

const laneOf = (id: string): number => id.charCodeAt(id.length - 1) + id.charCodeAt(id.length - 2)
