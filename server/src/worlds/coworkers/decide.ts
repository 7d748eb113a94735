import type { CoworkerApproval, CoworkerBlueprint, CoworkerFact } from '@diorama/contract/blueprint/coworkers'
import type { Notice } from '@diorama/twin-kit/kernel/twin'
import { countMentions } from '../events/words.ts'
import { amountIn } from './amount.ts'

/** What somebody makes of what they were asked. */
export interface Decision {
  readonly says: readonly string[]
  readonly approves?: CoworkerApproval
  /** A plain yes or no, for which a button can be pressed as well. */
  readonly answers?: 'yes' | 'no'
  /** The request goes on to the person that this one escalates to. */
  readonly passesOn?: boolean
  /** A fact that was given wrongly, by its place in the list. */
  readonly corrects?: number
}

/** What somebody remembers of earlier answers. */
export interface Memory {
  /** Whether this person has answered anybody yet. */
  readonly hasAnswered: boolean
  readonly isCorrected: (fact: number) => boolean
}

export interface Asked {
  readonly coworker: CoworkerBlueprint
  readonly notice: Notice
  /** The handle of the asker, or `agent`. */
  readonly from: string
  readonly memory: Memory
  /** Everybody who could be named instead. */
  readonly others: readonly CoworkerBlueprint[]
  readonly nameOf: (handle: string) => string
  /** Asked by a colleague who could not decide: an answer that there is no answer is useless. */
  readonly isPassedOn?: boolean
}

/** Decides by words alone, so that the same question gets the same answer. Undefined where the person says nothing. */
export const decide = (asked: Asked): Decision | undefined => {
  const { coworker, notice } = asked
  const volunteered = asked.memory.hasAnswered
    ? []
    : coworker.knows.filter(({ tell }) => tell === 'always').map(({ fact }) => fact)
  const approval = best(coworker.approvals, notice.text)
  const fact = best(coworker.knows, notice.text)
  if (approval.found && approval.score >= fact.score)
    return withMore(approve(asked, approval.found), volunteered)
  if (fact.tied.length > 1 && fact.found)
    return withMore(
      { says: [`Do you mean ${listed(fact.tied.map((one) => topicOf(one, fact.tied)))}?`] },
      volunteered,
    )
  if (fact.found) return withMore(tell(asked, fact.found), volunteered)
  // Somebody who was given something to do, or reads along, answers only what they know something about.
  if (notice.kind === 'assignment' || notice.kind === 'comment')
    return volunteered.length > 0 ? { says: volunteered } : undefined
  return volunteered.length > 0 ? { says: volunteered } : { says: [referral(asked)] }
}

const withMore = (decision: Decision, volunteered: readonly string[]): Decision => ({
  ...decision,
  says: [...decision.says, ...volunteered.filter((fact) => !decision.says.includes(fact))],
})

interface Best<Item> {
  readonly found: Item | undefined
  readonly tied: readonly Item[]
  readonly score: number
}

const best = <Item extends { readonly about: readonly string[] }>(
  items: readonly Item[],
  text: string,
): Best<Item> => {
  const scored = items.map((item) => ({ item, score: countMentions(text, item.about) }))
  const score = Math.max(0, ...scored.map((one) => one.score))
  const tied = score === 0 ? [] : scored.filter((one) => one.score === score).map(({ item }) => item)
  return { found: tied[0], tied, score }
}

const approve = ({ coworker, notice, nameOf }: Asked, approval: CoworkerApproval): Decision => {
  if (approval.below !== null) {
    const amount = amountIn(notice.text)
    if (amount === undefined) return { says: ['What is the amount?'] }
    if (amount >= approval.below) {
      if (approval.otherwise === 'refuse' || coworker.escalatesTo === null)
        return { says: [approval.no], answers: 'no' }
      return {
        says: [`That is more than I can approve. I have passed it on to ${nameOf(coworker.escalatesTo)}.`],
        passesOn: true,
      }
    }
  }
  return { says: [approval.yes], approves: approval, answers: 'yes' }
}

const tell = ({ coworker, from, memory }: Asked, fact: CoworkerFact): Decision => {
  if (fact.tell === 'never' || (fact.tell === 'only_to' && !fact.to.includes(from)))
    return { says: ['I cannot tell you that.'] }
  const place = coworker.knows.indexOf(fact)
  if (fact.first === null || memory.isCorrected(place)) return { says: [fact.fact] }
  return { says: [fact.first], corrects: place }
}

/** Nobody invents an answer: the colleague who knows is named, or the person who is next. */
const referral = ({ coworker, notice, others, nameOf }: Asked): string => {
  const knows = others.find(
    (other) =>
      other.person !== coworker.person &&
      [...other.knows.filter(({ tell }) => tell !== 'never'), ...other.approvals].some(
        ({ about }) => countMentions(notice.text, about) > 0,
      ),
  )
  const next = knows?.person ?? coworker.escalatesTo
  return next === null ? 'I do not know.' : `I do not know. Ask ${nameOf(next)}.`
}

/** What sets a fact apart from the others that would fit. */
const topicOf = ({ about }: CoworkerFact, tied: readonly CoworkerFact[]): string =>
  about.find((phrase) => tied.filter((one) => one.about.includes(phrase)).length === 1) ?? about[0] ?? ''

const listed = (names: readonly string[]): string =>
  `${names.slice(0, -1).join(', ')}${names.length > 1 ? ' or ' : ''}${names.at(-1) ?? ''}`
