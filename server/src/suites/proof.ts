import type { FrozenTask, SuiteProof, TaskProof } from '@diorama/contract'
import { ApiError } from '../http/api-error.ts'
import type { Caller } from '../http/handler.ts'
import type { FrozenContent } from './store.ts'
import type { Suites } from './suites.ts'

export interface ProofParts {
  readonly suites: Suites
  readonly prove: (organizationId: string, task: FrozenTask, signal: AbortSignal) => Promise<TaskProof>
  /** How the code of scorers is kept apart; refuses a caller for whom it cannot be run. */
  readonly allowCode: (caller: Caller) => Promise<string>
  readonly now: () => number
}

const maxTasks = 200
const atOnce = 2

/** Freezes a suite and proves it; the proof is kept with the version that it is about. */
export const openProof =
  ({ suites, prove, allowCode, now }: ProofParts) =>
  async (caller: Caller, suiteId: string, signal: AbortSignal): Promise<SuiteProof> => {
    const suite = await suites.require(caller.organizationId, suiteId)
    if (suite.archived_at)
      throw new ApiError('conflict', 'The suite is archived; its versions stay as they are.')
    const version = await suites.freeze(suite, { label: null, always: false })
    const { tasks } = version.content as FrozenContent
    if (tasks.length === 0)
      throw new ApiError('conflict', 'The suite has no tasks; add one and check it again.')
    if (tasks.length > maxTasks)
      throw new ApiError(
        'limit_exceeded',
        `A suite of more than ${maxTasks} tasks cannot be checked in one go.`,
      )
    const runsCode = tasks.some(({ scorers }) => scorers.some(({ definition }) => definition.kind === 'code'))
    const isolation = runsCode ? await allowCode(caller) : null
    const proofs = await inTurns(tasks, (task) => prove(caller.organizationId, task, signal))
    // Scorers that were called off gave no score, and would be in the proof as if they had failed.
    signal.throwIfAborted()
    const proof: SuiteProof = {
      suite_id: suite.id,
      version_id: version.id,
      version_number: version.number,
      ok: proofs.every(({ ok }) => ok),
      checked_at: new Date(now()).toISOString(),
      isolation,
      tasks: proofs,
    }
    await suites.store.saveProof(version.id, proof)
    return proof
  }

/** A few at a time, in the order given. The first failure ends it. */
const inTurns = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += atOnce)
    results.push(...(await Promise.all(items.slice(from, from + atOnce).map(work))))
  return results
}
