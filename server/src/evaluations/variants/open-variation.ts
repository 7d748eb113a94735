import type { Variant } from '@diorama/contract'
import { openAttack } from './attacks/attacks.ts'
import { openClaims } from './claims.ts'
import { createFaults } from './faults.ts'
import { openDrift, openNoise } from './noise.ts'
import { openPermissions } from './permissions.ts'
import { nothingFound, type Variation, type VariationStage, type VariationTable } from './variation.ts'

const variations: VariationTable = {
  faults: async ({ seed }) => ({ faults: createFaults(seed), setup: {}, report: () => nothingFound }),
  noise: openNoise,
  attacks: openAttack,
  permissions: openPermissions,
  claims: openClaims,
  drift: openDrift,
}

/** Prepares the variant of a trial; undefined for a plain one. */
export const openVariation = (
  variant: Variant | null,
  stage: VariationStage,
): Promise<Variation> | undefined => (variant === null ? undefined : variations[variant](stage))
