import type { Answer, Context, ODataRequest } from '../context.ts'
import { fault } from '../faults.ts'
import { etagOf, matches } from '../formats/links.ts'
import type { EdmRow, EdmValues, EntitySet } from '../model.ts'
import { inherited, rowsOf } from '../query/data.ts'
import { type Parameters, parseShape, refuseSystemOptions, type Shape } from '../query/options.ts'
import { isSingle, type Step } from '../query/path.ts'
import { entityAt } from '../query/read.ts'
import { type Draft, parseBody } from './body.ts'
import type { CreateInput, Notice, UpdateInput, Written } from './operations.ts'

export interface WriteRequest {
  readonly request: ODataRequest
  readonly steps: readonly Step[]
  readonly parameters: Parameters
  readonly context: Context
}

export interface Creation {
  readonly row: EdmRow
  readonly shape: Shape
  readonly notices: readonly Notice[]
}

/** Creates an entity in a set, or below the entity that the path leads from. */
export const creation = ({ request, steps, parameters, context }: WriteRequest): Creation => {
  const last = steps.at(-1)
  if (!last || isSingle(last)) throw fault('method_not_allowed', { method: 'POST' })
  refuseSystemOptions(parameters)
  const { set, navigation } = last
  const { service, session } = context
  if (!(navigation ? set.creatableBelow : set.creatable)) {
    throw fault('not_creatable', { set: set.name, type: set.type.name })
  }
  requireOperation(`POST ${set.name}`, context)
  if (request.headers['if-match'] !== undefined) throw fault('if_match_on_create')
  const above: EdmValues = navigation
    ? inherited(navigation, entityAt(session.views, service, steps.slice(0, -1)))
    : {}
  const draft = parseBody(service, set, {
    contentType: request.headers['content-type'] ?? '',
    body: request.body,
    budget: context.budget,
  })
  const input: CreateInput = { draft, above }
  const { row, notices } = session.call<Written>(`POST ${set.name}`, input)
  const shape = parseShape(service, set, new Map([['$expand', given(draft).join(',')]]))
  return { row, shape, notices }
}

/** The paths of the related entities that came with a new one, which its answer shows. */
const given = (draft: Draft): string[] =>
  [...draft.children].flatMap(([name, drafts]) => [
    name,
    ...new Set(drafts.flatMap(given).map((path) => `${name}/${path}`)),
  ])

/** Updates or deletes one entity. */
export const change = (
  { request, steps, parameters, context }: WriteRequest,
  method: 'PATCH' | 'PUT' | 'DELETE',
): Answer => {
  const last = steps.at(-1)
  if (!last || !isSingle(last)) throw fault('method_not_allowed', { method })
  refuseSystemOptions(parameters)
  const { set } = last
  const { session, service } = context
  allow(set, method, context)
  const { id } = entityAt(session.views, service, steps)
  const row = rowsOf(session.views, set).get(id)
  if (!row) throw fault('entity_missing', { type: set.type.name })
  checkVersion(set, row, request.headers['if-match'])
  const { notices, row: after } = perform(set, id, method, request, context)
  const etag = method === 'DELETE' ? undefined : etagOf(set, after)
  return {
    status: 204,
    headers: {
      dataserviceversion: '2.0',
      ...(etag === undefined ? {} : { etag }),
      ...context.noticeHeaders(notices),
    },
    body: '',
  }
}

const perform = (
  set: EntitySet,
  id: string,
  method: 'PATCH' | 'PUT' | 'DELETE',
  request: ODataRequest,
  context: Context,
): Written => {
  const { service, session } = context

  if (method === 'DELETE') return session.call<Written>(`DELETE ${set.name}`, { id })
  const draft = parseBody(service, set, {
    contentType: request.headers['content-type'] ?? '',
    body: request.body,
    budget: context.budget,
  })
  for (const [name, children] of draft.children)
    if (children.length > 0) throw fault('deep_update', { property: name })
  const input: UpdateInput = { id, draft, replace: method === 'PUT' }
  return session.call<Written>(`${method} ${set.name}`, input)
}

const allow = (set: EntitySet, method: 'PATCH' | 'PUT' | 'DELETE', context: Context): void => {
  if (method === 'DELETE' ? set.deletable : set.updatable) {
    requireOperation(`${method} ${set.name}`, context)
    return
  }
  throw fault(method === 'DELETE' ? 'not_deletable' : 'not_updatable', { set: set.name, type: set.type.name })
}

/** What the service allows and the twin does not emulate is refused as such. */
const requireOperation = (operation: string, { implemented }: Context): void => {
  if (!implemented(operation)) throw fault('not_implemented', { name: operation })
}

const checkVersion = (set: EntitySet, row: EdmRow, given: string | undefined): void => {
  if (set.type.version === undefined || given?.trim() === '*') return
  if (given === undefined) throw fault('precondition_required', { type: set.type.name })
  const etag = etagOf(set, row)
  if (etag !== undefined && !matches(given, etag)) throw fault('precondition_failed', { type: set.type.name })
}
