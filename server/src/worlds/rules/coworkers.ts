import type { CoworkerBlueprint } from '@diorama/contract/blueprint/coworkers'
import { quoted, unique } from '@diorama/twin-kit/kernel/findings'
import { checkActions, checkPerson, type EventContext, hasSection } from './events.ts'

/** Coworkers who make no sense are refused at launch, each fault with its place. */
export const checkCoworkers = (context: EventContext): void => {
  const { blueprint, registry, findings } = context
  const { coworkers } = blueprint.scenario
  const at = (n: number) => `/scenario/coworkers/${n}`
  unique(
    findings,
    coworkers.map(({ person }, n) => ({ name: person, pointer: `${at(n)}/person` })),
    'coworker',
  )
  const answers = registry.models.some(({ twin }) => twin.acts?.answer && hasSection(blueprint, twin.kind))
  coworkers.forEach((coworker, n) => {
    checkPerson(coworker.person, `${at(n)}/person`, context)
    if (coworker.person === agentOf(context))
      findings.error(
        `${at(n)}/person`,
        'is the account that the agent acts as, which cannot answer on its own',
      )
    if (!answers)
      findings.warn(at(n), 'can never be woken: no service of this blueprint tells who was written to')
    checkFacts(coworker, at(n), context)
    checkHours(coworker, at(n), context)
    checkEscalation(coworker, at(n), context)
    coworker.approvals.forEach((approval, m) => {
      checkActions(approval.do, `${at(n)}/approvals/${m}/do`, context)
      if (approval.otherwise === 'escalate' && coworker.escalatesTo === null)
        findings.error(`${at(n)}/approvals/${m}/otherwise`, 'needs escalatesTo to name the next person')
      if (approval.otherwise === 'escalate' && approval.below === null)
        findings.warn(`${at(n)}/approvals/${m}/otherwise`, 'never happens without below')
    })
  })
}

const agentOf = ({ blueprint: { identities } }: EventContext): string | undefined =>
  (identities.find(({ isApiOwner }) => isApiOwner) ?? identities[0])?.handle

const checkFacts = ({ knows }: CoworkerBlueprint, pointer: string, context: EventContext): void => {
  const { findings } = context
  knows.forEach((fact, n) => {
    const place = `${pointer}/knows/${n}`
    if (fact.tell === 'only_to' && fact.to.length === 0)
      findings.error(`${place}/to`, 'must name somebody for only_to')
    if (fact.tell !== 'only_to' && fact.to.length > 0)
      findings.error(`${place}/to`, 'has a meaning only with only_to')
    fact.to.forEach((handle, m) => {
      if (handle !== 'agent') checkPerson(handle, `${place}/to/${m}`, context)
    })
    if (fact.correctsAfter !== null && fact.first === null)
      findings.error(`${place}/correctsAfter`, 'has a meaning only beside first')
  })
}

const checkHours = ({ hours }: CoworkerBlueprint, pointer: string, { findings }: EventContext): void => {
  if (hours && hours.from >= hours.to)
    findings.error(`${pointer}/hours/to`, `must be later than ${quoted(hours.from)}`)
}

/** The person to whom a request is escalated must be a coworker too, and escalation must not lead back. */
const checkEscalation = (
  { person, escalatesTo }: CoworkerBlueprint,
  pointer: string,
  context: EventContext,
): void => {
  const { blueprint, findings } = context
  if (escalatesTo === null) return
  checkPerson(escalatesTo, `${pointer}/escalatesTo`, context)
  const next = new Map(blueprint.scenario.coworkers.map((one) => [one.person, one.escalatesTo]))
  const seen = new Set<string>([person])
  for (let at: string | null | undefined = escalatesTo; at; at = next.get(at)) {
    if (seen.has(at)) {
      findings.error(`${pointer}/escalatesTo`, `leads back to ${quoted(at)}`)
      return
    }
    seen.add(at)
  }
}
