import type { FrozenTask } from '@diorama/contract'
import type { FrozenContent } from './store.ts'

/** What changed from one frozen version to another, task by task and field by field. */
export const compareVersions = (a: FrozenContent, b: FrozenContent) => {
  const before = new Map(a.tasks.map((task) => [task.id, task]))
  const after = new Map(b.tasks.map((task) => [task.id, task]))
  const named = ({ id, title }: FrozenTask) => ({ task_id: id, title })
  return {
    added: b.tasks.filter(({ id }) => !before.has(id)).map(named),
    removed: a.tasks.filter(({ id }) => !after.has(id)).map(named),
    changed: b.tasks.flatMap((task) => {
      const earlier = before.get(task.id)
      const fields = earlier ? differing(earlier, task) : {}
      return Object.keys(fields).length > 0 ? [{ ...named(task), fields }] : []
    }),
  }
}

const compared = [
  'title',
  'instruction',
  'expected_outcome',
  'environment_version_id',
  'cutoff_event_id',
  'turns',
  'crowding',
  'metadata',
  'container',
  'events',
  'scorers',
] as const

const differing = (a: FrozenTask, b: FrozenTask): Record<string, [unknown, unknown]> =>
  Object.fromEntries(
    compared
      .filter((field) => JSON.stringify(a[field]) !== JSON.stringify(b[field]))
      .map((field): [string, [unknown, unknown]] => [field, [a[field], b[field]]]),
  )
