import type { Session } from '../../../kernel/twin.ts'
import { type Budget, createBudget } from '../budget.ts'
import type { Answer, ODataRequest } from '../context.ts'
import { fault } from '../faults.ts'
import { etagOf, matches } from '../formats/links.ts'
import type { EdmRow } from '../model.ts'
import { parseOptions, parseQuery, parseShape } from '../query/options.ts'
import { isSingle, parsePath, type Step } from '../query/path.ts'
import { entityAt, type Found, type Reading } from '../query/read.ts'
import { type Action, metadataXml, type Schema } from './edmx.ts'
import { entityJson, type JsonWriter } from './json.ts'
import { translateOptions } from './query.ts'

/** A service of version 4 that is read and acted on; entities are changed by actions alone. */
export interface ServiceV4 extends Schema {
  /** The operation that reads a set. */
  readonly readOperation: (set: string) => string
  /** Runs an action with its body, and returns the entities that it made or changed. */
  readonly act: (called: ActionCall) => readonly EdmRow[]
}

export interface ActionCall {
  readonly session: Session
  readonly action: Action
  /** The entity that a bound action is of. */
  readonly row: EdmRow | undefined
  readonly body: Readonly<Record<string, unknown>>
}

/** Answers one request. Refusals are thrown. */
export const performV4 = (request: ODataRequest, service: ServiceV4, session: Session): Answer => {
  const method = request.method.toUpperCase() === 'HEAD' ? 'GET' : request.method.toUpperCase()
  const called = actionIn(service, request.path)
  if (called) return act({ request, service, session, method, ...called })
  const resource = parsePath(service.service, request.path)
  if (resource.kind === 'batch') throw fault('not_implemented', { name: 'POST $batch of version 4' })
  if (method !== 'GET') throw fault('method_not_allowed', { method })
  if (resource.kind === 'service') {
    const value = [...service.service.sets.keys()].map((name) => ({ name, url: name, kind: 'EntitySet' }))
    return json({ '@odata.context': '$metadata', value })
  }
  if (resource.kind === 'metadata')
    return { status: 200, headers: { 'content-type': 'application/xml' }, body: metadataXml(service) }
  if (resource.kind !== 'entities' || resource.links) throw fault('malformed_syntax')
  return read({ request, service, session, steps: resource.steps, count: resource.count })
}

const json = (body: unknown, status = 200): Answer => ({
  status,
  headers: {
    'content-type': 'application/json;odata.metadata=minimal;charset=utf-8',
    'odata-version': '4.0',
  },
  body: JSON.stringify(body),
})

const writerOf = (service: ServiceV4, session: Session, budget: Budget): JsonWriter => {
  return {
    service: service.service,
    views: session.views,
    budget,
  }
}

interface ReadV4 {
  readonly request: ODataRequest
  readonly service: ServiceV4
  readonly session: Session
  readonly steps: readonly Step[]
  readonly count: boolean
}

const read = ({ request, service, session, steps, count }: ReadV4): Answer => {
  const last = steps.at(-1)
  if (!last) throw fault('malformed_syntax')
  const { set } = last
  const parameters = translateOptions(parseQuery(request.query))
  const options = parseOptions(parameters)
  const shape = parseShape(
    service.service,
    set,
    new Map([...parameters].filter(([name]) => name !== '$filter')),
  )
  const budget = createBudget()
  const reading: Reading = { service: service.service, steps, options, countOnly: count, budget }
  const { rows, total, next, from } = session.call<Found>(service.readOperation(set.name), reading)
  if (count)
    return {
      status: 200,
      headers: { 'content-type': 'text/plain', 'odata-version': '4.0' },
      body: String(total ?? 0),
    }
  const writer = writerOf(service, session, budget)
  if (isSingle(last)) {
    const [row] = rows
    if (!row) throw fault('entity_missing', { type: set.type.name })
    const body = { '@odata.context': `$metadata#${set.name}/$entity`, ...entityJson(writer, shape, row) }
    const etag = etagOf(set, row)
    const answer = json(body)
    return etag === undefined ? answer : { ...answer, headers: { ...answer.headers, etag } }
  }
  const value: unknown[] = []
  for (const row of rows) {
    if (value.length > 0 && budget.isPageFull()) break
    value.push(entityJson(writer, shape, row))
  }
  const place = value.length < rows.length ? (from ?? 0) + value.length : next
  return json({
    '@odata.context': `$metadata#${set.name}`,
    ...(total === undefined ? {} : { '@odata.count': total }),
    value,
    ...(place === undefined ? {} : { '@odata.nextLink': nextLink(request, set.name, place) }),
  })
}

const nextLink = (request: ODataRequest, set: string, next: number): string => {
  const kept = request.query.split('&').filter((pair) => pair !== '' && !/^(?:\$|%24)skip=/i.test(pair))
  return `${set}?${[...kept, `$skip=${next}`].join('&')}`
}

const actionName = /^(.*)\/([\w.]{1,120})\.(\w{1,60})\/?$/

/** The action that a path calls, and the path of what it is called on. */
const actionIn = (service: ServiceV4, path: string): { name: string; below: string } | undefined => {
  const match = actionName.exec(path)
  if (!match) return undefined
  const [, below = '', space = '', name = ''] = match
  if (space !== service.alias && space !== service.namespace) return undefined
  if (!service.actions.some((action) => action.name === name))
    throw fault('unknown_segment', { segment: name })
  return { name, below }
}

interface ActV4 {
  readonly request: ODataRequest
  readonly service: ServiceV4
  readonly session: Session
  readonly method: string
  readonly name: string
  readonly below: string
}

const act = ({ request, service, session, method, name, below }: ActV4): Answer => {
  if (method !== 'POST') throw fault('method_not_allowed', { method })
  const resource = parsePath(service.service, below)
  const last = resource.kind === 'entities' ? resource.steps.at(-1) : undefined
  const action = service.actions.find(
    (each) =>
      each.name === name && each.set === last?.set.name && (each.bound === 'entity') === isSingle(last),
  )
  if (!action || !last || resource.kind !== 'entities') throw fault('unknown_segment', { segment: name })
  const row = isSingle(last) ? entityAt(session.views, service.service, resource.steps) : undefined
  const given = request.headers['if-match']
  if (row && given !== undefined && given.trim() !== '*' && !matches(given, etagOf(last.set, row) ?? ''))
    throw fault('precondition_failed', { type: last.set.type.name })
  const rows = service.act({ session, action, row, body: bodyOf(request) })
  const shape = parseShape(service.service, last.set, new Map())
  const writer = writerOf(service, session, createBudget())
  return json({
    '@odata.context': `../$metadata#${last.set.name}`,
    value: rows.map((each) => entityJson(writer, shape, each)),
  })
}

const bodyOf = (request: ODataRequest): Readonly<Record<string, unknown>> => {
  const text = new TextDecoder().decode(request.body).trim()
  if (text === '') return {}
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw fault('malformed_body', { reason: 'it is not JSON' })
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw fault('malformed_body', { reason: 'it is not an object' })
  return parsed as Record<string, unknown>
}
