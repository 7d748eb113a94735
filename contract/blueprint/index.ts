import { installed } from '@diorama/twins/installed'
import { z } from 'zod'
import { kindSpellings } from '../kinds.ts'
import { IdentityBlueprint, OrganizationBlueprint } from './people.ts'
import { ScenarioBlueprint } from './scenario.ts'

type Installed = (typeof installed)[number]
type Sections = {
  [Kind in Installed['kind']]: z.ZodDefault<z.ZodNullable<Extract<Installed, { kind: Kind }>['section']>>
}

/** One optional section for each installed kind. */
const sections = Object.fromEntries(
  installed.map(({ kind, section }) => [kind, z.nullable(section).default(null)]),
) as unknown as Sections

export const TwinsBlueprint = z.object(sections).meta({
  id: 'TwinsBlueprint',
  aliases: kindSpellings,
  description:
    'Each section that is present becomes a twin of the world; one that is absent or null does not.',
})
export type TwinsBlueprint = z.infer<typeof TwinsBlueprint>

/** Everything a world is made of. */
export const WorldBlueprint = z
  .object({
    name: z.string().meta({ minLength: 1, maxLength: 120 }),
    summary: z.string(),
    clock: z.string().meta({ format: 'date-time', description: "The world's time when it is launched." }),
    organization: OrganizationBlueprint,
    identities: z.array(IdentityBlueprint).meta({ minItems: 3, maxItems: 8 }),
    scenario: ScenarioBlueprint,
    twins: TwinsBlueprint,
  })
  .meta({ id: 'WorldBlueprint' })
export type WorldBlueprint = z.infer<typeof WorldBlueprint>
export type WorldBlueprintInput = z.input<typeof WorldBlueprint>
