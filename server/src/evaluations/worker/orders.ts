import type { FrozenTask, Variant } from '@diorama/contract'
import type { RunnableAgent } from '../../agents/runnable.ts'
import type { FrozenRunModels } from '../../models/access.ts'
import type { BoundDefinition } from '../../scoring/score.ts'
import { BoundedCache } from '../../storage/bounded-cache.ts'
import type { WorldSource } from '../../worlds/source.ts'
import type { EvaluationStore, JobRow, TrialRow } from '../store.ts'
import type { TrialOrder } from '../trial/trial.ts'

const maxEnvironments = 256
/** Counted in bytes of bundles and files; an order without any counts for a little. */
const maxOrderBytes = 128 * 1_048_576
const leastOrderBytes = 262_144

export interface OrderParts {
  readonly store: Pick<EvaluationStore, 'findJob'>
  readonly agent: (
    organizationId: string,
    reference: string,
  ) => Promise<RunnableAgent | { unusable: string } | undefined>
  readonly tasksOf: (suiteId: string, versionId: string) => Promise<readonly FrozenTask[]>
}

interface JobOrder {
  readonly job: JobRow
  readonly agent: RunnableAgent
  readonly tasks: ReadonlyMap<string, FrozenTask>
}

/** What a trial is asked to do. All of it was frozen when its evaluation started, so trials of one evaluation and agent share it. */
export const openOrders = ({ store, agent, tasksOf }: OrderParts) => {
  const known = new BoundedCache<JobOrder>({ most: maxOrderBytes, weigh: weightOf })
  const loading = new Map<string, Promise<JobOrder>>()

  const load = async (trial: TrialRow): Promise<JobOrder> => {
    const job = await store.findJob(trial.organization_id, trial.job_id)
    if (!job) throw new Error(`the evaluation of trial ${trial.id} is gone`)
    const [runs, tasks] = await Promise.all([
      agent(trial.organization_id, trial.agent),
      tasksOf(job.suite_id, job.suite_version_id),
    ])
    if (!runs || 'unusable' in runs) throw new Error(`the agent ${trial.agent} cannot be run any more`)
    return { job, agent: runs, tasks: new Map(tasks.map((task) => [task.id, task])) }
  }

  /** Trials that begin together wait for one reading. */
  const jobOrder = (trial: TrialRow): Promise<JobOrder> => {
    const key = `${trial.job_id} ${trial.agent}`
    const there = known.get(key)
    if (there) return Promise.resolve(there)
    const under =
      loading.get(key) ??
      load(trial)
        .then((order) => {
          known.set(key, order)
          return order
        })
        .finally(() => loading.delete(key))
    loading.set(key, under)
    return under
  }

  return async (trial: TrialRow): Promise<TrialOrder> => {
    const { job, agent: runs, tasks } = await jobOrder(trial)
    const task = tasks.get(trial.task_id)
    if (!task) throw new Error(`the frozen task of trial ${trial.id} is missing`)
    return {
      trialId: trial.id,
      attempt: trial.attempt,
      jobId: trial.job_id,
      repetition: trial.repetition,
      models: job.models as FrozenRunModels | null,
      organizationId: trial.organization_id,
      createdBy: job.created_by,
      agent: runs,
      task,
      variant: trial.variant as Variant | null,
      // The same for every agent and every copy of the suite, so that they meet the same variant of a task.
      variantSeed: `${task.key ?? task.title} ${trial.repetition}`,
      extraScorers: job.extra_scorers as BoundDefinition[],
      environmentVersionId: task.environment_version_id ?? job.environment_version_id,
    }
  }
}

const weightOf = ({ agent: { bundle, files } }: JobOrder): number =>
  leastOrderBytes +
  (bundle?.length ?? 0) +
  Object.values(files).reduce((sum, text) => sum + 2 * text.length, 0)

/** Environment versions never change, so each is read once. */
export const rememberedSource = (source: WorldSource): WorldSource => {
  const known = new BoundedCache<NonNullable<Awaited<ReturnType<WorldSource['environment']>>>>({
    most: maxEnvironments,
  })
  return {
    environment: async (organizationId, environmentVersionId) => {
      const key = `${organizationId} ${environmentVersionId}`
      const environment = known.get(key) ?? (await source.environment(organizationId, environmentVersionId))
      if (environment) known.set(key, environment)
      return environment
    },
  }
}
