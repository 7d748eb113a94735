import type { FrozenTask, Task } from '@diorama/contract'

type Fields = Readonly<Record<string, unknown>>
export interface TaskChange {
  readonly id: string
  readonly title: string
  readonly before: Fields | null
  readonly after: Fields | null
}

/** What makes a task what it is, in the same words for the working copy and a frozen version. */
const content = (task: Task | FrozenTask): Fields => ({
  title: task.title,
  instruction: task.instruction,
  expected_outcome: task.expected_outcome,
  environment_version_id: task.environment_version_id,
  cutoff_event_id: task.cutoff_event_id,
  scorers: task.scorers.map((one) => ({
    name: 'definition' in one ? one.definition.name : one.name,
    version: one.scorer_version,
    weight: one.weight,
    pass_threshold: one.pass_threshold,
  })),
})

/** How the working copy differs from a version that was published. */
export const changesSince = (frozen: readonly FrozenTask[], working: readonly Task[]): TaskChange[] => {
  const before = new Map(frozen.map((task) => [task.id, task]))
  const after = new Map(working.map((task) => [task.id, task]))
  const ids = [...new Set([...after.keys(), ...before.keys()])]
  return ids.flatMap((id) => {
    const [was, is] = [before.get(id), after.get(id)]
    const change = { before: was ? content(was) : null, after: is ? content(is) : null }
    if (JSON.stringify(change.before) === JSON.stringify(change.after)) return []
    return [{ id, title: is?.title ?? was?.title ?? id, ...change }]
  })
}
