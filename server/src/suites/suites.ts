import { createHash } from 'node:crypto'
import type {
  ScorerBinding,
  TaskContainer,
  TaskCreate,
  TaskEvent,
  TaskUpdate,
  UnaskedPolicy,
} from '@diorama/contract'
import type { Kysely, Transaction } from 'kysely'
import { ApiError, notFound } from '../http/api-error.ts'
import type { FrozenContent, SuiteRow, SuiteStore, TaskRow, VersionRow } from './store.ts'
import type { StoredBinding, SuiteTables } from './tables.ts'

/** What suites must know of the scorer library. */
export interface ScorerSource {
  readonly findMany: (
    organizationId: string,
    ids: readonly string[],
  ) => Promise<ReadonlyMap<string, { name: string; version: number; archivedAt: string | null }>>
  readonly definitions: (
    wanted: readonly { scorer_id: string; scorer_version: number }[],
    trx?: Transaction<SuiteTables>,
  ) => Promise<ReadonlyMap<string, FrozenContent['tasks'][number]['scorers'][number]['definition']>>
}

export interface SuiteParts {
  readonly db: Kysely<SuiteTables>
  readonly store: SuiteStore
  readonly scorers: ScorerSource
  readonly hasEnvironmentVersion: (organizationId: string, id: string) => Promise<boolean>
  /** The model of judges that name none; a version keeps it, so that a later setting changes nothing in it. */
  readonly judgeModel: string | undefined
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

type FreezableSuite = Pick<SuiteRow, 'id' | 'name' | 'description' | 'organization_id' | 'unasked_changes'>
interface NewSuite {
  readonly name: string
  readonly description: string
  readonly worldId: string | null
  readonly unasked_changes?: UnaskedPolicy
}

export interface Suites {
  readonly store: SuiteStore
  readonly require: (organizationId: string, id: string) => Promise<SuiteRow>
  /** A suite that can still be changed. */
  readonly open: (organizationId: string, id: string) => Promise<SuiteRow>
  readonly requireTask: (suiteId: string, id: string) => Promise<TaskRow>
  readonly requireVersion: (suiteId: string, id: string) => Promise<VersionRow>
  readonly addSuite: (
    organizationId: string,
    newSuite: NewSuite,
    trx?: Transaction<SuiteTables>,
  ) => Promise<Pick<SuiteRow, 'id' | 'organization_id' | 'name' | 'description' | 'unasked_changes'>>
  readonly addTask: (
    suite: Pick<SuiteRow, 'id' | 'organization_id'>,
    task: Omit<TaskCreate, 'scorers' | 'metadata'> & {
      bindings: readonly StoredBinding[]
      metadata?: TaskCreate['metadata']
      container?: TaskContainer | null
      key?: string
      traceId?: string
      events?: readonly TaskEvent[]
    },
    trx?: Transaction<SuiteTables>,
  ) => Promise<TaskRow>
  readonly freeze: (
    suite: FreezableSuite,
    how: { label: string | null; always: boolean },
  ) => Promise<VersionRow>
  /** Freezes the working copy: always when published, and only if it changed when an evaluation starts. */
  readonly freezeIn: (
    trx: Transaction<SuiteTables>,
    suite: FreezableSuite,
    how: { label: string | null; always: boolean },
  ) => Promise<VersionRow>
  readonly names: (organizationId: string, tasks: readonly TaskRow[]) => ReturnType<ScorerSource['findMany']>
  readonly create: (
    organizationId: string,
    fields: { name: string; description: string; unasked_changes?: UnaskedPolicy },
  ) => Promise<SuiteRow>
  readonly update: (
    organizationId: string,
    id: string,
    change: {
      name?: string | undefined
      description?: string | undefined
      unasked_changes?: UnaskedPolicy | undefined
    },
  ) => Promise<SuiteRow>
  readonly archive: (organizationId: string, id: string) => Promise<SuiteRow>
  readonly createTask: (organizationId: string, suiteId: string, taskCreate: TaskCreate) => Promise<TaskRow>
  readonly updateTask: (
    organizationId: string,
    suiteId: string,
    taskId: string,
    change: TaskUpdate,
  ) => Promise<TaskRow>
  readonly deleteTask: (organizationId: string, suiteId: string, taskId: string) => Promise<void>
  readonly setScorers: (
    organizationId: string,
    suiteId: string,
    taskId: string,
    wanted: readonly ScorerBinding[],
  ) => Promise<TaskRow>
  readonly publish: (organizationId: string, suiteId: string, label: string | null) => Promise<VersionRow>
}

const storedMetadata = (metadata: TaskCreate['metadata'] = {}): string | null =>
  Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata)

/** The rules of suites, tasks and their frozen versions. */
export const openSuites = (parts: SuiteParts): Suites => {
  const { db, store, scorers, now, makeId } = parts

  const require = async (organizationId: string, id: string): Promise<SuiteRow> => {
    const suite = await store.find(organizationId, id)
    if (!suite) throw notFound('task suite')
    return suite
  }
  const open = async (organizationId: string, id: string): Promise<SuiteRow> => {
    const suite = await require(organizationId, id)
    if (suite.archived_at)
      throw new ApiError('conflict', 'The suite is archived and can no longer be changed.')
    return suite
  }
  const requireTask = async (suiteId: string, id: string): Promise<TaskRow> => {
    const task = await store.findTask(suiteId, id)
    if (!task) throw notFound('task')
    return task
  }
  const requireVersion = async (suiteId: string, id: string): Promise<VersionRow> => {
    const version = await store.findVersion(suiteId, id)
    if (!version) throw notFound('version')
    return version
  }

  const checkEnvironment = async (organizationId: string, id: string | null | undefined) => {
    if (id === null || id === undefined || (await parts.hasEnvironmentVersion(organizationId, id))) return
    throw badReference('/environment_version_id', 'names no environment version')
  }

  /** Each scorer in its present version: a later change of the library does not reach the task on its own. */
  const bind = async (
    organizationId: string,
    bindings: readonly ScorerBinding[],
  ): Promise<StoredBinding[]> => {
    const found = await scorers.findMany(
      organizationId,
      bindings.map(({ scorer_id }) => scorer_id),
    )
    return bindings.map(({ scorer_id, weight, pass_threshold }, n) => {
      const scorer = found.get(scorer_id)
      if (!scorer || scorer.archivedAt !== null)
        throw badReference(`/scorers/${n}/scorer_id`, 'names no scorer of the library')
      if (bindings.findIndex((one) => one.scorer_id === scorer_id) !== n)
        throw badReference(`/scorers/${n}/scorer_id`, 'is bound twice')
      return { scorer_id, scorer_version: scorer.version, weight, pass_threshold }
    })
  }

  const addTask = async (
    suite: Pick<SuiteRow, 'id' | 'organization_id'>,
    task: Omit<TaskCreate, 'scorers' | 'metadata'> & {
      bindings: readonly StoredBinding[]
      metadata?: TaskCreate['metadata']
      container?: TaskContainer | null
      key?: string
      traceId?: string
      events?: readonly TaskEvent[]
    },
    trx?: Transaction<SuiteTables>,
  ): Promise<TaskRow> => {
    const at = new Date(now())
    const row = {
      id: makeId('tsk'),
      organization_id: suite.organization_id,
      suite_id: suite.id,
      key: task.key ?? null,
      title: task.title,
      instruction: task.instruction,
      expected_outcome: task.expected_outcome,
      environment_version_id: task.environment_version_id,
      cutoff_event_id: task.cutoff_event_id,
      trace_id: task.traceId ?? null,
      turns: task.turns === null ? null : JSON.stringify(task.turns),
      crowding: task.crowding,
      metadata: storedMetadata(task.metadata),
      container: task.container ? JSON.stringify(task.container) : null,
      events: JSON.stringify(task.events ?? []),
      bindings: JSON.stringify(task.bindings),
      created_at: at,
      updated_at: at,
    }
    return store.insertTask(row, trx)
  }

  const contentOf = async (
    suite: Pick<SuiteRow, 'id' | 'name' | 'description' | 'unasked_changes'>,
    trx: Transaction<SuiteTables>,
  ): Promise<FrozenContent> => {
    const tasks = await store.allTasks(suite.id, trx)
    const definitions = await scorers.definitions(
      tasks.flatMap(({ bindings }) => bindings),
      trx,
    )
    return {
      name: suite.name,
      description: suite.description,
      tasks: tasks.map((task) => ({
        id: task.id,
        key: task.key,
        title: task.title,
        instruction: task.instruction,
        expected_outcome: task.expected_outcome,
        environment_version_id: task.environment_version_id,
        cutoff_event_id: task.cutoff_event_id,
        unasked_changes: suite.unasked_changes as UnaskedPolicy,
        ...(task.turns === null ? {} : { turns: task.turns }),
        ...(task.crowding === 0 ? {} : { crowding: task.crowding }),
        ...(task.metadata === null ? {} : { metadata: task.metadata }),
        ...(task.container === null ? {} : { container: task.container }),
        events: task.events as TaskEvent[],
        scorers: task.bindings.map((binding) => {
          const definition = definitions.get(`${binding.scorer_id} ${binding.scorer_version}`)
          if (!definition)
            throw new Error(`the scorer ${binding.scorer_id} has no version ${binding.scorer_version}`)
          const judged = definition.kind === 'llm-judge'
          const model = judged ? (definition.model ?? parts.judgeModel ?? null) : definition.model
          return { ...binding, definition: { ...definition, model } }
        }),
      })),
    }
  }

  const freezeIn = async (
    trx: Transaction<SuiteTables>,
    suite: FreezableSuite,
    how: { label: string | null; always: boolean },
  ): Promise<VersionRow> => {
    await store.lock(suite.id, trx)
    const content = await contentOf(suite, trx)
    const text = JSON.stringify(content)
    const digest = createHash('sha256').update(text).digest('hex')
    const latest = await store.latestVersion(suite.id, trx)
    if (latest && latest.digest === digest && !how.always) return latest
    return store.insertVersion(
      {
        id: makeId('stv'),
        organization_id: suite.organization_id,
        suite_id: suite.id,
        number: (latest?.number ?? 0) + 1,
        label: how.label,
        digest,
        task_count: content.tasks.length,
        content: text,
        proof: null,
        created_at: new Date(now()),
      },
      trx,
    )
  }
  const freeze = (
    suite: FreezableSuite,
    how: { label: string | null; always: boolean },
  ): Promise<VersionRow> => db.transaction().execute((trx) => freezeIn(trx, suite, how))

  const addSuite = async (
    organizationId: string,
    { name, description, worldId, unasked_changes = 'fail' }: NewSuite,
    trx?: Transaction<SuiteTables>,
  ) => {
    const at = new Date(now())
    const suite = { id: makeId('ste'), organization_id: organizationId, name, description, unasked_changes }
    const times = { created_at: at, updated_at: at, archived_at: null }
    await store.insert({ ...suite, ...times, world_id: worldId }, trx)
    return suite
  }

  return {
    store,
    require,
    open,
    requireTask,
    requireVersion,
    addSuite,
    addTask,
    freeze,
    freezeIn,
    names: async (organizationId: string, tasks: readonly TaskRow[]) =>
      scorers.findMany(organizationId, [
        ...new Set(tasks.flatMap(({ bindings }) => bindings.map(({ scorer_id }) => scorer_id))),
      ]),

    create: async (
      organizationId: string,
      fields: { name: string; description: string; unasked_changes?: UnaskedPolicy },
    ): Promise<SuiteRow> =>
      require(organizationId, (await addSuite(organizationId, { ...fields, worldId: null })).id),

    update: async (
      organizationId: string,
      id: string,
      change: {
        name?: string | undefined
        description?: string | undefined
        unasked_changes?: UnaskedPolicy | undefined
      },
    ): Promise<SuiteRow> => {
      const suite = await open(organizationId, id)
      await store.update(suite.id, {
        name: change.name ?? suite.name,
        description: change.description ?? suite.description,
        unasked_changes: change.unasked_changes ?? suite.unasked_changes,
        updated_at: new Date(now()),
      })
      return require(organizationId, id)
    },

    archive: async (organizationId: string, id: string): Promise<SuiteRow> => {
      const suite = await require(organizationId, id)
      if (!suite.archived_at) await store.update(suite.id, { archived_at: new Date(now()) })
      return require(organizationId, id)
    },

    createTask: async (
      organizationId: string,
      suiteId: string,
      { scorers: wanted, ...task }: TaskCreate,
    ): Promise<TaskRow> => {
      const suite = await open(organizationId, suiteId)
      await checkEnvironment(organizationId, task.environment_version_id)
      return addTask(suite, { ...task, bindings: await bind(organizationId, wanted) })
    },

    updateTask: async (
      organizationId: string,
      suiteId: string,
      taskId: string,
      change: TaskUpdate,
    ): Promise<TaskRow> => {
      const suite = await open(organizationId, suiteId)
      const task = await requireTask(suite.id, taskId)
      await checkEnvironment(organizationId, change.environment_version_id)
      checkCutoff(task, change.cutoff_event_id)
      const { turns, metadata, ...fields } = change
      const given = {
        ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
        ...(turns === undefined ? {} : { turns: turns === null ? null : JSON.stringify(turns) }),
        ...(metadata === undefined ? {} : { metadata: storedMetadata(metadata) }),
      }
      return (await store.updateTask(task.id, { ...given, updated_at: new Date(now()) })) ?? task
    },

    deleteTask: async (organizationId: string, suiteId: string, taskId: string): Promise<void> => {
      const suite = await open(organizationId, suiteId)
      await store.deleteTask((await requireTask(suite.id, taskId)).id)
    },

    setScorers: async (
      organizationId: string,
      suiteId: string,
      taskId: string,
      wanted: readonly ScorerBinding[],
    ): Promise<TaskRow> => {
      const suite = await open(organizationId, suiteId)
      const task = await requireTask(suite.id, taskId)
      const bindings = JSON.stringify(await bind(organizationId, wanted))
      return (await store.updateTask(task.id, { bindings, updated_at: new Date(now()) })) ?? task
    },

    publish: async (organizationId: string, suiteId: string, label: string | null): Promise<VersionRow> =>
      freeze(await open(organizationId, suiteId), { label, always: true }),
  }
}

const badReference = (pointer: string, message: string) =>
  new ApiError('invalid_reference', `${pointer} ${message}.`, { details: [{ pointer, message }] })

/** A cutoff of a task made from a trace is one of the trace's events. */
const checkCutoff = (task: TaskRow, cutoff: string | null | undefined): void => {
  if (cutoff === null || cutoff === undefined || task.events.length === 0) return
  if ((task.events as TaskEvent[]).some(({ id }) => id === cutoff)) return
  throw badReference('/cutoff_event_id', 'names no event of the trace this task was made from')
}
