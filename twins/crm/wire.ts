import { type Session, type TwinReply, type TwinRequest, VendorError } from '@diorama/twin-kit/kernel/twin'
import { type RestReply, type Route, readQueryString, router, toReply } from '@diorama/twin-kit/wires/rest'
import { actor, organizationId, subjectOf } from './actor.ts'
import { actionRoutes } from './api/actions.ts'
import { bulkWire } from './api/bulkv1.ts'
import { collectionRoutes } from './api/collections.ts'
import { compositeRoutes } from './api/composite.ts'
import type { ApiCall, InnerCall } from './api/context.ts'
import { type CountingSession, countingSession } from './api/counting.ts'
import { jobRoutes } from './api/jobs.ts'
import { byPassword, grantToken, introspect, revoke, userInfo } from './api/oauth.ts'
import { identityOf, limitInfo, organizationRoutes } from './api/organization.ts'
import { queryRoutes } from './api/queries.ts'
import { searchRoutes } from './api/searches.ts'
import { sobjectRoutes } from './api/sobjects.ts'
import { approvalRoutes } from './approvals/routes.ts'
import { notEmulated } from './coverage.ts'
import { json, sessionRefused } from './fault.ts'
import { authorizePage, connectPage } from './oauth/pages.ts'
import { accessOf } from './records/access/access.ts'
import { visibleSchema } from './records/access/visible.ts'
import { noResource } from './records/refusals.ts'
import type { Schema, SchemaIn } from './schema/schema.ts'
import { latestVersion, oldestVersion } from './shapes/describe.ts'
import { errorReply } from './shapes/errors.ts'
import { soapFault, soapWire } from './soap/soap.ts'
import { cometdWire } from './streaming/cometd.ts'
import { pubsubService, pubsubWire } from './streaming/pubsub.ts'
import type { CrmTables } from './tables.ts'
import { uiRoutes } from './ui-api/routes.ts'

type CrmSession = CountingSession

const maxInnerDepth = 5

const routes: readonly Route<ApiCall>[] = [
  ...organizationRoutes,
  ...sobjectRoutes,
  ...queryRoutes,
  ...searchRoutes,
  ...collectionRoutes,
  ...compositeRoutes,
  ...jobRoutes,
  ...actionRoutes,
  ...approvalRoutes,
  ...uiRoutes,
]
const route = router(routes)

/** The whole of the service's HTTP face: REST, SOAP and the ways to log in. */
export const wire =
  (schemaIn: SchemaIn) =>
  (request: TwinRequest, session: Session<CrmTables>): TwinReply => {
    const schema = schemaIn(session.views)
    if (request.path.startsWith(pubsubService)) return pubsub(schema, request, session)
    const reply = answer(schema, request, countingSession(session))
    const always = reply.status === 204 || reply.body === undefined ? {} : json
    return toReply(reply, { ...always, 'Sforce-Limit-Info': limitInfo(session.now) })
  }

/** Calls by gRPC carry their credential in metadata. */
const pubsub = (schema: Schema, request: TwinRequest, session: Session<CrmTables>): TwinReply => {
  const authorization = `Bearer ${request.headers.accesstoken ?? ''}`
  const counting = countingSession(session)
  const refused = authenticate(
    schema,
    { ...request, headers: { ...request.headers, authorization } },
    counting,
  )
  const seen = visibleSchema(schema, accessOf(schema, session.views, session.actor?.id ?? ''))
  return pubsubWire(seen, request, counting, refused === undefined)
}

const answer = (schema: Schema, request: TwinRequest, session: CrmSession): RestReply => {
  // A client that is given an address ending in a slash writes two.
  const path = request.path.replace(/^\/+/, '/').replace(/\/+$/, '') || '/'
  const soap = /^\/services\/Soap\/([ucT])\/(\d+(?:\.\d+)?)(?:\/|$)/i.exec(path)
  if (soap && request.method === 'POST') return soapWire(request, session, soap[2] ?? '50.0')
  if (/^\/services\/Soap\//i.test(path)) {
    session.notEmulated(`SOAP ${path.split('/')[3]}`)
    return soapFault('INVALID_OPERATION', 'this SOAP endpoint is not supported')
  }
  const bulk = /^\/services\/async\/(\d+\.\d+)(\/job.*)$/.exec(path)
  if (bulk) return bulkWire(request, { session, version: bulk[1] ?? '' }, schema, bulk[2] ?? '')
  const open = openAnswer(path, request, session)
  if (open) return open
  const refused = authenticate(schema, request, session)
  if (refused) return refused
  if (/^\/cometd(\/replay)?\/\d+\.\d+(\/|$)/.test(path) && request.method === 'POST')
    return cometdWire(
      visibleSchema(schema, accessOf(schema, session.views, session.actor?.id ?? '')),
      request,
      session,
    )
  const own = ownAnswer(path, request, session)
  if (own) return own
  const api = /^\/services\/data\/v(\d+\.\d+)(\/.*)?$/.exec(path)
  if (!api || !isServed(api[1] ?? '')) return unknown(session, request.method, path)
  return dispatch(schema, session, {
    method: request.method,
    path: api[2] ?? '/',
    query: request.query,
    headers: request.headers,
    raw: request.body,
    version: api[1] ?? '',
    depth: 0,
  })
}

const isServed = (version: string): boolean =>
  Number(version) >= oldestVersion && Number(version) <= latestVersion && version.endsWith('.0')

/** What the service answers to anybody. */
const openAnswer = (path: string, request: TwinRequest, session: CrmSession): RestReply | undefined => {
  if (path === '/services/data') return { status: 200, body: session.call('versions', {}) }
  if (path === '/services/oauth2/token') return grantToken(request, session)
  if (path === '/services/oauth2/revoke') return revoke(request, session)
  if (path === '/services/oauth2/introspect' && request.method === 'POST') return introspect(request, session)
  const page = {
    request,
    session,
    byPassword: (name: string, given: string) => byPassword(name, given, session),
  }
  if (path === '/services/oauth2/authorize') return authorizePage(page)
  if (path === '/setup/connect') return connectPage(page)
  return undefined
}

const ownAnswer = (path: string, _request: TwinRequest, session: CrmSession): RestReply | undefined => {
  const userId = session.actor?.id ?? ''
  if (path === '/services/oauth2/userinfo') {
    session.label('GET userinfo')
    return userInfo(session, userId)
  }
  const identity = /^\/id\/(\w{15,18})\/(\w{15,18})$/.exec(path)
  if (!identity) return undefined
  session.label('GET identity')
  const [, organization = '', user = ''] = identity
  const same = organization.slice(0, 15) === organizationId(session.views).slice(0, 15)
  if (!same || user.slice(0, 15) !== userId.slice(0, 15)) return { status: 403, body: 'Bad_ID' }
  return { status: 200, body: identityOf({ session }, userId) }
}

const authenticate = (schema: Schema, request: TwinRequest, session: CrmSession): RestReply | undefined => {
  const header = request.headers.authorization ?? ''
  const match = /^(?:Bearer|OAuth)\s+(\S+)$/i.exec(header.trim())
  if (header !== '' && !match)
    return { status: 401, body: [{ message: 'INVALID_HEADER_TYPE', errorCode: 'INVALID_AUTH_HEADER' }] }
  const token = match?.[1] ?? readQueryString(request.query).get('oauth_token') ?? ''
  const subject = subjectOf(token, session.principals, session.views)
  const caller = subject === undefined ? undefined : actor(subject, session.views)
  if (!caller) return sessionRefused
  session.authenticate(caller)
  const { permissions } = accessOf(schema, session.views, caller.id)
  return permissions.has('PermissionsApiEnabled') ? undefined : apiDisabled
}

const apiDisabled: RestReply = {
  status: 403,
  body: [
    {
      message: 'The REST API is not enabled for this Organization or user: API Enabled is required.',
      errorCode: 'API_DISABLED_FOR_ORG',
    },
  ],
}

/** Resources of an object that would otherwise read as the id of a record or the value of a field. */
const beneathSObject = /^\/sobjects\/\w+\/(describe\/.|listviews|quickActions|approvalLayouts|compactLayouts)/

interface Dispatched {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly raw: Uint8Array
  readonly version: string
  readonly depth: number
}

const dispatch = (schema: Schema, session: CrmSession, asked: Dispatched): RestReply => {
  const query = readQueryString(asked.query)
  const override = asked.method === 'POST' ? query.get('_HttpMethod')?.toUpperCase() : undefined
  const method = override ?? asked.method
  const found = route(method === 'HEAD' ? 'GET' : method, asked.path)
  if (found.kind === 'none' || beneathSObject.test(asked.path)) return unknown(session, method, asked.path)
  if (found.kind === 'wrong method') {
    const allowed = found.allowed.includes('GET') ? ['HEAD', ...found.allowed] : found.allowed
    return {
      status: 405,
      headers: { allow: allowed.join(',') },
      body: [
        {
          message: `HTTP Method '${method}' not allowed. Allowed are ${allowed.join(',')}`,
          errorCode: 'METHOD_NOT_ALLOWED',
        },
      ],
    }
  }
  const api: ApiCall = {
    method,
    path: asked.path,
    query,
    headers: asked.headers,
    raw: asked.raw,
    version: asked.version,
    session,
    schema: visibleSchema(schema, accessOf(schema, session.views, session.actor?.id ?? '')),
    wholeSchema: schema,
    inner: (call) => innerAnswer(schema, session, asked, call),
  }
  try {
    if (isUnsupportedMedia(asked, method))
      throw new VendorError(
        'UNSUPPORTED_MEDIA_TYPE',
        'Content type of the request is not supported: send application/json',
        {
          status: 415,
        },
      )
    return found.route.handle(found.params, api)
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    session.countMissing(error)
    return errorReply(error, asked.version)
  }
}

/** Bodies are JSON or, for bulk data, CSV; a form is a client's mistake. */
const isUnsupportedMedia = ({ headers, raw, path }: Dispatched, method: string): boolean => {
  const type = headers['content-type'] ?? ''
  if (raw.length === 0 || !['POST', 'PATCH', 'PUT'].includes(method) || type === '') return false
  if (path.startsWith('/jobs/') || (path.startsWith('/sobjects/') && /multipart\/form-data/i.test(type)))
    return false
  return !/json|text\/plain/i.test(type)
}

/** One part of a composite request: a separate call in the caller's session. */
const innerAnswer = (schema: Schema, session: CrmSession, outer: Dispatched, call: InnerCall): RestReply => {
  const [path = '', ...query] = call.url.replace(/^\/?(services\/data\/)?/, '/services/data/').split('?')
  const api = /^\/services\/data\/v(\d+\.\d+)(\/.*)?$/.exec(path.replace(/\/+$/, ''))
  if (!api || !isServed(api[1] ?? '') || outer.depth >= maxInnerDepth)
    return errorReply(noResource(), outer.version)
  return dispatch(schema, session, {
    method: call.method,
    path: api[2] ?? '/',
    query: query.join('?'),
    headers: { ...sharedHeaders(outer.headers), ...call.headers, 'content-type': 'application/json' },
    raw:
      call.body === undefined || call.body === null
        ? new Uint8Array()
        : Buffer.from(JSON.stringify(call.body)),
    version: api[1] ?? '',
    depth: outer.depth + 1,
  })
}

const sharedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('sforce-')))

/** An address that nothing lives at: the service's own words, counted where the real service has something there. */
const unknown = (session: CrmSession, method: string, path: string): RestReply => {
  const known = notEmulated.find(({ pattern }) => pattern.test(path))
  if (known) {
    session.notEmulated(known.operation)
    session.label(known.operation)
  } else session.label(`${method} ${path}`)
  if (known?.message) return { status: 404, body: [{ errorCode: 'NOT_FOUND', message: known.message }] }
  return errorReply(noResource(), '')
}
