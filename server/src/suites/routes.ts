import type {
  suiteProofRoutes,
  suiteRoutes,
  Task,
  TaskEvent,
  TaskFromTrace,
  TaskSuite,
  traceTaskRoutes,
} from '@diorama/contract'
import { Answer, type Handlers } from '../http/handler.ts'
import { compareVersions } from './compare.ts'
import type { Proof } from './proof.ts'
import type { FrozenContent, SuiteRow, TaskRow, VersionRow } from './store.ts'
import type { Suites } from './suites.ts'

export const suiteHandlers = (suites: Suites): Handlers<typeof suiteRoutes> => {
  const shown = async (organizationId: string, task: TaskRow): Promise<Task> =>
    toTask(task, await suites.names(organizationId, [task]))
  const version = async (organizationId: string, suiteId: string, id: string): Promise<VersionRow> =>
    suites.requireVersion((await suites.require(organizationId, suiteId)).id, id)
  return {
    listSuites: async ({ caller, query: { limit, cursor, ...filter } }) => {
      const { items, nextCursor } = await suites.store.list(caller.organizationId, filter, { limit, cursor })
      return { items: items.map(toSuite), next_cursor: nextCursor }
    },
    createSuite: async ({ caller, body }) => toSuite(await suites.create(caller.organizationId, body)),
    readSuite: async ({ caller, params }) =>
      toSuite(await suites.require(caller.organizationId, params.suiteId)),
    updateSuite: async ({ caller, params, body }) =>
      toSuite(await suites.update(caller.organizationId, params.suiteId, body)),
    archiveSuite: async ({ caller, params }) =>
      toSuite(await suites.archive(caller.organizationId, params.suiteId)),
    listTasks: async ({ caller, params, query }) => {
      const suite = await suites.require(caller.organizationId, params.suiteId)
      const { items, nextCursor } = await suites.store.listTasks(suite.id, query)
      const names = await suites.names(caller.organizationId, items)
      return { items: items.map((task) => toTask(task, names)), next_cursor: nextCursor }
    },
    createTask: async ({ caller, params, body }) =>
      shown(caller.organizationId, await suites.createTask(caller.organizationId, params.suiteId, body)),
    readTask: async ({ caller, params }) => {
      const suite = await suites.require(caller.organizationId, params.suiteId)
      return shown(caller.organizationId, await suites.requireTask(suite.id, params.taskId))
    },
    updateTask: async ({ caller, params, body }) =>
      shown(
        caller.organizationId,
        await suites.updateTask(caller.organizationId, params.suiteId, params.taskId, body),
      ),
    deleteTask: async ({ caller, params }) => {
      await suites.deleteTask(caller.organizationId, params.suiteId, params.taskId)
      return new Answer(204)
    },
    setTaskScorers: async ({ caller, params, body }) => {
      const wanted = Array.isArray(body) ? body : body.scorers
      return shown(
        caller.organizationId,
        await suites.setScorers(caller.organizationId, params.suiteId, params.taskId, wanted),
      )
    },
    publishSuite: async ({ caller, params, body }) =>
      toVersion(await suites.publish(caller.organizationId, params.suiteId, body.label)),
    listSuiteVersions: async ({ caller, params, query }) => {
      const suite = await suites.require(caller.organizationId, params.suiteId)
      const { items, nextCursor } = await suites.store.listVersions(suite.id, query)
      return { items: items.map(toVersion), next_cursor: nextCursor }
    },
    readSuiteVersion: async ({ caller, params }) => {
      const row = await version(caller.organizationId, params.suiteId, params.versionId)
      const { name, description, tasks } = row.content as FrozenContent
      return { ...toVersion(row), name, description, tasks: [...tasks], proof: row.proof }
    },
    compareSuiteVersions: async ({ caller, params }) => {
      const a = await version(caller.organizationId, params.suiteId, params.a)
      const b = await version(caller.organizationId, params.suiteId, params.b)
      return {
        a: toVersion(a),
        b: toVersion(b),
        ...compareVersions(a.content as FrozenContent, b.content as FrozenContent),
      }
    },
  }
}

export interface SuiteWorkParts {
  readonly suites: Suites
  readonly proof: Proof
  readonly fromTrace: (
    organizationId: string,
    suiteId: string,
    sent: TaskFromTrace,
    signal: AbortSignal,
  ) => Promise<TaskRow>
}

/** What needs other parts of the service: scorers that run, worlds, traces, models. */
export const suiteWorkHandlers = ({
  suites,
  proof,
  fromTrace,
}: SuiteWorkParts): Handlers<typeof suiteProofRoutes & typeof traceTaskRoutes> => ({
  checkSuite: ({ caller, params, signal }) => proof({ caller, suiteId: params.suiteId }, signal),
  checkSuiteTasks: ({ caller, params, body, signal }) =>
    proof({ caller, suiteId: params.suiteId, taskIds: body.task_ids }, signal),
  createTaskFromTrace: async ({ caller: { organizationId }, params, body, signal }) => {
    const task = await fromTrace(organizationId, params.suiteId, body, signal)
    return toTask(task, await suites.names(organizationId, [task]))
  },
})

export const toSuite = (row: SuiteRow): TaskSuite => ({
  id: row.id,
  name: row.name,
  description: row.description,
  world_id: row.world_id,
  task_count: Number(row.task_count),
  unasked_changes: row.unasked_changes as TaskSuite['unasked_changes'],
  latest_version_id: row.latest_version_id,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  archived_at: row.archived_at?.toISOString() ?? null,
})

export const toTask = (row: TaskRow, names: ReadonlyMap<string, { name: string }>): Task => ({
  id: row.id,
  suite_id: row.suite_id,
  key: row.key,
  title: row.title,
  instruction: row.instruction,
  expected_outcome: row.expected_outcome,
  environment_version_id: row.environment_version_id,
  cutoff_event_id: row.cutoff_event_id,
  trace_id: row.trace_id,
  turns: row.turns,
  crowding: row.crowding,
  metadata: row.metadata ?? {},
  container: row.container,
  events: row.events as TaskEvent[],
  scorers: row.bindings.map((binding) => ({ ...binding, name: names.get(binding.scorer_id)?.name ?? '' })),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

const toVersion = (row: VersionRow) => ({
  id: row.id,
  suite_id: row.suite_id,
  number: row.number,
  label: row.label,
  task_count: row.task_count,
  digest: row.digest,
  created_at: row.created_at.toISOString(),
})
