import { json, plain, protocol, xml } from './answers.ts'
import { batch } from './batch/batch.ts'
import { type Answer, type Context, type Format, formatOf, type ODataRequest } from './context.ts'
import { fault } from './faults.ts'
import { entryXml, feedXml, linksXml, propertyXml, serviceXml } from './formats/atom.ts'
import { metadataXml } from './formats/edmx.ts'
import {
  collectionJson,
  entityJson,
  type Listed,
  linksJson,
  propertyJson,
  serviceJson,
  type Writer,
} from './formats/json.ts'
import { entityPath, etagOf, matches } from './formats/links.ts'
import { callFunction } from './functions.ts'
import type { EdmRow } from './model.ts'
import {
  type Options,
  type Parameters,
  parseOptions,
  parseQuery,
  parseShape,
  type Shape,
} from './query/options.ts'
import { isSingle, parsePath, type Resource, type Step } from './query/path.ts'
import type { Found, Reading } from './query/read.ts'
import { heldValue, plainText } from './values/values.ts'
import { change, creation } from './write/requests.ts'

/** Answers one request to a service. Refusals are thrown: a changeset needs to see them. */
export const perform = (request: ODataRequest, context: Context): Answer => {
  const resource = parsePath(context.service, request.path)
  if (resource.kind === 'batch') return batch(request, context, perform)
  const parameters = parseQuery(request.query)
  const method = methodOf(request)
  const format = formatOf(parameters.get('$format'), request.headers.accept)
  if (resource.kind === 'function')
    return callFunction({ called: resource.called, method, parameters, format, context, entity })
  if (method === 'GET') return answerRead({ resource, parameters, request, format, context })
  if (resource.kind !== 'entities') throw fault('method_not_allowed', { method })
  const writing = { request, steps: resource.steps, parameters, context }
  if (resource.links) throw fault('links_not_writable', { set: resource.steps.at(-1)?.set.name ?? '' })
  if (method === 'POST') return written(creation(writing), format, context)
  if (method === 'PATCH' || method === 'PUT' || method === 'DELETE') return change(writing, method)
  throw fault('method_not_allowed', { method })
}

/** HEAD is GET without its body; MERGE is what PATCH was called; a POST may name the method to use instead. */
const methodOf = ({ method, headers }: ODataRequest): string => {
  const named = (method === 'POST' ? headers['x-http-method'] : undefined) ?? method
  const upper = named.toUpperCase()
  return upper === 'HEAD' ? 'GET' : upper === 'MERGE' ? 'PATCH' : upper
}

interface ReadRequest {
  readonly resource: Exclude<Resource, { kind: 'function' }>
  readonly parameters: Parameters
  readonly request: ODataRequest
  readonly format: Format
  readonly context: Context
}

const answerRead = (read: ReadRequest): Answer => {
  const { resource, context, format } = read
  if (resource.kind === 'service') {
    context.session.label('GET service document')
    return format === 'json'
      ? json(serviceJson(context.service))
      : xml(serviceXml(context.service, context.root), 'application/atomsvc+xml')
  }
  if (resource.kind === 'metadata') return metadata(read)
  if (resource.kind === 'batch') throw fault('method_not_allowed', { method: 'GET' })
  if (resource.kind === 'property') return property(read, resource)
  const last = resource.steps.at(-1)
  if (!last) throw fault('malformed_syntax')
  if (resource.count) return counted(read, resource.steps, last)
  if (resource.links) return links(read, resource.steps, last)
  return isSingle(last) ? single(read, resource.steps, last) : collection(read, resource.steps, last)
}

const metadata = ({ parameters, request, context }: ReadRequest): Answer => {
  context.session.label('GET $metadata')
  const accept = request.headers.accept ?? '*/*'
  const onlyJson = /json/i.test(accept) && !/xml|\*\/\*/i.test(accept)
  if (/json/i.test(parameters.get('$format') ?? '') || onlyJson) throw fault('not_acceptable')
  return xml(metadataXml(context.service, context.root), 'application/xml')
}

const run = (
  { context }: ReadRequest,
  steps: readonly Step[],
  options: Options,
  countOnly = false,
): Found => {
  const set = steps.at(-1)?.set.name ?? ''
  const reading: Reading = { service: context.service, steps, options, countOnly, budget: context.budget }
  return context.session.call<Found>(`GET ${set}`, reading)
}

const writerOf = ({ service, session, root, origin, budget }: Context): Writer & { now: number } => {
  return {
    service,
    views: session.views,
    root,
    origin,
    now: session.now,
    budget,
  }
}

const collection = (read: ReadRequest, steps: readonly Step[], { set }: Step): Answer => {
  const { parameters, context, request, format } = read
  const options = parseOptions(parameters)
  const shape = parseShape(context.service, set, parameters)
  const { rows, total, next, from } = run(read, steps, options)
  const listed: Listed = {
    rows,
    ...(total === undefined ? {} : { total }),
    next: (written) => {
      const place = written < rows.length ? (from ?? 0) + written : next
      return place === undefined ? undefined : nextPage(request, parameters, context.root, place, written)
    },
  }
  context.budget.startPage()
  const writer = writerOf(context)
  return format === 'json'
    ? json(collectionJson(writer, shape, listed))
    : xml(
        feedXml(writer, shape, listed, request.path.replace(/^\/|\/$/g, '')),
        'application/atom+xml;type=feed',
      )
}

/** The same question, from where this answer ended. */
const nextPage = (
  request: ODataRequest,
  parameters: Parameters,
  root: string,
  next: number,
  shown: number,
): string => {
  const kept = [...parameters].filter(([name]) => name !== '$skip' && name !== '$skiptoken')
  const pairs = kept.map(([name, value]) => [name, name === '$top' ? String(Number(value) - shown) : value])
  const query = [...pairs, ['$skiptoken', String(next)]].map(
    ([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`,
  )
  return `${root}/${request.path.replace(/^\/|\/$/g, '')}?${query.join('&')}`
}

const single = (read: ReadRequest, steps: readonly Step[], { set }: Step): Answer => {
  const { parameters, context, request, format } = read
  const options = parseOptions(parameters)
  const shape = parseShape(context.service, set, parameters)
  const [row] = run(read, steps, options).rows
  if (!row) throw fault('entity_missing', { type: set.type.name })
  const etag = etagOf(set, row)
  const known = request.headers['if-none-match']
  if (etag !== undefined && known !== undefined && matches(known, etag))
    return { status: 304, headers: { ...protocol, etag }, body: '' }
  return entity({ context, shape, row, format, status: 200 })
}

interface WrittenEntity {
  readonly context: Context
  readonly shape: Shape
  readonly row: EdmRow
  readonly format: Format
  readonly status: number
}

const entity = ({ context, shape, row, format, status }: WrittenEntity): Answer => {
  const etag = etagOf(shape.set, row)
  const writer = writerOf(context)
  const answer =
    format === 'json'
      ? json(`{"d":${entityJson(writer, shape, row)}}`)
      : xml(entryXml(writer, shape, row), 'application/atom+xml;type=entry')
  return { ...answer, status, headers: { ...answer.headers, ...(etag === undefined ? {} : { etag }) } }
}

const written = (made: ReturnType<typeof creation>, format: Format, context: Context): Answer => {
  const { row, shape, notices } = made
  const answer = entity({ context, shape, row, format, status: 201 })
  const location = `${context.root}/${entityPath(shape.set, row)}`
  return { ...answer, headers: { ...answer.headers, location, ...context.noticeHeaders(notices) } }
}

const counted = (read: ReadRequest, steps: readonly Step[], last: Step): Answer => {
  const options = parseOptions(read.parameters)
  const found = run(read, steps, options, true)
  return plain(String(isSingle(last) ? found.rows.length : (found.total ?? 0)))
}

const property = (
  read: ReadRequest,
  { steps, property: asked, raw }: Extract<Resource, { kind: 'property' }>,
): Answer => {
  const set = steps.at(-1)?.set
  const [row] = run(read, steps, parseOptions(read.parameters)).rows
  if (!row || !set) throw fault('malformed_syntax')
  const seen = set.view ? set.view(row, read.context.origin) : row
  if (raw) return plain(plainText(asked, heldValue(seen, asked)))
  return read.format === 'json'
    ? json(propertyJson(asked, seen))
    : xml(propertyXml(asked, seen), 'application/xml')
}

const links = (read: ReadRequest, steps: readonly Step[], last: Step): Answer => {
  const { rows } = run(read, steps, parseOptions(read.parameters))
  const uris = rows.map((row) => `${read.context.root}/${entityPath(last.set, row)}`)
  const many = !isSingle(last)
  return read.format === 'json' ? json(linksJson(uris, many)) : xml(linksXml(uris, many), 'application/xml')
}
