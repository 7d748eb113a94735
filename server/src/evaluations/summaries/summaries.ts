import type { AgentRunResult, Job, Results, RunAgentSummary } from '@diorama/contract'
import { clusteredRate } from '../results/statistics.ts'
import type { JobRow } from '../store.ts'
import type { AgentResultRow, ResultFilter, SummaryStore, TaskCount } from './summary-store.ts'

const historyLength = 12
/** Runs that are summarised together before a list is filtered by verdict. */
const batch = 50

/** What lists show of an evaluation besides its row. */
export type RunSummary = Pick<Job, 'task_suite_name' | 'verdict' | 'results' | 'history' | 'cost_usd'>

export interface SummaryDeps {
  readonly store: SummaryStore
  readonly results: (job: JobRow) => Promise<Results>
  readonly suiteNames: (suiteIds: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

export interface Summaries {
  /** Stores the verdict and rates of an evaluation that has ended. */
  summarise(job: JobRow): Promise<Job['verdict']>
  /** Makes sure that every finished evaluation of an organization has a verdict to be found by. */
  summariseAll(organizationId: string): Promise<void>
  ofJobs(jobs: readonly JobRow[]): Promise<Map<string, RunSummary>>
  list(
    organizationId: string,
    filter: ResultFilter,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<{ items: AgentRunResult[]; next_cursor: string | null }>
}

/** Verdicts and pass rates of evaluations: stored once they are finished, counted while they run. */
export const createSummaries = ({ store, results, suiteNames }: SummaryDeps): Summaries => {
  const summarise = async (job: JobRow): Promise<Job['verdict']> => {
    if (job.finished_at === null) return null
    if (job.verdict !== null) return asVerdict(job.verdict)
    const { gate, agents } = await results(job)
    const finishedAt = job.finished_at
    await store.save(
      job.id,
      gate.verdict,
      agents.map((one) => ({
        job_id: job.id,
        agent: one.agent,
        organization_id: job.organization_id,
        agent_name: one.agent.slice(0, one.agent.lastIndexOf('@')),
        agent_version: one.agent.slice(one.agent.lastIndexOf('@') + 1),
        suite_id: job.suite_id,
        scored_trials: one.scored_trials,
        passed_trials: one.passed_trials,
        pass_rate: one.pass_rate,
        interval_low: one.interval?.low ?? null,
        interval_high: one.interval?.high ?? null,
        weighted_score: one.weighted_score,
        cost_usd: one.usage?.cost_usd ?? null,
        mean_duration_ms: one.mean_duration_ms,
        verdict: one.gate.verdict,
        finished_at: finishedAt,
      })),
    )
    return gate.verdict
  }

  const summariseAll = async (organizationId: string): Promise<void> => {
    for (let open = await store.unsummarised(organizationId, batch); open.length > 0; ) {
      for (const job of open) await summarise(job)
      if (open.length < batch) return
      open = await store.unsummarised(organizationId, batch)
    }
  }

  const ofJobs = async (jobs: readonly JobRow[]): Promise<Map<string, RunSummary>> => {
    const verdicts = new Map<string, Job['verdict']>()
    for (const job of jobs) verdicts.set(job.id, await summarise(job))
    const ids = jobs.map(({ id }) => id)
    const running = jobs.filter(({ finished_at }) => finished_at === null).map(({ id }) => id)
    const [stored, counted, names, histories] = await Promise.all([
      store.resultsOf(ids),
      store.taskCounts(running),
      suiteNames([...new Set(jobs.map(({ suite_id }) => suite_id))]),
      store.histories(ids, historyLength),
    ])
    const rows = Map.groupBy(stored, ({ job_id }) => job_id)
    const counts = Map.groupBy(counted, ({ job_id }) => job_id)
    return new Map(
      jobs.map((job) => {
        const its = rows.get(job.id)
        const shown = its ? its.map(toSummary) : soFar(counts.get(job.id) ?? [])
        const costs = shown.flatMap(({ cost_usd }) => cost_usd ?? [])
        return [
          job.id,
          {
            task_suite_name: names.get(job.suite_id) ?? null,
            verdict: verdicts.get(job.id) ?? null,
            results: job.agents.flatMap((agent) => shown.find((one) => one.agent === agent) ?? []),
            history: histories.get(job.id) ?? [],
            cost_usd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
          },
        ]
      }),
    )
  }

  return {
    summarise,
    summariseAll,
    ofJobs,
    list: async (organizationId, filter, page) => {
      await summariseAll(organizationId)
      const { items, nextCursor } = await store.list(organizationId, filter, page)
      const names = await suiteNames([...new Set(items.map(({ suite_id }) => suite_id))])
      return {
        items: items.map((row) => ({
          ...toSummary(row),
          verdict: asVerdict(row.verdict),
          agent_name: row.agent_name,
          agent_version: row.agent_version,
          job_id: row.job_id,
          job_name: row.job_name,
          task_suite_id: row.suite_id,
          task_suite_name: names.get(row.suite_id) ?? null,
          weighted_score: row.weighted_score,
          mean_duration_ms: row.mean_duration_ms,
          finished_at: row.finished_at.toISOString(),
        })),
        next_cursor: nextCursor,
      }
    },
  }
}

const asVerdict = (text: string): AgentRunResult['verdict'] =>
  text === 'pass' || text === 'fail' ? text : 'inconclusive'

const toSummary = (row: AgentResultRow): RunAgentSummary => ({
  agent: row.agent,
  scored_trials: row.scored_trials,
  passed_trials: row.passed_trials,
  pass_rate: row.pass_rate,
  interval:
    row.interval_low === null || row.interval_high === null
      ? null
      : { low: row.interval_low, high: row.interval_high },
  cost_usd: row.cost_usd,
  verdict: asVerdict(row.verdict),
})

/** The rates of an evaluation that goes on, from the trials that are judged so far. */
const soFar = (counts: readonly TaskCount[]): RunAgentSummary[] =>
  [...Map.groupBy(counts, ({ agent }) => agent)].map(([agent, tasks]) => {
    const clustered = clusteredRate(tasks)
    const costs = tasks.flatMap(({ cost_usd }) => cost_usd ?? [])
    return {
      agent,
      scored_trials: tasks.reduce((sum, { total }) => sum + total, 0),
      passed_trials: tasks.reduce((sum, { passed }) => sum + passed, 0),
      pass_rate: clustered?.rate ?? null,
      interval: clustered?.interval ?? null,
      cost_usd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
      verdict: null,
    }
  })
