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

export interface ProofOrder {
  readonly caller: Caller
  readonly suiteId: string
  /** The tasks to prove; all of them when left out. */
  readonly taskIds?: readonly string[]
}
export type Proof = (order: ProofOrder, signal: AbortSignal) => Promise<SuiteProof>

/** Freezes a suite and proves it; the proof is kept with the version that it is about. */
export const openProof =
  ({ suites, prove, allowCode, now }: ProofParts): Proof =>
  async ({ caller, suiteId, taskIds }, signal) => {
    const suite = await suites.require(caller.organizationId, suiteId)
    if (suite.archived_at)
      throw new ApiError('conflict', 'The suite is archived; its versions stay as they are.')
    const version = await suites.freeze(suite, { label: null, always: false })
    const { tasks: all } = version.content as FrozenContent
    const tasks = taskIds ? chosen(all, taskIds) : all
    if (tasks.length === 0)
      throw new ApiError('conflict', 'The suite has no tasks; add one and check it again.')
    if (tasks.length > maxTasks)
      throw new ApiError(
        'limit_exceeded',
        `A suite of more than ${maxTasks} tasks cannot be checked in one go; check some of its tasks at a time.`,
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
    await suites.store.saveProof(version.id, (earlier) => whole(all, proof, earlier))
    return proof
  }

const chosen = (tasks: readonly FrozenTask[], ids: readonly string[]): readonly FrozenTask[] => {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  return [...new Set(ids)].map((id, n) => {
    const task = byId.get(id)
    if (task) return task
    const message = 'is no task of this suite'
    throw new ApiError('invalid_reference', `/body/task_ids/${n} ${message}.`, {
      details: [{ pointer: `/body/task_ids/${n}`, message }],
    })
  })
}

/** What is known of a version after another part of it was proved: it holds when every task does. */
const whole = (
  tasks: readonly FrozenTask[],
  proof: SuiteProof,
  earlier: SuiteProof | undefined,
): SuiteProof => {
  const known = new Map([...(earlier?.tasks ?? []), ...proof.tasks].map((one) => [one.task_id, one]))
  return {
    ...proof,
    ok: tasks.every(({ id }) => known.get(id)?.ok === true),
    tasks: tasks.flatMap(({ id }) => known.get(id) ?? []),
  }
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
