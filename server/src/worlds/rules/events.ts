import type { WorldBlueprint } from '@diorama/contract'
import type { EventCondition, WorldEventBlueprint } from '@diorama/contract/blueprint/moving'
import { durationMs } from '@diorama/contract/durations'
import { isTimestamp } from '@diorama/contract/pages'
import { type Findings, quoted, unique } from '@diorama/twin-kit/kernel/findings'
import { installed } from '@diorama/twins/installed'
import { shortKind } from '../../twins/ledger/ledger-entry.ts'
import type { Registry } from '../../twins/registry.ts'
import { momentOf } from '../clock/script.ts'

export interface EventContext {
  readonly blueprint: WorldBlueprint
  readonly registry: Registry
  readonly findings: Findings
}

interface Listed {
  readonly events: readonly WorldEventBlueprint[]
  /** The pointer of an event of the list. */
  readonly at: (n: number) => string
}

/** Events that make no sense are refused at launch, each with its place; those that can never happen are warned of. */
export const checkEvents = ({ events, at }: Listed, context: EventContext): void => {
  const { blueprint, findings } = context
  const keys = new Set(events.map(({ key }) => key))
  unique(
    findings,
    events.map(({ key }, n) => ({ name: key, pointer: `${at(n)}/key` })),
    'event key',
  )
  events.forEach((event, n) => {
    const pointer = at(n)
    checkTrigger(event, pointer, findings)
    checkMoments(event, pointer, { findings, startsAt: Date.parse(blueprint.clock) })
    checkPerson(event.as, `${pointer}/as`, context)
    event.after.forEach((key, m) => {
      if (!keys.has(key)) findings.error(`${pointer}/after/${m}`, `names no event: ${quoted(key)}`)
    })
    checkActions(event.do, `${pointer}/do`, context)
    if (event.when) checkCondition(event.when, `${pointer}/when`, context)
  })
  for (const cycle of cyclesOf(events)) {
    const n = events.findIndex(({ key }) => key === cycle[0])
    findings.error(`${at(n)}/after`, `waits for itself: ${[...cycle, cycle[0]].join(' after ')}`)
  }
}

const checkTrigger = (event: WorldEventBlueprint, pointer: string, findings: Findings): void => {
  const triggers = [event.at !== null, event.after.length > 0, event.when !== null].filter(Boolean).length
  if (triggers > 1) findings.error(pointer, 'must have only one of at, after and when')
  if (triggers === 0 && event.every === null)
    findings.error(pointer, 'must have one of at, after, when and every')
  if (event.until !== null && event.every === null)
    findings.error(`${pointer}/until`, 'has a meaning only beside every')
  if (event.every !== null && durationMs(event.every) === 0)
    findings.error(`${pointer}/every`, 'must be longer than nothing')
}

const checkMoments = (
  event: WorldEventBlueprint,
  pointer: string,
  { findings, startsAt }: { findings: Findings; startsAt: number },
): void => {
  for (const name of ['at', 'until'] as const) {
    const text = event[name]
    if (text === null) continue
    if (durationMs(text) === undefined && !isTimestamp(text))
      findings.error(
        `${pointer}/${name}`,
        'must be an ISO-8601 time with an offset, or a time after the start such as 2h',
      )
    else if (name === 'at' && momentOf(text, startsAt) < startsAt)
      findings.warn(`${pointer}/at`, "lies before the world's clock; it happens at once")
  }
  if (isOverBeforeItBegins(event, startsAt))
    findings.warn(`${pointer}/until`, 'lies before its first time; it never happens')
}

const isOverBeforeItBegins = ({ at, every, until }: WorldEventBlueprint, startsAt: number): boolean => {
  if (every === null || until === null) return false
  const first = at === null ? startsAt + (durationMs(every) ?? 0) : momentOf(at, startsAt)
  return first > momentOf(until, startsAt)
}

export const checkPerson = (handle: string, pointer: string, { blueprint, findings }: EventContext): void => {
  if (!blueprint.identities.some((person) => person.handle === handle))
    findings.error(pointer, `names no person: ${quoted(handle)}`)
}

/** What the people of a world do in its services. */
export const checkActions = (
  actions: WorldEventBlueprint['do'],
  pointer: string,
  context: EventContext,
): void => {
  const { blueprint, registry, findings } = context
  actions.forEach(({ service, operation, input, as }, n) => {
    const place = `${pointer}/${n}`
    if (as !== null) checkPerson(as, `${place}/as`, context)
    if (!hasSection(blueprint, service)) {
      findings.error(`${place}/service`, `names ${service}, which this blueprint has no section for`)
      return
    }
    const acts = registry.find(service)?.twin.acts
    if (!acts) findings.error(`${place}/service`, `names ${service}, in which people cannot act on their own`)
    else if (!acts.knows(operation))
      findings.error(`${place}/operation`, `is not an operation of ${service}: ${quoted(operation)}`)
    checkReferences(input, `${place}/input`, { ...context, service })
  })
}

const checkReferences = (
  value: unknown,
  pointer: string,
  context: EventContext & { service: string },
): void => {
  if (typeof value !== 'object' || value === null) return
  const { $key: key, $person: person } = value as { $key?: unknown; $person?: unknown }
  if (key !== undefined && !keysOf(context.blueprint, context.service).has(String(key)))
    context.findings.error(
      `${pointer}/$key`,
      `names no record of the ${context.service} section: ${quoted(String(key))}`,
    )
  if (person !== undefined && person !== 'agent') checkPerson(String(person), `${pointer}/$person`, context)
  for (const [name, item] of Object.entries(value)) checkReferences(item, `${pointer}/${name}`, context)
}

const checkCondition = (condition: EventCondition, pointer: string, context: EventContext): void => {
  const { blueprint, findings } = context
  const { request, record, message, quiet } = condition
  const given = [request, record, message, quiet].filter((one) => one !== null).length
  if (given !== 1) findings.error(pointer, 'must have exactly one of request, record, message and quiet')
  const services = { request: request?.service, record: record?.service, quiet: quiet?.service }
  for (const [name, service] of Object.entries(services))
    if (service && !hasSection(blueprint, service))
      findings.error(
        `${pointer}/${name}/service`,
        `names ${service}, which this blueprint has no section for`,
      )
  if (message) checkPerson(message.to, `${pointer}/message/to`, context)
  const actors = { request: request?.actor, message: message?.from, quiet: quiet?.actor }
  for (const [name, actor] of Object.entries(actors))
    if (actor && actor !== 'agent')
      checkPerson(actor, `${pointer}/${name}/${name === 'message' ? 'from' : 'actor'}`, context)
  warnOfNever(condition, pointer, context)
}

/** A condition that can never hold is not an error: the world works without it. */
const warnOfNever = (
  { request, record, message }: EventCondition,
  pointer: string,
  context: EventContext,
): void => {
  const { blueprint, registry, findings } = context
  const { operation } = request ?? {}
  if (request && operation && hasSection(blueprint, request.service)) {
    const twin = registry.find(request.service)?.twin
    const names = twin?.coverage.map((one) => one.operation) ?? []
    const known =
      twin?.acts?.knows(operation) || names.includes(operation) || operation in (twin?.operations ?? {})
    if (!known)
      findings.warn(
        `${pointer}/request/operation`,
        `can never hold: ${request.service} has no ${quoted(operation)}`,
      )
  }
  const tells = registry.models.some(({ twin }) => twin.notices && hasSection(blueprint, twin.kind))
  if (message && !tells)
    findings.warn(
      `${pointer}/message`,
      'can never hold: no service of this blueprint tells who was written to',
    )
  if (record?.collection && hasSection(blueprint, record.service)) {
    const names = collectionsOf(registry, record.service)
    if (names && !names.has(record.collection))
      findings.warn(
        `${pointer}/record/collection`,
        `can never hold: ${record.service} has no ${quoted(record.collection)}`,
      )
  }
  if (record?.key && hasSection(blueprint, record.service))
    if (!keysOf(blueprint, record.service).has(record.key))
      findings.warn(
        `${pointer}/record/key`,
        `can never hold: the ${record.service} section has no record ${quoted(record.key)}`,
      )
}

/** What the collections of a service are called; undefined where the rows of a world decide that. */
const collectionsOf = (registry: Registry, service: string): ReadonlySet<string> | undefined => {
  const twin = registry.find(service)?.twin
  if (!twin || twin.seedTables) return undefined
  const tables: Readonly<Record<string, { readonly internal?: boolean | undefined }>> = twin.tables
  const shown = Object.keys(tables).filter((name) => tables[name]?.internal !== true)
  return new Set(shown.flatMap((name) => [name, shortKind(name)]))
}

export const hasSection = ({ twins }: WorldBlueprint, service: string): boolean => {
  const sections: Readonly<Record<string, unknown>> = twins
  return sections[service] !== null && sections[service] !== undefined
}

const keysOf = ({ twins }: WorldBlueprint, service: string): ReadonlySet<string> => {
  const sections: Readonly<Record<string, unknown>> = twins
  const manifest = installed.find(({ kind }) => kind === service)
  return new Set(
    manifest ? (manifest.keys as (section: unknown) => readonly string[])(sections[service]) : [],
  )
}

/** Events that wait for themselves, one way round each. */
const cyclesOf = (events: readonly WorldEventBlueprint[]): string[][] => {
  const after = new Map(events.map((event) => [event.key, event.after]))
  const state = new Map<string, 'open' | 'done'>()
  const cycles: string[][] = []
  for (const { key: start } of events) {
    if (state.has(start)) continue
    // An explicit stack: a chain may be as long as the list.
    const path: { key: string; next: number }[] = [{ key: start, next: 0 }]
    state.set(start, 'open')
    while (path.length > 0) {
      const top = path[path.length - 1] as { key: string; next: number }
      const key = after.get(top.key)?.[top.next++]
      if (key === undefined) {
        state.set(top.key, 'done')
        path.pop()
      } else if (state.get(key) === 'open')
        cycles.push(path.slice(path.findIndex((one) => one.key === key)).map((one) => one.key))
      else if (!state.has(key) && after.has(key)) {
        state.set(key, 'open')
        path.push({ key, next: 0 })
      }
    }
  }
  return cycles
}
