import { createHash } from 'node:crypto'
import type { FrozenTask, JobStart, RunModels, ScorerDefinition } from '@diorama/contract'
import type { RunnableAgent } from './../agents/runnable.ts'
import { ApiError, notFound } from '../http/api-error.ts'
import type { Caller } from '../http/handler.ts'
import { onceForKey } from '../http/idempotency/once-for-key.ts'
import type { FrozenRunModels } from '../models/access.ts'
import type { BoundDefinition } from '../scoring/score.ts'
import type { EvaluationStore, JobRow } from './store.ts'

const maxAgents = 8
const maxConcurrent = 32

/** What an evaluation needs of the other parts of the service. */
export interface StartParts {
  readonly store: EvaluationStore
  /** Freezes the suite's working copy if it changed; undefined when there is no such suite. */
  readonly freeze: (
    organizationId: string,
    suiteId: string,
  ) => Promise<{ versionId: string; name: string; tasks: readonly FrozenTask[] } | undefined>
  readonly agent: (
    organizationId: string,
    reference: string,
  ) => Promise<RunnableAgent | { readonly unusable: string } | undefined>
  readonly scorers: (
    organizationId: string,
    ids: readonly string[],
  ) => Promise<ReadonlyMap<string, ScorerDefinition & { version: number }>>
  readonly hasEnvironmentVersion: (organizationId: string, id: string) => Promise<boolean>
  /** The version that a reference to a cassette means, if there is one. */
  readonly cassette: (
    organizationId: string,
    reference: string,
  ) => Promise<{ readonly id: string; readonly version: number } | undefined>
  /** The isolation of this deployment's sandbox, or why it has none. */
  readonly sandbox: () => Promise<{ isolation: string } | { unavailable: string }>
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

const unstarted = { error: null, started_at: null, finished_at: null }

/** Starts runs: everything is checked before anything is made. */
export const openStarter = (parts: StartParts) => {
  const { store, now, makeId } = parts

  const make = async (caller: Caller, body: JobStart, fingerprint: string): Promise<JobRow | undefined> => {
    const { organizationId } = caller
    checkLimits(body)
    if (!caller.limits.sandbox)
      throw new ApiError('sandbox_denied', 'This organization has no access to sandboxes.')
    const sandbox = await parts.sandbox()
    if ('unavailable' in sandbox)
      throw new ApiError('sandbox_unavailable', sandbox.unavailable, { retryAfterSeconds: 60 })
    const references = await usableAgents(parts, organizationId, body.agents)
    const extra = await extraScorers(parts, organizationId, body.scorers)
    await checkReferences(parts, organizationId, body)
    const models = await frozenModels(parts, organizationId, body.models)
    const suite = await parts.freeze(organizationId, body.task_suite_id)
    if (!suite) throw notFound('task suite')
    const tasks = chosenTasks(suite.tasks, body)
    const total = tasks.length * references.length * body.trials_per_task * (1 + body.variants.length)
    checkTotal(total, caller.limits.trials_per_run)
    const jobId = makeId('job')
    const at = new Date(now())
    return store.insert(
      {
        id: jobId,
        organization_id: organizationId,
        suite_id: body.task_suite_id,
        suite_version_id: suite.versionId,
        name: body.name ?? suite.name,
        mode: body.mode,
        status: 'queued',
        agents: references,
        concurrency: body.concurrency,
        trials_per_task: body.trials_per_task,
        variants: body.variants,
        total_trials: total,
        completed_trials: 0,
        environment_version_id: body.environment_version_id,
        baseline_job_id: body.baseline_job_id,
        extra_scorers: JSON.stringify(extra),
        sequential: body.sequential && JSON.stringify(body.sequential),
        models: models && JSON.stringify(models),
        idempotency_key: body.idempotency_key,
        fingerprint,
        isolation: sandbox.isolation,
        ...unstarted,
        created_by: caller.keyId,
        created_at: at,
      },
      trialRows({
        jobId,
        organizationId,
        references,
        tasks: body.sequential === null ? tasks : shuffled(tasks, jobId),
        repetitions: body.trials_per_task,
        variants: [null, ...body.variants],
        taskByTask: body.sequential !== null,
        makeId,
      }),
    )
  }

  return async (caller: Caller, body: JobStart): Promise<{ job: JobRow; fresh: boolean }> => {
    const { idempotency_key: key, ...inputs } = body
    const fingerprint = createHash('sha256').update(JSON.stringify(inputs)).digest('hex')
    const outcome = await onceForKey({
      key,
      fingerprint,
      find: (found) => store.findByKey(caller.organizationId, found),
      isAnswered: () => true,
      make: () => make(caller, body, fingerprint),
      maxWaitMs: 1_000,
      tooSlow: () => new ApiError('unavailable', 'The first evaluation with this key is still being made.'),
    })
    return 'made' in outcome ? { job: outcome.made, fresh: true } : { job: outcome.earlier, fresh: false }
  }
}

const checkTotal = (total: number, most: number): void => {
  if (total > most)
    throw new ApiError(
      'limit_exceeded',
      `The evaluation would have ${total} trials; at most ${most} are allowed.`,
      {
        retryAfterSeconds: 60,
      },
    )
}

/** A sequential evaluation asks one question: of one agent against a target, or of two against each other. */
const checkSequential = ({ sequential, mode, agents, variants }: JobStart): void => {
  if (sequential === null) return
  if (variants.length > 0) throw bad('/variants', 'cannot be run sequentially')
  const compares = mode === 'compare' && agents.length === 2 && sequential.target_pass_rate === null
  const targets = mode === 'suite' && agents.length === 1 && sequential.target_pass_rate !== null
  if (!compares && !targets)
    throw bad(
      '/sequential',
      'needs mode compare with two agents, or mode suite with one agent and a target_pass_rate',
    )
}

/** The version of the cassette that answers is fixed when the evaluation starts. */
const frozenModels = async (
  { cassette }: Pick<StartParts, 'cassette'>,
  organizationId: string,
  models: RunModels | null,
): Promise<FrozenRunModels | null> => {
  if (models === null) return null
  const { mode } = models
  const taped = mode === 'record' || mode === 'replay' || mode === 'auto'
  if (taped !== (models.cassette !== null))
    throw bad(
      '/models/cassette',
      taped ? `is needed for the mode ${mode}` : `is not used by the mode ${mode}`,
    )
  if ((mode === 'scripted') !== (models.script !== null))
    throw bad(
      '/models/script',
      mode === 'scripted' ? 'is needed for the mode scripted' : `is not used by the mode ${mode}`,
    )
  const found =
    models.cassette === null || mode === 'record'
      ? undefined
      : await cassette(organizationId, models.cassette)
  if (!found && (mode === 'replay' || models.cassette?.includes('@')))
    throw bad('/models/cassette', `names no cassette that has been recorded: ${models.cassette}`)
  return { ...models, base_version_id: found?.id ?? null, base_version: found?.version ?? null }
}

const checkReferences = async (
  { store, hasEnvironmentVersion }: StartParts,
  organizationId: string,
  { environment_version_id, baseline_job_id }: JobStart,
): Promise<void> => {
  if (
    environment_version_id !== null &&
    !(await hasEnvironmentVersion(organizationId, environment_version_id))
  )
    throw bad('/environment_version_id', 'names no environment version')
  if (baseline_job_id !== null && !(await store.findJob(organizationId, baseline_job_id)))
    throw bad('/baseline_job_id', 'names no evaluation')
}

const checkLimits = (body: JobStart): void => {
  const { agents, concurrency } = body
  checkSequential(body)
  if (new Set(body.variants).size < body.variants.length) throw bad('/variants', 'names one twice')
  if (agents.length > maxAgents)
    throw new ApiError(
      'limit_exceeded',
      `An evaluation takes at most ${maxAgents} agents; ${agents.length} were named.`,
      { retryAfterSeconds: 60 },
    )
  if (concurrency > maxConcurrent)
    throw new ApiError(
      'limit_exceeded',
      `At most ${maxConcurrent} trials run at once; ${concurrency} were asked for.`,
      { retryAfterSeconds: 60 },
    )
}

/** Exact references: `name` and `name@current` become the version they mean now. */
const usableAgents = async (
  parts: StartParts,
  organizationId: string,
  agents: readonly string[],
): Promise<string[]> => {
  const references: string[] = []
  for (const [n, reference] of agents.entries()) {
    const agent = await parts.agent(organizationId, reference)
    if (!agent) throw bad(`/agents/${n}`, `names no registered version: ${reference}`)
    if ('unusable' in agent) throw bad(`/agents/${n}`, agent.unusable)
    if (references.includes(agent.reference)) throw bad(`/agents/${n}`, `names ${agent.reference} twice`)
    references.push(agent.reference)
  }
  return references
}

const extraScorers = async (
  parts: StartParts,
  organizationId: string,
  ids: readonly string[],
): Promise<BoundDefinition[]> => {
  const found = await parts.scorers(organizationId, ids)
  return ids.map((id, n) => {
    const scorer = found.get(id)
    if (!scorer) throw bad(`/scorers/${n}`, 'names no scorer of the library')
    return {
      scorer_id: id,
      scorer_version: scorer.version,
      weight: 'med',
      pass_threshold: null,
      definition: scorer,
    }
  })
}

const chosenTasks = (
  tasks: readonly FrozenTask[],
  { tasks: wanted, mode }: JobStart,
): readonly FrozenTask[] => {
  const known = new Set(tasks.map(({ id }) => id))
  const unknown = wanted?.findIndex((id) => !known.has(id)) ?? -1
  if (unknown !== -1) throw bad(`/tasks/${unknown}`, 'names no task of the suite')
  const chosen = wanted === null ? tasks : tasks.filter(({ id }) => wanted.includes(id))
  const fitting = mode === 'replay' ? chosen.filter(({ events }) => events.length > 0) : chosen
  if (fitting.length === 0)
    throw bad(
      '/tasks',
      mode === 'replay'
        ? 'has no task made from a trace, which is what replay runs'
        : 'has nothing to run; the suite is empty',
    )
  return fitting
}

const bad = (pointer: string, message: string) =>
  new ApiError('invalid_reference', `${pointer} ${message}.`, { details: [{ pointer, message }] })

/** In random order, so that the first tasks are a fair sample of all. */
const shuffled = (tasks: readonly FrozenTask[], seed: string): readonly FrozenTask[] => {
  const place = ({ id }: FrozenTask) => createHash('sha256').update(`${seed} ${id}`).digest('hex')
  return [...tasks].sort((a, b) => (place(a) < place(b) ? -1 : 1))
}

/** Repetitions last, so that an early look at an evaluation sees every task once; or task by task, each complete. */
const trialRows = (plan: {
  jobId: string
  organizationId: string
  references: readonly string[]
  tasks: readonly FrozenTask[]
  repetitions: number
  variants: readonly (string | null)[]
  taskByTask: boolean
  makeId: (prefix: string) => string
}) => {
  const repetitions = Array.from({ length: plan.repetitions }, (_, n) => n + 1)
  const pairs = plan.taskByTask
    ? plan.tasks.flatMap((task) =>
        repetitions.flatMap((repetition) => plan.references.map((agent) => ({ repetition, task, agent }))),
      )
    : repetitions.flatMap((repetition) =>
        plan.tasks.flatMap((task) => plan.references.map((agent) => ({ repetition, task, agent }))),
      )
  const trials = pairs.flatMap((pair) => plan.variants.map((variant) => ({ ...pair, variant })))
  return trials.map(({ repetition, task, agent, variant }, position) => ({
    id: plan.makeId('trl'),
    organization_id: plan.organizationId,
    job_id: plan.jobId,
    position,
    agent,
    task_id: task.id,
    repetition,
    variant,
    status: 'queued',
    lease_holder: null,
    lease_until: null,
    error: null,
    cause: null,
    passed: null,
    scores: '[]',
    steps: '[]',
    usage: null,
    output: null,
    artifacts: '[]',
    world_sha256: null,
    isolation: null,
    trace_id: null,
    started_at: null,
    finished_at: null,
    duration_ms: null,
  }))
}
