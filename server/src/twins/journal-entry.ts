import type { Row } from '@diorama/twins/kernel/table'
import type { Principal, Step } from '@diorama/twins/kernel/twin'

/** A step on its way to the database. */
export interface JournalEntry {
  readonly id: string
  readonly seq: number
  readonly at: number
  readonly durationMs: number
  readonly step: Step
  readonly twin: JournalTwin
}

/** What the journal must know of a live twin. `lost` is set when a step failed: none that came after it may be written. */
export interface JournalTwin {
  readonly id: string
  readonly organizationId: string
  readonly worldId: string | null
  readonly service: string
  readonly epoch: number
  readonly principals: readonly Principal[]
  readonly isInternal: (collection: string) => boolean
  /** What people call a record besides its id. */
  readonly namesOf: (collection: string, row: Row) => readonly string[]
  lost: boolean
}
