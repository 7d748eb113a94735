import type { Company, Seeding } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import type { SalesArea } from '../rules/partner-values.ts'
import type { ErpSection } from '../section.ts'

/** What the parts of a seed share. */
export interface SeedContext {
  readonly section: ErpSection
  readonly company: Company
  readonly seeding: Seeding
  readonly areas: readonly [SalesArea, ...SalesArea[]]
  /** Keeps an entity, in the same form as a change would. */
  readonly keep: (set: string, values: EdmValues) => EdmRow
  /** How much of a quantity the stated stock covers for an order; it is promised to that order from then on. */
  readonly promise: (material: string, order: EdmRow, quantity: string) => string
  /** The user who is said to have made everything that was there before. */
  readonly author: string
}
