import { type ErrorDetail, WorldBlueprint } from '@diorama/contract'
import { fitFields, type UnknownField } from '@diorama/contract/fields'
import { limitFaults } from '@diorama/contract/limits'
import { companyOf } from '@diorama/twin-kit/kernel/company'
import { createFindings, findingsBelow } from '@diorama/twin-kit/kernel/findings'
import type { AnyManifest } from '@diorama/twin-kit/kernel/manifest'
import { type CompiledSeed, compileSeed } from '@diorama/twin-kit/kernel/seed'
import { installed } from '@diorama/twins/installed'
import { shapeDetails } from '../http/parse.ts'
import type { Registry } from '../twins/registry.ts'
import { checkCoworkers } from './rules/coworkers.ts'
import { checkEvents } from './rules/events.ts'
import { checkPeople } from './rules/people.ts'
import { checkScenario } from './rules/scenario.ts'

export interface Compiled {
  readonly seeds: readonly CompiledSeed[]
  readonly warnings: readonly string[]
}

/** Every fault of meaning, not only the first; empty when the blueprint makes sense. */
export const checkBlueprint = (
  blueprint: WorldBlueprint,
  registry: Registry,
): { errors: ErrorDetail[]; warnings: ErrorDetail[] } => {
  const findings = createFindings()
  findings.errors.push(...limitFaults(WorldBlueprint, blueprint))
  checkPeople(blueprint, findings)
  checkScenario(blueprint, findings)
  checkEvents(
    { events: blueprint.scenario.events, at: (n) => `/scenario/events/${n}` },
    { blueprint, registry, findings },
  )
  checkCoworkers({ blueprint, registry, findings })
  const handles = new Set(blueprint.identities.map(({ handle }) => handle))
  const present = sectionsOf(blueprint)
  for (const { manifest, section } of present) {
    const below = findingsBelow(`/twins/${manifest.kind}`, findings)
    manifest.check(section, { findings: below, handles, clock: blueprint.clock })
  }
  if (present.length === 0) findings.warn('/twins', 'has no section; the world has no twin')
  return { errors: findings.errors, warnings: findings.warnings }
}

/** The sections that a blueprint has, in the order of the installed kinds. */
const sectionsOf = ({ twins }: WorldBlueprint): { manifest: AnyManifest; section: unknown }[] =>
  installed.flatMap((manifest) => {
    const section = twins[manifest.kind]
    return section === null ? [] : [{ manifest, section }]
  })

/** Blueprint to frozen seeds: one for each section, in the order of the kinds. */
export const compileBlueprint = (blueprint: WorldBlueprint, registry: Registry): CompiledSeed[] => {
  const company = companyOf(blueprint)
  return sectionsOf(blueprint).map(({ manifest: { kind }, section }) => {
    const twin = registry.find(kind)?.twin
    if (!twin) throw new Error(`the service ${kind} is not available`)
    return compileSeed(twin, section, company)
  })
}

/** A twin knows its own section alone; a warning is shown with its place in the blueprint. */
export const seedWarnings = ({ seed, warnings }: CompiledSeed): ErrorDetail[] =>
  warnings.map(({ pointer, message }) => ({ pointer: `/twins/${seed.kind}${pointer}`, message }))

/** One sentence a warning, with its place in front. */
export const warningText = ({ pointer, message }: ErrorDetail): string => `${pointer} ${message}.`

export const unknownWarning = ({ pointer, nearest }: UnknownField): string =>
  nearest
    ? `${pointer} is not a known field and is ignored; did you mean ${nearest}?`
    : `${pointer} is not a known field and is ignored.`

export interface Examined {
  readonly blueprint: WorldBlueprint | undefined
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly string[]
}

/** Shape and meaning of something that may be a blueprint, without launching it. */
export const examine = (sent: unknown, registry: Registry): Examined => {
  const { value, unknown } = fitFields(WorldBlueprint, sent)
  const parsed = WorldBlueprint.safeParse(value)
  const ignored = unknown.map(unknownWarning)
  if (!parsed.success)
    return { blueprint: undefined, errors: shapeDetails(parsed.error, ''), warnings: ignored }
  const { errors, warnings } = checkBlueprint(parsed.data, registry)
  return { blueprint: parsed.data, errors, warnings: [...ignored, ...warnings.map(warningText)] }
}
