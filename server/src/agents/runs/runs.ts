import {
  type AgentModel,
  AgentModel as AgentModelSchema,
  type AgentRun,
  type AgentRunOrigin,
  type AgentRunRecord,
  type ErrorDetail,
  splitReference,
} from '@diorama/contract'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import { ApiError, notFound } from '../../http/api-error.ts'
import type { MakeId } from '../../storage/ids.ts'
import type { AgentTables } from '../tables.ts'
import { bucketOf } from './durations.ts'
import { type RunStore, runStore } from './run-store.ts'
import { type NewRun, writeRuns } from './run-writer.ts'

export interface RunParts {
  readonly db: Kysely<AgentTables>
  readonly pool: pg.Pool
  readonly makeId: MakeId
  /** What tokens of a model cost an organization, where somebody said so. */
  readonly prices: (organizationId: string) => Promise<CostOf>
}

type CostOf = (model: AgentModel, usage: { input_tokens: number; output_tokens: number }) => number | null

type Known = Awaited<ReturnType<RunStore['versions']>>[number]

export interface Runs {
  readonly store: RunStore
  /** Records runs, all or none; a run that is there already is left as it is. Returns their ids in order. */
  readonly record: (
    organizationId: string,
    runs: readonly AgentRunRecord[],
    origin: AgentRunOrigin,
  ) => Promise<string[]>
  /** Takes a trace of a registered agent as a run, unless the run itself is known. */
  readonly observe: (run: ObservedTrace) => Promise<void>
  readonly read: (organizationId: string, runId: string) => Promise<AgentRun>
}

/** The rules of recorded runs. */
export const openRuns = ({ db, pool, makeId, prices }: RunParts): Runs => {
  const store = runStore(db)

  /** The versions that the runs name; refuses the batch when one of them is not registered. */
  const versionsOf = async (organizationId: string, runs: readonly AgentRunRecord[]): Promise<Known[]> => {
    const references = runs.map(({ agent }) => splitReference(agent))
    const asked = new Map(
      references.flatMap((one) => (one ? [[`${one.name}@${one.version}`, one] as const] : [])),
    )
    const known = await store.versions(organizationId, [...asked.values()])
    const byReference = new Map<string, Known>()
    for (const one of known) {
      byReference.set(`${one.agent}@${one.version}`, one)
      if (one.status === 'current') byReference.set(`${one.agent}@current`, one)
    }
    const details: ErrorDetail[] = []
    const found = references.flatMap((one, index) => {
      const version = one && byReference.get(`${one.name}@${one.version}`)
      if (version) return [version]
      details.push({ pointer: `/${index}/agent`, message: 'is not a registered name@version' })
      return []
    })
    if (details[0])
      throw new ApiError('invalid_reference', `${details[0].pointer} ${details[0].message}.`, { details })
    return found
  }

  const toNew = (
    run: AgentRunRecord,
    { version, origin, costOf }: { version: Known; origin: AgentRunOrigin; costOf: CostOf },
  ): NewRun => {
    const started = Date.parse(run.started_at)
    const finished = run.finished_at === null ? null : Date.parse(run.finished_at)
    const model = version.model === null ? null : AgentModelSchema.parse(version.model)
    return {
      run_id: run.run_id ?? makeId('run'),
      agent: version.agent,
      version: version.version,
      origin,
      status: run.status,
      started_at: new Date(started).toISOString(),
      finished_at: finished === null ? null : new Date(finished).toISOString(),
      duration_ms: finished === null ? null : finished - started,
      tool_calls: run.tool_calls,
      input_tokens: run.usage?.input_tokens ?? null,
      output_tokens: run.usage?.output_tokens ?? null,
      cost_usd: model && run.usage ? costOf(model, run.usage) : null,
      trace_id: run.trace_id,
      error: run.error,
      metadata: run.metadata,
      bucket: finished === null ? null : bucketOf(finished - started),
      calls: run.tool_calls.length,
      call_failures: run.tool_calls.filter(({ status }) => status === 'failed').length,
    }
  }

  const record = async (
    organizationId: string,
    runs: readonly AgentRunRecord[],
    origin: AgentRunOrigin,
  ): Promise<string[]> => {
    refuseBackwards(runs)
    const versions = await versionsOf(organizationId, runs)
    const costOf = await prices(organizationId)
    const made = runs.flatMap((run, index) => {
      const version = versions[index]
      return version ? [toNew(run, { version, origin, costOf })] : []
    })
    await writeRuns(pool, organizationId, oneOfEach(made))
    return made.map(({ run_id }) => run_id)
  }

  return {
    store,

    record,

    observe: async (run: ObservedTrace): Promise<void> => {
      const { organizationId, traceId } = run
      const agent = `${run.agentName}@${run.agentVersion ?? 'current'}`
      const reference = splitReference(agent)
      if (!reference || (await store.versions(organizationId, [reference])).length === 0) return
      if (await store.hasTrace(organizationId, traceId)) return
      await record(organizationId, [runOfTrace(run, agent)], 'trace')
    },

    read: async (organizationId: string, runId: string) => {
      const run = await store.find(organizationId, runId)
      if (!run) throw notFound('run')
      return run
    },
  }
}

/** What a trace says about a run. */
export interface ObservedTrace {
  readonly organizationId: string
  readonly traceId: string
  readonly agentName: string
  readonly agentVersion: string | null
  readonly startedAt: Date
  readonly finishedAt: Date | null
  readonly status: 'running' | 'succeeded' | 'failed'
  readonly toolCalls: readonly {
    readonly name: string
    readonly status: 'succeeded' | 'failed'
    readonly durationMs: number | null
  }[]
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
}

const runOfTrace = (run: ObservedTrace, agent: string): AgentRunRecord => ({
  run_id: `trace:${run.traceId}`,
  agent,
  started_at: run.startedAt.toISOString(),
  finished_at: run.finishedAt?.toISOString() ?? null,
  status: run.status,
  tool_calls: run.toolCalls.map(({ name, status, durationMs }) => ({
    name,
    status,
    duration_ms: durationMs,
  })),
  usage: { input_tokens: run.usage.inputTokens, output_tokens: run.usage.outputTokens },
  trace_id: run.traceId,
  error: null,
  metadata: {},
})

const refuseBackwards = (runs: readonly AgentRunRecord[]): void => {
  const details = runs.flatMap(({ started_at, finished_at }, index) =>
    finished_at !== null && Date.parse(finished_at) < Date.parse(started_at)
      ? [{ pointer: `/${index}/finished_at`, message: 'is before started_at' }]
      : [],
  )
  if (details[0]) throw new ApiError('malformed', `${details[0].pointer} ${details[0].message}.`, { details })
}

/** One of each id: the first, unless it was still running. */
const oneOfEach = (runs: readonly NewRun[]): NewRun[] => {
  const byId = new Map<string, NewRun>()
  for (const run of runs) {
    const there = byId.get(run.run_id)
    if (!there || there.status === 'running') byId.set(run.run_id, run)
  }
  return [...byId.values()]
}
