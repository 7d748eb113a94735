import type { WorldEventBlueprint } from '@diorama/contract/blueprint/moving'
import type { AddedEvent } from '../clock/clock-store.ts'
import type { Agenda } from '../clock/order/agenda.ts'
import type { StoredScript } from '../clock/script.ts'
import type { EventProgress } from '../clock/world-clock.ts'
import type { Planned } from './planned.ts'
import type { Plot } from './plot.ts'

/** How far each event has come. */
export const progressOf = (
  definitions: Iterable<WorldEventBlueprint>,
  agenda: Agenda<Planned>,
  plot: Plot,
): EventProgress[] => {
  const next = new Map<string, number>()
  for (const { event = '', at } of agenda.all()) next.set(event, Math.min(at, next.get(event) ?? at))
  const fires = new Map(plot.events().map(({ event, fired }) => [event.key, fired]))
  return [...definitions].map((definition) => ({
    definition,
    fired: fires.get(definition.key) ?? 0,
    nextAt: next.get(definition.key),
  }))
}

/** The events of the blueprint and those that were added, by key. */
export const definitionsOf = ({
  script,
  added,
}: {
  readonly script: StoredScript
  readonly added: readonly AddedEvent[]
}): Map<string, WorldEventBlueprint> =>
  new Map([...script.events, ...added.map(({ definition }) => definition)].map((event) => [event.key, event]))
