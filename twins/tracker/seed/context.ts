import type { Company, Seeding } from '@diorama/twin-kit/kernel/twin'
import type { TrackerSection } from '../section.ts'
import { iso } from '../values/times.ts'

/** What the parts of a seed need of each other. */
export interface SeedContext {
  readonly seeding: Seeding
  readonly section: TrackerSection
  readonly company: Company
  /** When the workspace was made: well before anything in the blueprint. */
  readonly start: number
  readonly id: (type: string, ...parts: readonly string[]) => string
  readonly userId: (handle: string) => string
}

/** The fields that every record has. */
export const stamps = (at: number, changed = at) => ({
  createdAt: iso(at),
  updatedAt: iso(changed),
  archivedAt: null,
})
