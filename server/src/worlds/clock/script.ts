import { WorldBlueprint } from '@diorama/contract'
import type { CoworkerBlueprint } from '@diorama/contract/blueprint/coworkers'
import {
  type ClockMode,
  type EventCondition,
  TimeBlueprint,
  type WorldEventBlueprint,
} from '@diorama/contract/blueprint/moving'
import { durationMs } from '@diorama/contract/durations'

/** The parts of a blueprint by which a world moves, as they are kept with its clock. */
export interface StoredScript {
  readonly time: TimeBlueprint
  readonly events: readonly WorldEventBlueprint[]
  /** The handle of the person whose account the agent acts as. */
  readonly agent: string
  /** Absent in clocks that are older than coworkers. */
  readonly coworkers?: readonly CoworkerBlueprint[]
  readonly people?: readonly ScriptPerson[]
}

/** A person of the company, as far as what they do on their own depends on it. */
export interface ScriptPerson {
  readonly handle: string
  readonly name: string
  readonly title: string
  readonly timezone: string
}

/** An event with its times in milliseconds. */
export interface ScriptEvent {
  readonly key: string
  readonly at: number | undefined
  readonly after: readonly string[]
  readonly when: EventCondition | null
  readonly delayMs: number
  readonly everyMs: number | undefined
  readonly until: number
  readonly times: number
  readonly actions: readonly ServiceAction[]
}

/** Something that a person does in a service. */
export interface ServiceAction {
  readonly service: string
  readonly as: string
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
}

export const plainTime: TimeBlueprint = TimeBlueprint.parse({})

export const scriptOf = ({ scenario, identities }: WorldBlueprint): StoredScript => ({
  time: scenario.time ?? plainTime,
  events: scenario.events,
  agent: (identities.find(({ isApiOwner }) => isApiOwner) ?? identities[0])?.handle ?? '',
  coworkers: scenario.coworkers,
  people: identities.map(({ handle, firstName, lastName, title, timezone }) => ({
    handle,
    name: `${firstName} ${lastName}`,
    title,
    timezone,
  })),
})

/** The script of what a world's record holds: of a world that was made of rows, an empty one. */
export const scriptFrom = (stored: unknown): StoredScript => {
  const { data } = WorldBlueprint.safeParse(stored)
  return data ? scriptOf(data) : { time: plainTime, events: [], agent: '' }
}

/** Whether the blueprint says anything of how the world moves. */
export const moves = ({ scenario }: WorldBlueprint): boolean =>
  scenario.time !== null || scenario.events.length > 0 || scenario.coworkers.length > 0

/** The default mode of a world's clock: story time in trials. */
export const modeOf = (time: Pick<TimeBlueprint, 'mode'>, isTrial: boolean): ClockMode =>
  time.mode ?? (isTrial ? 'story' : 'wall')

/** A moment, or a time after the start. */
export const momentOf = (text: string, startsAt: number): number => {
  const after = durationMs(text)
  return after === undefined ? Date.parse(text) : startsAt + after
}

export const lengthOf = (text: string | null): number => (text === null ? 0 : (durationMs(text) ?? 0))

export const scriptEvent = (event: WorldEventBlueprint, startsAt: number): ScriptEvent => ({
  key: event.key,
  at: event.at === null ? undefined : momentOf(event.at, startsAt),
  after: event.after,
  when: event.when,
  delayMs: lengthOf(event.delay),
  everyMs: event.every === null ? undefined : lengthOf(event.every),
  until: event.until === null ? Number.POSITIVE_INFINITY : momentOf(event.until, startsAt),
  times: event.times,
  actions: event.do.map(({ service, operation, input, as }) => ({
    service,
    operation,
    input,
    as: as ?? event.as,
  })),
})

/** What a request costs in story mode. */
export const costOf = (time: TimeBlueprint): ((operation: string) => number) => {
  const usual = lengthOf(time.requestCost)
  const costs = new Map(Object.entries(time.operationCosts).map(([name, cost]) => [name, lengthOf(cost)]))
  return (operation) => costs.get(operation) ?? usual
}
