import type { AnyTwin } from '@diorama/twin-kit/kernel/twin'
import type { Isolate } from '../isolates/isolate.ts'
import type { TwinFacts } from '../isolates/protocol.ts'
import type { LedgerTwin } from '../ledger/ledger-entry.ts'
import type { TwinRow } from '../store.ts'

/** A twin that runs in an isolate of this process. */
export interface PlacedTwin extends LedgerTwin {
  readonly isolate: Isolate
  readonly model: AnyTwin
  row: TwinRow
  /** Settled when the isolate has loaded it; undefined from then on. */
  loading: Promise<void> | undefined
  /** Durable writes since the last part of its snapshot. */
  unsavedWrites: number
  isSaving: boolean
  usedAt: number
  /** Durable writes since it came here. */
  writes: number
  /** When it first has something to do on its own, as it was loaded; in the story's time. */
  nextDue: number | undefined
}

export const placedTwin = (row: TwinRow, isolate: Isolate, model: AnyTwin): PlacedTwin => ({
  id: row.id,
  organizationId: row.organization_id,
  worldId: row.world_id,
  service: row.service,
  epoch: row.epoch,
  stream: row.clock_id ?? row.id,
  lost: false,
  isolate,
  model,
  row,
  loading: undefined,
  unsavedWrites: 0,
  isSaving: false,
  usedAt: 0,
  writes: 0,
  nextDue: undefined,
})

export const factsOf = (row: TwinRow): TwinFacts => ({
  id: row.id,
  service: row.service,
  epoch: row.epoch,
  principals: row.principals,
  seedSha256: row.seed_sha256,
  seededAt: row.seeded_at.getTime(),
})
