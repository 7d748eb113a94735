import { type ErrorDetail, type TwinKind, twinKinds, WorldBlueprint } from '@diorama/contract'
import { fitFields, type UnknownField } from '@diorama/contract/fields'
import { limitFaults } from '@diorama/contract/limits'
import { companyOf } from '@diorama/twins/kernel/company'
import { type CompiledSeed, compileSeed } from '@diorama/twins/kernel/seed'
import { shapeDetails } from '../http/parse.ts'
import type { Registry } from '../twins/registry.ts'
import { checkChat } from './rules/chat.ts'
import { checkCrm } from './rules/crm.ts'
import { checkErp } from './rules/erp.ts'
import { openFindings } from './rules/findings.ts'
import { checkPeople } from './rules/people.ts'
import { checkScenario } from './rules/scenario.ts'
import { checkTracker } from './rules/tracker.ts'

export interface Compiled {
  readonly seeds: readonly CompiledSeed[]
  readonly warnings: readonly string[]
}

/** Every fault of meaning, not only the first; empty when the blueprint makes sense. */
export const checkBlueprint = (
  blueprint: WorldBlueprint,
): { errors: ErrorDetail[]; warnings: ErrorDetail[] } => {
  const findings = openFindings()
  findings.errors.push(...limitFaults(WorldBlueprint, blueprint))
  checkPeople(blueprint, findings)
  checkScenario(blueprint, findings)
  checkChat(blueprint, findings)
  checkTracker(blueprint, findings)
  checkCrm(blueprint, findings)
  checkErp(blueprint, findings)
  if (twinKinds.every((kind) => blueprint.twins[kind] === null))
    findings.warn('/twins', 'has no section; the world has no twin')
  return { errors: findings.errors, warnings: findings.warnings }
}

/** Blueprint to frozen seeds: one for each section, in the order of the kinds. */
export const compileBlueprint = (blueprint: WorldBlueprint, registry: Registry): CompiledSeed[] => {
  const company = companyOf(blueprint)
  return twinKinds.flatMap((kind) => {
    const section = sectionOf(blueprint, kind)
    const twin = registry.find(kind)?.twin
    if (section === null) return []
    if (!twin) throw new Error(`the service ${kind} is not available`)
    return [compileSeed(twin, section, company)]
  })
}

/** Threads are flat: a reply to a reply joins the thread of the first message. */
const sectionOf = ({ twins }: WorldBlueprint, kind: TwinKind): unknown => {
  if (kind !== 'chat' || !twins.chat) return twins[kind]
  const { messages } = twins.chat
  const parents = new Map(
    messages.flatMap(({ key, replyTo }) => (key === null ? [] : [[key, replyTo] as const])),
  )
  const root = (key: string): string => {
    let first = key
    for (let above = parents.get(first), n = 0; above && n < messages.length; above = parents.get(first), n++)
      first = above
    return first
  }
  return {
    ...twins.chat,
    messages: messages.map((message) =>
      message.replyTo === null ? message : { ...message, replyTo: root(message.replyTo) },
    ),
  }
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
export const examine = (sent: unknown): Examined => {
  const { value, unknown } = fitFields(WorldBlueprint, sent)
  const parsed = WorldBlueprint.safeParse(value)
  const ignored = unknown.map(unknownWarning)
  if (!parsed.success)
    return { blueprint: undefined, errors: shapeDetails(parsed.error, ''), warnings: ignored }
  const { errors, warnings } = checkBlueprint(parsed.data)
  return { blueprint: parsed.data, errors, warnings: [...ignored, ...warnings.map(warningText)] }
}
