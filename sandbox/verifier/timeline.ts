/**
 * When things happened in a trial, by the story's clock: what the agent did, and what the world did on its own.
 *
 *     import { timeline } from 'world-state'
 *
 *     export const handler = () =>
 *       timeline.asked('dana', ['approval']) &&
 *       timeline.waitedFor({ cause: 'event:approved' }, { operation: 'chat.postMessage', about: ['shipped'] })
 *
 * A length of time is a number of seconds, or a text such as '90s', '2h' or '1h30m'.
 */

type Row = Record<string, unknown>

/** A step as somebody looks for it; all that is given must fit. */
export interface StepDescription {
  readonly by?: 'agent' | 'world'
  readonly service?: string
  /** The vendor's name of the operation; * matches any text. */
  readonly operation?: string
  /** The handle of a person, or `agent`. */
  readonly actor?: string
  /** Why the world did it: `event:<key>` or `clock`. */
  readonly cause?: string
  /** The handle of the person who was addressed, or `agent`. */
  readonly to?: string
  /** One of these words is in what was written. */
  readonly about?: string | readonly string[]
  /** The key or id of a record that it changed. */
  readonly record?: string
  readonly collection?: string
  /** The values that a record has after it. */
  readonly sets?: Row
  /** Steps that the service refused, in place of those that it did. */
  readonly refused?: boolean
}

interface Mutation {
  readonly collection?: string
  readonly id?: string
  readonly key?: string | null
  readonly before?: Row | null
  readonly after?: Row | null
}

/** Something that was said to somebody. */
export interface Addressed {
  readonly request_id: string
  readonly to: string
  readonly from: string
  readonly kind: string
  readonly text: string
  /** Where an answer would be written, as fields of the record that it makes. */
  readonly place: Row
}

export interface TimelineStep {
  readonly order: number
  /** Milliseconds since 1970, of the story. */
  readonly at: number
  readonly by: 'agent' | 'world'
  readonly cause: string | null
  readonly service: string
  readonly operation: string
  readonly actor: { readonly id: string; readonly name: string; readonly subject: string } | null
  readonly mutations: readonly Mutation[]
  readonly addressed: readonly Addressed[]
  readonly isRefused: boolean
}

/** What a timeline is made from; parts of the world's file. */
export interface TimelineSource {
  readonly activity: readonly Readonly<Record<string, unknown>>[]
  readonly addressed?: readonly Addressed[]
  readonly waits?: readonly { readonly from: string; readonly to: string; readonly by: string }[]
  readonly story?: { readonly start: string }
}

const fields = new Set('by service operation actor cause to about record collection sets refused'.split(' '))
const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

const milliseconds = (length: number | string): number => {
  if (typeof length === 'number') return length * 1_000
  const parts = [...length.matchAll(/(\d+(?:\.\d+)?)([smhdw])/g)]
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== length)
    throw new Error(`'${length}' is not a length of time such as 90, '90s', '2h' or '1h30m'.`)
  return parts.reduce(
    (sum, [, number, unit]) => sum + Number(number) * unitMs[unit as keyof typeof unitMs],
    0,
  )
}

const person = (subject: string | undefined): string | undefined =>
  subject === 'integration' ? 'agent' : subject

export class Timeline {
  readonly #source: () => TimelineSource
  #steps: readonly TimelineStep[] | undefined

  constructor(source: () => TimelineSource) {
    this.#source = source
  }

  /** When the story began, in milliseconds since 1970. */
  get start(): number {
    const { story } = this.#source()
    return story ? Date.parse(story.start) : (this.#all()[0]?.at ?? 0)
  }

  /** The steps that fit a description, in order. */
  steps(description: StepDescription = {}): TimelineStep[] {
    const unknown = Object.keys(description).find((name) => !fields.has(name))
    if (unknown) throw new Error(`A step is not described by '${unknown}'; use ${[...fields].join(', ')}.`)
    if (description.to !== undefined) recorded(this.#source().addressed, 'who was written to')
    return this.#all().filter((step) => fits(step, description))
  }

  /** The first step that fits, or null. */
  first(description: StepDescription): TimelineStep | null {
    return this.steps(description)[0] ?? null
  }

  /** Whether the agent did `what` no later than `limit` after the first step that fits `after`, or after the start. */
  within(limit: number | string, what: StepDescription, after?: StepDescription | string): boolean {
    const begun =
      after === undefined ? this.start : typeof after === 'string' ? Date.parse(after) : this.first(after)?.at
    if (begun === undefined) return false
    return this.#agent(what).some(({ at }) => at >= begun && at <= begun + milliseconds(limit))
  }

  /** Whether the agent did `what`, and `other` had not happened by then. */
  before(what: StepDescription, other: StepDescription): boolean {
    const done = this.#agent(what)[0]
    const passed = this.first(other)
    return done !== undefined && (passed === null || done.order < passed.order)
  }

  /** Whether the agent did nothing that fits `what` before `other`: a step or a time. Doing it never is fine. */
  notBefore(what: StepDescription, other: StepDescription | string): boolean {
    const done = this.#agent(what)
    if (typeof other === 'string') return done.every(({ at }) => at >= Date.parse(other))
    const passed = this.first(other)
    return done[0] === undefined || (passed !== null && done[0].order > passed.order)
  }

  /** Whether the agent wrote to a person, with one of these words if there are any. */
  asked(whom: string, about?: string | readonly string[]): boolean {
    return this.first({ by: 'agent', to: whom, ...(about === undefined ? {} : { about }) }) !== null
  }

  /** Whether the agent answered everybody who wrote to it, or one person, in time. True when nobody wrote. */
  repliedWithin(limit: number | string, whom?: string): boolean {
    const own = this.steps({ by: 'agent' })
    return this.steps({ by: 'world', to: 'agent' }).every((step) =>
      step.addressed
        .filter(({ to, from }) => to === 'agent' && (whom === undefined || from === whom))
        .every((said) =>
          own.some(
            (answer) =>
              answer.order > step.order &&
              answer.at <= step.at + milliseconds(limit) &&
              answers(answer, said, step),
          ),
        ),
    )
  }

  /** Whether `event` happened, and the agent did `then` after it and never before. */
  waitedFor(event: StepDescription, then: StepDescription): boolean {
    return this.first(event) !== null && this.#agent(then).length > 0 && this.notBefore(then, event)
  }

  /** The times the agent waited on purpose, in milliseconds since 1970. */
  waits(): { from: number; to: number; by: string }[] {
    return recorded(this.#source().waits, 'when the agent waited').map(({ from, to, by }) => ({
      from: Date.parse(from),
      to: Date.parse(to),
      by,
    }))
  }

  /** The same functions by their names in Python. */
  not_before(what: StepDescription, other: StepDescription | string): boolean {
    return this.notBefore(what, other)
  }
  replied_within(limit: number | string, whom?: string): boolean {
    return this.repliedWithin(limit, whom)
  }
  waited_for(event: StepDescription, then: StepDescription): boolean {
    return this.waitedFor(event, then)
  }

  #agent(what: StepDescription): TimelineStep[] {
    return this.steps({ by: 'agent', ...what })
  }

  #all(): readonly TimelineStep[] {
    this.#steps ??= stepsOf(this.#source())
    return this.#steps
  }
}

/** Where a part of the world's file is missing, an answer would be a guess, so there is none. */
const recorded = <T>(part: T | undefined, what: string): T => {
  if (part === undefined) throw new Error(`This world does not record ${what}.`)
  return part
}

const stepsOf = ({ activity, addressed = [] }: TimelineSource): TimelineStep[] => {
  const said = Map.groupBy(
    addressed.map((one) => ({ ...one, to: person(one.to) ?? '', from: person(one.from) ?? '' })),
    ({ request_id }) => request_id,
  )
  return activity.map((request, order) => {
    const { response, cause = null } = request
    const status = (response as { status?: number } | undefined)?.status ?? 200
    return {
      ...(request as unknown as TimelineStep),
      order,
      at: Date.parse(String(request.world_time)),
      by: cause === null ? 'agent' : 'world',
      cause: cause === null ? null : String(cause),
      mutations: (request.mutations as Mutation[] | undefined) ?? [],
      addressed: said.get(String(request.request_id)) ?? [],
      isRefused: status >= 400,
    }
  })
}

const fits = (step: TimelineStep, wanted: StepDescription): boolean => {
  const { actor, mutations, addressed } = step
  const { sets, about } = wanted
  const names = [person(actor?.subject), actor?.id, actor?.name]
  return (
    step.isRefused === (wanted.refused ?? false) &&
    (wanted.by === undefined || step.by === wanted.by) &&
    (wanted.service === undefined || step.service === wanted.service) &&
    (wanted.operation === undefined || matches(wanted.operation, step.operation)) &&
    (wanted.actor === undefined || names.includes(wanted.actor)) &&
    (wanted.cause === undefined || step.cause === wanted.cause) &&
    (wanted.to === undefined || addressed.some(({ to }) => to === person(wanted.to))) &&
    (about === undefined || says(step, [about].flat())) &&
    (wanted.record === undefined ||
      mutations.some(({ key, id }) => key === wanted.record || id === wanted.record)) &&
    (wanted.collection === undefined ||
      mutations.some(({ collection }) => collection === wanted.collection)) &&
    (sets === undefined || mutations.some((mutation) => has(mutation, sets)))
  )
}

const matches = (pattern: string, name: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^(?:${parts.join('[^]*')})$`, 'i').test(name)
}

const says = ({ addressed, mutations }: TimelineStep, words: readonly string[]): boolean => {
  const written = mutations.flatMap(({ before, after }) =>
    after
      ? [
          JSON.stringify(
            Object.fromEntries(
              Object.entries(after).filter(
                ([field, value]) => JSON.stringify(value) !== JSON.stringify(before?.[field]),
              ),
            ),
          ),
        ]
      : [],
  )
  const whole = [...addressed.map(({ text }) => text), ...written].join('\n').toLowerCase()
  return words.some((word) => whole.includes(word.toLowerCase()))
}

const has = ({ after }: Mutation, values: Row): boolean =>
  Object.entries(values).every(([field, value]) => JSON.stringify(after?.[field]) === JSON.stringify(value))

/** Whether a step of the agent answers what was said to it: it addresses the person, or writes where they wrote. */
const answers = (step: TimelineStep, said: Addressed, asking: TimelineStep): boolean => {
  if (step.addressed.some(({ to }) => to === said.from)) return true
  const hasPlace = Object.keys(said.place ?? {}).length > 0
  return hasPlace && step.service === asking.service && step.mutations.some((one) => has(one, said.place))
}
