import { z } from 'zod'
import { durationPattern } from './durations.ts'
import { PageQuery, pageOf, pageQuery, queryBoolean, Timestamp } from './pages.ts'
import { routes } from './route.ts'
import { ScorerDefinition, ScorerWeight } from './scorers.ts'
import { TaskContainer } from './task-containers.ts'

/** What becomes of a trial in which the agent changed what no scorer accounts for. */
export const unaskedPolicies = ['fail', 'warn', 'ignore'] as const
export const UnaskedPolicy = z.enum(unaskedPolicies)
export type UnaskedPolicy = z.infer<typeof UnaskedPolicy>

const text = (most: number) => z.string().min(1).max(most)

export const TaskSuite = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    world_id: z.string().nullable().meta({ description: 'The world whose tasks it was made from.' }),
    task_count: z.int(),
    unasked_changes: UnaskedPolicy.meta({
      description: 'What becomes of a trial in which the agent changed what no scorer accounts for.',
    }),
    latest_version_id: z.string().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    archived_at: Timestamp.nullable(),
  })
  .meta({ id: 'TaskSuite' })
export type TaskSuite = z.infer<typeof TaskSuite>

export const ScorerBinding = z
  .object({
    scorer_id: z.string().max(100),
    weight: ScorerWeight.default('med'),
    pass_threshold: z.number().min(0).max(1).nullable().default(null),
  })
  .meta({ id: 'ScorerBinding' })
export type ScorerBinding = z.infer<typeof ScorerBinding>

export const BoundScorer = ScorerBinding.extend({
  scorer_version: z.int().meta({ description: 'The version of the scorer when it was bound.' }),
  name: z.string(),
}).meta({ id: 'BoundScorer' })

/** Something that happened in a recorded trace: an event or a span, in the order of time. */
export const TaskEvent = z
  .object({
    id: z.string(),
    kind: z.enum(['event', 'span']),
    time: Timestamp,
    name: z.string(),
    source: z.string().nullable(),
    content: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TaskEvent' })
export type TaskEvent = z.infer<typeof TaskEvent>

/** How often a command is started in one trial, and what makes it start again. */
export const TaskTurns = z
  .object({
    limit: z.int().min(1).max(100).meta({ description: 'How often the command is started at most.' }),
    idle: z
      .string()
      .regex(new RegExp(durationPattern), 'must be a length of time such as 90s, 2h or 1h30m')
      .default('24h')
      .meta({
        description:
          'How long the story runs on after the command has ended. When something concerns the agent meanwhile, it is started again; otherwise the trial ends.',
      }),
  })
  .meta({ id: 'TaskTurns' })
export type TaskTurns = z.infer<typeof TaskTurns>

/** Facts about a task that scorers are given and agents are not, such as where a sample comes from. */
const metadata = z.record(z.string().max(200), z.unknown()).meta({
  description: 'Facts that scorers are given as `metadata["task"]["metadata"]`; agents never see them.',
})
/** How many decoys there are. */
export const maxCrowding = 12
const crowding = z.int().min(0).max(maxCrowding).meta({
  description:
    'How many decoy MCP servers, with plausible tools that lead nowhere, are beside those of the services. Their calls are recorded.',
})
const turns = TaskTurns.nullable().meta({
  description: 'Of commands in worlds with a story clock; started once when left out.',
})

export const Task = z
  .object({
    id: z.string(),
    suite_id: z.string(),
    key: z.string().nullable(),
    title: z.string(),
    instruction: z.string(),
    expected_outcome: z.string(),
    environment_version_id: z.string().nullable(),
    cutoff_event_id: z.string().nullable(),
    trace_id: z.string().nullable(),
    turns,
    crowding,
    metadata,
    container: TaskContainer.nullable().meta({
      description: 'Of a task that was imported with its own container; null for all others.',
    }),
    events: z.array(TaskEvent),
    scorers: z.array(BoundScorer),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Task' })
export type Task = z.infer<typeof Task>

const taskFields = {
  title: text(300),
  instruction: text(100_000),
  expected_outcome: z.string().max(100_000),
  environment_version_id: z.string().max(100).nullable(),
  cutoff_event_id: z.string().max(200).nullable(),
  turns,
  crowding,
  metadata,
}

export const TaskCreate = z
  .object({
    ...taskFields,
    expected_outcome: taskFields.expected_outcome.default(''),
    environment_version_id: taskFields.environment_version_id.default(null),
    cutoff_event_id: taskFields.cutoff_event_id.default(null),
    turns: turns.default(null),
    crowding: crowding.default(0),
    metadata: metadata.default({}),
    scorers: z.array(ScorerBinding).max(50).default([]),
  })
  .meta({ id: 'TaskCreate' })
export type TaskCreate = z.infer<typeof TaskCreate>

export const TaskUpdate = z.object(taskFields).partial().meta({ id: 'TaskUpdate' })
export type TaskUpdate = z.infer<typeof TaskUpdate>

/** A task as a version froze it: the scorers whole, as they were. */
export const FrozenTask = z
  .object({
    id: z.string(),
    key: z.string().nullable(),
    title: z.string(),
    instruction: z.string(),
    expected_outcome: z.string(),
    environment_version_id: z.string().nullable(),
    cutoff_event_id: z.string().nullable(),
    unasked_changes: UnaskedPolicy.optional(),
    turns: TaskTurns.optional(),
    crowding: crowding.optional(),
    metadata: metadata.optional(),
    container: TaskContainer.optional(),
    events: z.array(TaskEvent),
    scorers: z.array(
      z.object({
        scorer_id: z.string(),
        scorer_version: z.int(),
        weight: ScorerWeight,
        pass_threshold: z.number().nullable(),
        definition: ScorerDefinition,
      }),
    ),
  })
  .meta({ id: 'FrozenTask' })
export type FrozenTask = z.infer<typeof FrozenTask>

export const SuiteVersion = z
  .object({
    id: z.string(),
    suite_id: z.string(),
    number: z.int(),
    label: z.string().nullable(),
    task_count: z.int(),
    digest: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: 'SuiteVersion' })
export type SuiteVersion = z.infer<typeof SuiteVersion>

export const SuiteVersionDetail = SuiteVersion.extend({
  name: z.string(),
  description: z.string(),
  tasks: z.array(FrozenTask),
  proof: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description: 'The result of the last check, if there was one.' }),
}).meta({ id: 'SuiteVersionDetail' })

export const VersionComparison = z
  .object({
    a: SuiteVersion,
    b: SuiteVersion,
    added: z.array(z.object({ task_id: z.string(), title: z.string() })),
    removed: z.array(z.object({ task_id: z.string(), title: z.string() })),
    changed: z.array(
      z.object({
        task_id: z.string(),
        title: z.string(),
        fields: z.record(z.string(), z.tuple([z.unknown(), z.unknown()])),
      }),
    ),
  })
  .meta({ id: 'VersionComparison' })

const suiteParams = z.object({ suiteId: z.string() })
const taskParams = z.object({ suiteId: z.string(), taskId: z.string() })
const name = text(200)
const description = z.string().max(10_000)

export const suiteRoutes = routes({
  listSuites: {
    method: 'GET',
    path: '/v1/task-suites',
    tag: 'Suites',
    summary: 'List suites, newest first.',
    scope: 'suites:read',
    query: z.object({ ...pageQuery, include_archived: queryBoolean.optional() }),
    reply: pageOf(TaskSuite),
    errors: ['invalid_cursor'],
  },
  createSuite: {
    method: 'POST',
    path: '/v1/task-suites',
    tag: 'Suites',
    summary: 'Create a suite.',
    scope: 'suites:write',
    body: z
      .object({
        name,
        description: description.default(''),
        unasked_changes: UnaskedPolicy.default('fail'),
      })
      .meta({ id: 'TaskSuiteCreate' }),
    status: 201,
    reply: TaskSuite,
    creates: true,
  },
  readSuite: {
    method: 'GET',
    path: '/v1/task-suites/{suiteId}',
    tag: 'Suites',
    summary: 'Read one suite.',
    scope: 'suites:read',
    params: suiteParams,
    reply: TaskSuite,
    errors: ['not_found'],
  },
  updateSuite: {
    method: 'PATCH',
    path: '/v1/task-suites/{suiteId}',
    tag: 'Suites',
    summary: 'Change the name or description of a suite; fields left out stay as they are.',
    scope: 'suites:write',
    params: suiteParams,
    body: z
      .object({
        name: name.optional(),
        description: description.optional(),
        unasked_changes: UnaskedPolicy.optional(),
      })
      .meta({ id: 'TaskSuiteUpdate' }),
    reply: TaskSuite,
    errors: ['not_found'],
  },
  archiveSuite: {
    method: 'DELETE',
    path: '/v1/task-suites/{suiteId}',
    tag: 'Suites',
    summary: 'Archive a suite. Its versions and results stay readable.',
    scope: 'suites:write',
    params: suiteParams,
    reply: TaskSuite,
    errors: ['not_found'],
  },
  listTasks: {
    method: 'GET',
    path: '/v1/task-suites/{suiteId}/tasks',
    tag: 'Suites',
    summary: 'List the tasks of the working copy, in their order.',
    scope: 'suites:read',
    params: suiteParams,
    query: PageQuery,
    reply: pageOf(Task),
    errors: ['not_found', 'invalid_cursor'],
  },
  createTask: {
    method: 'POST',
    path: '/v1/task-suites/{suiteId}/tasks',
    tag: 'Suites',
    summary: 'Add a task.',
    scope: 'suites:write',
    params: suiteParams,
    body: TaskCreate,
    status: 201,
    reply: Task,
    errors: ['not_found', 'invalid_reference', 'conflict'],
    creates: true,
  },
  readTask: {
    method: 'GET',
    path: '/v1/task-suites/{suiteId}/tasks/{taskId}',
    tag: 'Suites',
    summary: 'Read one task.',
    scope: 'suites:read',
    params: taskParams,
    reply: Task,
    errors: ['not_found'],
  },
  updateTask: {
    method: 'PATCH',
    path: '/v1/task-suites/{suiteId}/tasks/{taskId}',
    tag: 'Suites',
    summary: 'Change a task; fields left out stay as they are.',
    scope: 'suites:write',
    params: taskParams,
    body: TaskUpdate,
    reply: Task,
    errors: ['not_found', 'invalid_reference', 'conflict'],
  },
  deleteTask: {
    method: 'DELETE',
    path: '/v1/task-suites/{suiteId}/tasks/{taskId}',
    tag: 'Suites',
    summary: 'Delete a task from the working copy. Frozen versions keep it.',
    scope: 'suites:write',
    params: taskParams,
    status: 204,
    errors: ['not_found', 'conflict'],
  },
  setTaskScorers: {
    method: 'PUT',
    path: '/v1/task-suites/{suiteId}/tasks/{taskId}/scorers',
    tag: 'Suites',
    summary: 'Replace the whole list of scorers of a task, each in its present version.',
    scope: 'suites:write',
    params: taskParams,
    body: z.union([
      z.array(ScorerBinding).max(50),
      z.object({ scorers: z.array(ScorerBinding).max(50) }).meta({ id: 'TaskScorers' }),
    ]),
    reply: Task,
    errors: ['not_found', 'invalid_reference', 'conflict'],
  },
  publishSuite: {
    method: 'POST',
    path: '/v1/task-suites/{suiteId}/versions',
    tag: 'Suites',
    summary: 'Publish a frozen version of the working copy.',
    scope: 'suites:write',
    params: suiteParams,
    body: z.object({ label: z.string().max(200).nullable().default(null) }).meta({ id: 'SuitePublish' }),
    status: 201,
    reply: SuiteVersion,
    errors: ['not_found', 'conflict'],
    creates: true,
  },
  listSuiteVersions: {
    method: 'GET',
    path: '/v1/task-suites/{suiteId}/versions',
    tag: 'Suites',
    summary: 'List frozen versions, newest first.',
    scope: 'suites:read',
    params: suiteParams,
    query: PageQuery,
    reply: pageOf(SuiteVersion),
    errors: ['not_found', 'invalid_cursor'],
  },
  readSuiteVersion: {
    method: 'GET',
    path: '/v1/task-suites/{suiteId}/versions/{versionId}',
    tag: 'Suites',
    summary: 'A frozen version, whole.',
    scope: 'suites:read',
    params: z.object({ suiteId: z.string(), versionId: z.string() }),
    reply: SuiteVersionDetail,
    errors: ['not_found'],
  },
  compareSuiteVersions: {
    method: 'GET',
    path: '/v1/task-suites/{suiteId}/versions/{a}/compare/{b}',
    tag: 'Suites',
    summary: 'What changed between two versions.',
    scope: 'suites:read',
    params: z.object({ suiteId: z.string(), a: z.string(), b: z.string() }),
    reply: VersionComparison,
    errors: ['not_found'],
  },
})
