import type { Changes } from '@diorama/twins/kernel/diff'
import { Instance } from '@diorama/twins/kernel/instance'
import type { FrozenSeed } from '@diorama/twins/kernel/seed'
import type { LedgerTwin } from './ledger/ledger-entry.ts'
import type { TwinRow, TwinStore } from './store.ts'

/** A twin in this process's memory. */
export interface LiveTwin extends LedgerTwin {
  readonly instance: Instance
  row: TwinRow
  /** How many steps of each lane of its ledger there are in the twin's present life. */
  writes: number
  reads: number
  changesSinceSnapshot: number
}

export const liveTwin = (
  row: TwinRow,
  seed: FrozenSeed,
  instance: Instance,
  { writes, reads } = { writes: 0, reads: 0 },
): LiveTwin => ({
  id: row.id,
  organizationId: row.organization_id,
  worldId: row.world_id,
  service: row.service,
  epoch: row.epoch,
  principals: row.principals,
  isInternal: (collection) => seed.tables[collection]?.spec.internal === true,
  namesOf: (collection, record) => instance.twin.names?.(collection, record) ?? [],
  lost: false,
  instance,
  row,
  writes,
  reads,
  changesSinceSnapshot: 0,
})

/** The seed, then the newest snapshot, then the changes after it; calls are never run again. */
export const restoreTwin = async (row: TwinRow, seed: FrozenSeed, store: TwinStore): Promise<LiveTwin> => {
  const instance = new Instance({ seed, principals: row.principals })
  const [snapshot, last] = await Promise.all([
    store.snapshot(row.id, row.epoch),
    store.stepCounts(row.id, row.epoch),
  ])
  if (snapshot) instance.restore(snapshot.body)
  const steps = await store.changesAfter(row.id, row.epoch, snapshot?.seq ?? 0)
  for (const { changes } of steps) instance.apply(JSON.parse(changes ?? '[]') as Changes)
  const twin = liveTwin(row, seed, instance, last)
  twin.changesSinceSnapshot = steps.length
  return twin
}

/** The world's now: the blueprint's clock and the time that has passed since the twin was seeded. */
export const worldTime = (twin: LiveTwin, now: number): number =>
  twin.instance.seed.seed.clock + Math.max(0, now - twin.row.seeded_at.getTime())
