import { z } from 'zod'
import { kindSpellings } from '../kinds.ts'
import { ChatSection } from './chat.ts'
import { CrmSection } from './crm.ts'
import { ErpSection } from './erp.ts'
import { IdentityBlueprint, OrganizationBlueprint } from './people.ts'
import { ScenarioBlueprint } from './scenario.ts'
import { TrackerSection } from './tracker.ts'

export const TwinsBlueprint = z
  .object({
    chat: ChatSection.nullable().default(null),
    tracker: TrackerSection.nullable().default(null),
    crm: CrmSection.nullable().default(null),
    erp: ErpSection.nullable().default(null),
  })
  .meta({
    id: 'TwinsBlueprint',
    aliases: kindSpellings,
    description: 'A section that is present is forged; an absent or null one is not.',
  })
export type TwinsBlueprint = z.infer<typeof TwinsBlueprint>

/** Everything a world is made of. */
export const WorldBlueprint = z
  .object({
    name: z.string().meta({ minLength: 1, maxLength: 120 }),
    summary: z.string(),
    clock: z.string().meta({ format: 'date-time', description: "The story's now." }),
    organization: OrganizationBlueprint,
    identities: z.array(IdentityBlueprint).meta({ minItems: 3, maxItems: 8 }),
    scenario: ScenarioBlueprint,
    twins: TwinsBlueprint,
  })
  .meta({ id: 'WorldBlueprint' })
export type WorldBlueprint = z.infer<typeof WorldBlueprint>
export type WorldBlueprintInput = z.input<typeof WorldBlueprint>
