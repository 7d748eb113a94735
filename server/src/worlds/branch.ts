import type { BranchRequest } from '@diorama/contract/worlds'
import { ApiError, notFound } from '../http/api-error.ts'
import type { Caller } from '../http/handler.ts'
import type { Host } from '../twins/host.ts'
import type { ActivityReader } from '../twins/ledger/ledger-reader.ts'
import type { Seeds } from '../twins/seeds.ts'
import type { TwinRow } from '../twins/store.ts'
import type { Launched, Launcher } from './launch.ts'

export interface BranchDeps {
  readonly launcher: Pick<Launcher, 'start'>
  readonly host: Pick<Host, 'inspectAt'>
  readonly activity: Pick<ActivityReader, 'momentOf'>
  readonly seeds: Pick<Seeds, 'load'>
}

/** Where a branch begins: the twins of a world or of a trial, and the blueprint behind them. */
export interface BranchSource {
  readonly of: { readonly worldId: string } | { readonly trialId: string }
  readonly name: string
  readonly blueprint: Record<string, unknown>
  readonly twins: readonly TwinRow[]
}

/** Starts a world as it was at one of its requests. */
export type Branch = (caller: Caller, source: BranchSource, request: BranchRequest) => Promise<Launched>

/**
 * The twins of the new world begin with the state after the request as their seed, so that its difference is what
 * happened since. It is its own lineage: nothing that starts from the latest version of the old one starts there.
 */
export const createBranch =
  ({ launcher, host, activity, seeds }: BranchDeps): Branch =>
  async (caller, source, { at, name, ttlHours }) => {
    if (source.twins.length === 0) throw new ApiError('conflict', 'There are no twins to branch from.')
    const moment = await activity.momentOf(source.twins, at)
    if (!moment) throw notFound('request')
    const clock = moment.worldTime.getTime()
    const planned = await Promise.all(
      source.twins.map(async (row) => {
        const writes = moment.writes.get(row.id) ?? 0
        const { sha256, entityCount } = await host.inspectAt(row, writes, { what: 'publish', clock })
        return { kind: row.service, sha256, entityCount, frozen: await seeds.load(sha256) }
      }),
    )
    const title = name ?? `${source.name} at ${moment.worldTime.toISOString()}`.slice(0, 200)
    const iso = moment.worldTime.toISOString()
    return launcher.start(
      { caller, ttlHours },
      {
        name: title,
        summary: `${source.name} as it was after the request ${at}.`,
        clock: iso,
        stored: branched(source, { name: title, clock: iso, at }),
        seeds: planned,
        warnings: [],
        error: null,
        datasetVersionId: null,
      },
    )
  }

/** The blueprint that the branch shows: the people and the story stay, and its tasks are those of the first world. */
const branched = (
  { blueprint, of }: BranchSource,
  { name, clock, at }: { name: string; clock: string; at: string },
): Record<string, unknown> => {
  const scenario = blueprint.scenario as Record<string, unknown> | undefined
  return {
    ...blueprint,
    name,
    clock,
    scenario: { ...scenario, tasks: [], suggestedTasks: [] },
    branchOf: { ...of, at },
  }
}
