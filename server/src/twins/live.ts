import type { Changes } from '@diorama/twins/kernel/diff'
import { Instance } from '@diorama/twins/kernel/instance'
import type { FrozenSeed } from '@diorama/twins/kernel/seed'
import type { JournalTwin } from './journal-entry.ts'
import type { TwinRow, TwinStore } from './store.ts'

/** A twin in this process's memory. */
export interface LiveTwin extends JournalTwin {
  readonly instance: Instance
  row: TwinRow
  seq: number
  changesSinceSnapshot: number
  /** Settled when every step so far is in the ledger, or one of them failed. */
  written: Promise<void>
}

export const liveTwin = (row: TwinRow, seed: FrozenSeed, instance: Instance, seq = 0): LiveTwin => ({
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
  seq,
  changesSinceSnapshot: 0,
  written: Promise.resolve(),
})

/** The seed, then the newest snapshot, then the changes after it; calls are never run again. */
export const restoreTwin = async (row: TwinRow, seed: FrozenSeed, store: TwinStore): Promise<LiveTwin> => {
  const instance = new Instance({ seed, principals: row.principals })
  const [snapshot, last] = await Promise.all([
    store.snapshot(row.id, row.epoch),
    store.lastSeq(row.id, row.epoch),
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
