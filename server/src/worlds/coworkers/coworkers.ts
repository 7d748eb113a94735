import type { CoworkerBlueprint } from '@diorama/contract/blueprint/coworkers'
import { type Acts, integration, type Notice } from '@diorama/twin-kit/kernel/twin'
import { lengthOf, type ServiceAction, type StoredScript } from '../clock/script.ts'
import type { Planned, SeenStep, Speech } from '../events/planned.ts'
import { type Decision, decide } from './decide.ts'
import { withinHours } from './hours.ts'
import { buttonFor } from './press.ts'
import { spoken } from './worded.ts'

/** The people who answer on their own. They decide when they are addressed, and do it when their answer is due. */
export interface Coworkers {
  readonly observe: (step: SeenStep) => Planned[]
  readonly isEmpty: boolean
  /** Takes up again what a recorded step had set in motion. */
  readonly recall: (item: Planned) => void
}

/** How the services of the world are answered in. */
export type ActsOf = (service: string) => Acts | undefined

interface Memory {
  plans: number
  hasAnswered: boolean
  hasAsked: boolean
  /** When a fact that was given wrongly is corrected. */
  readonly corrections: Map<number, number>
  /** What was said to the person and by them, for a model that plays them. */
  readonly lines: string[]
}

/** Somebody is to say something somewhere. */
interface Saying {
  readonly coworker: CoworkerBlueprint
  readonly step: SeenStep
  readonly notice: Notice
  readonly at: number
  readonly says: readonly string[]
  /** Where the answer is a plain yes or no, a button that says so is pressed instead. */
  readonly answers?: 'yes' | 'no' | undefined
  readonly actions?: readonly ServiceAction[]
  readonly marks?: readonly string[]
  /** The asker is written to, and not answered where they asked: the person may not be there. */
  readonly isPassedOn?: boolean
}

const maxLines = 20

export const createCoworkers = (script: StoredScript, actsOf: ActsOf): Coworkers => {
  const people = new Map((script.people ?? []).map((person) => [person.handle, person]))
  const coworkers = new Map((script.coworkers ?? []).map((coworker) => [coworker.person, coworker]))
  const memories = new Map<string, Memory>()
  const nameOf = (handle: string): string => people.get(handle)?.name ?? handle

  const memoryOf = (person: string): Memory => {
    const known = memories.get(person)
    if (known) return known
    const made: Memory = {
      plans: 0,
      hasAnswered: false,
      hasAsked: false,
      corrections: new Map(),
      lines: [],
    }
    memories.set(person, made)
    return made
  }

  const dueAt = ({ person, hours, replyDelay }: CoworkerBlueprint, from: number): number =>
    withinHours(from + lengthOf(replyDelay), hours, people.get(person)?.timezone ?? 'UTC')

  const plan = ({
    coworker,
    step,
    notice,
    at,
    says,
    answers,
    isPassedOn = false,
    ...more
  }: Saying): Planned[] => {
    const { person } = coworker
    const acts = actsOf(step.service)
    const text = coworker.model ? spoken : says.join('\n')
    const to = isAgent(notice.from, script) ? integration : notice.from
    const button = answers && !isPassedOn ? buttonFor(answers, notice.buttons ?? []) : undefined
    const pressed = button && acts?.press?.(notice, button)
    const said =
      (pressed && [pressed]) ??
      (isPassedOn ? acts?.write?.(to, text) : undefined) ??
      [acts?.answer?.(notice, text)].filter((one) => !!one)
    const actions = [
      ...(more.actions ?? []),
      ...said.map((act) => ({ ...act, service: step.service, as: person })),
    ]
    if (actions.length === 0) return []
    const memory = memoryOf(person)
    const planned: Planned = {
      at,
      key: `coworker:${person}`,
      name: `coworker:${person}/${memory.plans + 1}`,
      cause: `coworker:${person}`,
      depth: step.depth + 1,
      actions,
      coworker: { person, marks: more.marks ?? [] },
      ...(coworker.model && !pressed ? { speech: speechOf(coworker, memory, says) } : {}),
    }
    note(planned)
    memory.lines.push(`${nameOf(person)}: ${says.join(' ')}`)
    return [planned]
  }

  const speechOf = (
    { person, manner, model }: CoworkerBlueprint,
    { lines }: Memory,
    says: readonly string[],
  ): Speech => ({
    person,
    name: nameOf(person),
    title: people.get(person)?.title ?? '',
    manner,
    model: model ?? { provider: '', id: '' },
    conversation: lines.slice(-maxLines),
    says,
  })

  /** What is remembered of an answer is in its plan, so that it is known again after a restart. */
  const note = ({ coworker, at, speech }: Planned): void => {
    if (!coworker) return
    const memory = memoryOf(coworker.person)
    memory.plans++
    memory.hasAnswered = true
    if (speech && memory.lines.length === 0) memory.lines.push(...speech.conversation)
    for (const mark of coworker.marks) {
      if (mark === 'asks') memory.hasAsked = true
      const [kind, place] = mark.split(':')
      if (kind === 'corrects') memory.corrections.set(Number(place), at)
    }
  }

  const answer = (
    coworker: CoworkerBlueprint,
    step: SeenStep,
    notice: Notice,
    isPassedOn = false,
  ): Planned[] => {
    const { person } = coworker
    const memory = memoryOf(person)
    const from = isAgent(notice.from, script) ? 'agent' : notice.from
    memory.lines.push(`${from === 'agent' ? 'Asker' : nameOf(from)}: ${notice.text}`)
    const decision = decide({
      coworker,
      notice,
      from,
      nameOf,
      isPassedOn,
      others: [...coworkers.values()],
      memory: {
        hasAnswered: memory.hasAnswered,
        isCorrected: (fact) => (memory.corrections.get(fact) ?? Number.POSITIVE_INFINITY) <= step.at,
      },
    })
    if (!decision) return []
    const at = dueAt(coworker, step.at)
    const actions = (decision.approves?.do ?? []).map(({ as, ...action }) => ({
      ...action,
      as: as ?? person,
    }))
    const saying = { coworker, step, notice, isPassedOn }
    return [
      ...plan({ ...saying, at, says: decision.says, answers: decision.answers, actions }),
      ...corrections(saying, decision, at),
      ...wishes(saying, memory, at),
      ...passedOn(coworker, step, notice, decision, at),
    ]
  }

  type Place = Pick<Saying, 'coworker' | 'step' | 'notice' | 'isPassedOn'>

  const corrections = (saying: Place, { corrects }: Decision, at: number): Planned[] => {
    const fact = corrects === undefined ? undefined : saying.coworker.knows[corrects]
    if (!fact || fact.correctsAfter === null) return []
    const memory = memoryOf(saying.coworker.person)
    if (corrects !== undefined && memory.corrections.has(corrects)) return []
    const says = [`I was wrong earlier. ${fact.fact}`]
    return plan({ ...saying, at: at + lengthOf(fact.correctsAfter), says, marks: [`corrects:${corrects}`] })
  }

  const wishes = (saying: Place, memory: Memory, at: number): Planned[] => {
    const { asks } = saying.coworker
    if (!asks || memory.hasAsked) return []
    return plan({ ...saying, at: at + lengthOf(asks.after), says: [asks.text], marks: ['asks'] })
  }

  /** The next person reads it when the first one has passed it on, and takes their own time. */
  const passedOn = (
    { escalatesTo }: CoworkerBlueprint,
    step: SeenStep,
    notice: Notice,
    { passesOn }: Decision,
    at: number,
  ): Planned[] => {
    const next = passesOn && escalatesTo !== null ? coworkers.get(escalatesTo) : undefined
    if (!next || step.depth > coworkers.size) return []
    return answer(next, { ...step, at, depth: step.depth + 1 }, { ...notice, to: next.person }, true)
  }

  return {
    observe: (step) => {
      // Colleagues do not talk to each other without end: what one of them says makes no colleague answer.
      if (coworkers.size === 0 || step.failed || step.cause?.startsWith('coworker:')) return []
      return step.notices.flatMap((notice) => {
        const coworker = coworkers.get(notice.to)
        return coworker ? answer(coworker, step, notice) : []
      })
    },
    isEmpty: coworkers.size === 0,
    recall: note,
  }
}

const isAgent = (subject: string, { agent }: StoredScript): boolean =>
  subject === integration || subject === agent
