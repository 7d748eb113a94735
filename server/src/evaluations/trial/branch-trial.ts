import type { BranchRequest, WorldResponse } from '@diorama/contract/worlds'
import { ApiError } from '../../http/api-error.ts'
import type { Caller } from '../../http/handler.ts'
import type { TwinRow } from '../../twins/store.ts'
import type { Branch } from '../../worlds/branch.ts'
import type { Worlds } from '../../worlds/worlds.ts'

export interface BranchTrialDeps {
  readonly worlds: Pick<Worlds, 'store' | 'shown'>
  readonly twinsOf: (trialId: string) => Promise<TwinRow[]>
  readonly branch: Branch
}

export type BranchTrial = (caller: Caller, trialId: string, request: BranchRequest) => Promise<WorldResponse>

/** Starts a world as a trial's copy was after a request. The records of its twins are enough; they need not run. */
export const createBranchTrial =
  ({ worlds, twinsOf, branch }: BranchTrialDeps): BranchTrial =>
  async (caller, trialId, request) => {
    const twins = lastAttempt(await twinsOf(trialId))
    const environmentVersionId = twins[0]?.environment_version_id ?? null
    if (environmentVersionId === null)
      throw new ApiError('conflict', 'The trial has no world, or its records were deleted.')
    const version = await worlds.store.environmentVersion(caller.organizationId, environmentVersionId)
    const world = version && (await worlds.store.find(caller.organizationId, version.world_id))
    const blueprint = world?.blueprint ?? {
      organization: (await worlds.store.datasetVersion(caller.organizationId, environmentVersionId))?.company
        .organization,
    }
    const name = world?.name ?? 'Trial'
    const { row, twins: started } = await branch(caller, { of: { trialId }, name, blueprint, twins }, request)
    return worlds.shown(row, started)
  }

/** The twins of each attempt were made together, in their order; those of the last one count. */
const lastAttempt = (rows: readonly TwinRow[]): TwinRow[] => {
  const made = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
  return made.slice(made.findLastIndex(({ position }) => position === 0))
}
