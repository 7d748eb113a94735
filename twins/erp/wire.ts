import type { TableView } from '../kernel/table.ts'
import { type Principal, Refusal, type Session, type TwinReply, type TwinRequest } from '../kernel/twin.ts'
import { type Answer, type Context, formatOf } from '../kernel/wires/odata/context.ts'
import { csrfToken, openSession, type Sessions, sessionOf, tokenHeader } from '../kernel/wires/odata/csrf.ts'
import type { EdmRow } from '../kernel/wires/odata/model.ts'
import { perform } from '../kernel/wires/odata/service.ts'
import { actorOf, credentialOf, principalOf } from './actor.ts'
import type { Service } from './catalogue.ts'
import { notEmulated } from './coverage.ts'
import { businessServices, catalogue } from './services.ts'
import { complaintOf, errorAnswer, noticeHeaders } from './shapes.ts'
import type { ErpTables } from './tables.ts'
import { tokenEndpoint } from './token-endpoint.ts'

type ErpSession = Session<ErpTables>

const root =
  /^((?:\/s4hanacloud)?\/(?:sap|erp)\/opu\/odata\/(?:(sap|erp|iwfnd)\/)?([^/;]+)((?:;[^/]*)?))(\/.*)?$/i
const sessions: Sessions = { cookie: 'SAP_SESSIONID_S4H_100', lifetimeMs: 30 * 60_000 }
const realm = 'SAP NetWeaver Application Server [S4H/100]'

/** Answers a request to the Gateway. */
export const wire = (request: TwinRequest, session: ErpSession): TwinReply => {
  const token = tokenEndpoint(request, session)
  if (token) return token
  const principal = principalOf(session, credentialOf(request.headers))
  if (!principal) return unauthorized()
  const users: TableView<EdmRow> | undefined = session.views.user
  if (users) session.authenticate(actorOf(users, principal))
  const match = root.exec(request.path)
  if (!match) return missingNode()
  const [, rootPath = '', namespace = '', name = '', parameters = '', path = '/'] = match
  const service = serviceNamed(namespace, name)
  const guard = guardOf(request, session, principal)
  if (!service) return guard.headed(unknownService(request, session, name, parameters))
  const isBatch = /^\/\$batch\/?$/.test(path)
  if (!guard.reads && !isBatch && !guard.passes()) return forged()
  const place = { service, now: session.now, trace: `${request.method} ${request.path}?${request.query}` }
  const context: Context = {
    service,
    session,
    root: `${request.baseUrl}${rootPath}`,
    rootPath,
    origin: request.baseUrl,
    refuse: (refusal, format) => errorAnswer(complaintOf(refusal), format, place),
    noticeHeaders,
    disallowed: (operation) => {
      if (notEmulated.has(operation)) session.notEmulated(operation)
    },
    beforeChanges: () => {
      if (!guard.passes()) throw new Refusal('/IWFND/CM_MGW/098', batchNeedsToken, { status: 403 })
    },
  }
  return guard.headed(native(answered(request, path, context)))
}

const batchNeedsToken = 'X-CSRF token is needed for Batch Processing with modifying operation'

const serviceNamed = (namespace: string, name: string): Service | undefined => {
  if (/^iwfnd$/i.test(namespace)) return /^catalogservice$/i.test(name) ? catalogue : undefined
  if (namespace === '') return undefined
  return businessServices.find((service) => service.name === name.toUpperCase())
}

const answered = (request: TwinRequest, path: string, context: Context): Answer => {
  try {
    return perform({ ...request, path }, context)
  } catch (error) {
    if (error instanceof Refusal) return context.refuse(error, formatFor(request))
    throw error
  }
}

const formatFor = (request: TwinRequest) => {
  const format = /(?:^|&)(?:\$|%24)format=([^&]*)/i.exec(request.query)?.[1]
  return formatOf(format, request.headers.accept)
}

/** Headers that every answer of the Gateway carries. */
const native = ({ status, headers, body }: Answer): TwinReply => ({
  status,
  headers: {
    ...headers,
    'cache-control': 'no-store, no-cache',
    'sap-metadata-last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
    'sap-processing-info': 'ODataBEP=,crp=,RAL=,st=,MedCacheHub=SHM,codeployed=X,softstate=',
    'sap-server': 'true',
    ...(status === 403 && body.includes(batchNeedsToken) ? { [tokenHeader]: 'Required' } : {}),
  },
  body,
})

interface Guard {
  readonly reads: boolean
  /** The request carries a token that fits its session. */
  readonly passes: () => boolean
  /** Adds the token that the caller asked for. */
  readonly headed: (reply: TwinReply) => TwinReply
}

/** Holds a request's token against its session's. */
const guardOf = (request: TwinRequest, { now }: ErpSession, caller: Principal): Guard => {
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const given = request.headers[tokenHeader] ?? ''
  const current = () => sessionOf(request.headers.cookie, caller, now, sessions)
  return {
    reads,
    passes: () => {
      const session = current()
      return session !== undefined && given === csrfToken(session, caller)
    },
    headed: (reply) => {
      if (!reads || !/^fetch$/i.test(given)) return reply
      const opened = current() ?? openSession(caller, now)
      const cookies = [
        `${sessions.cookie}=${opened}; path=/; HttpOnly`,
        'sap-usercontext=sap-client=100; path=/',
      ]
      return {
        ...reply,
        headers: { ...reply.headers, [tokenHeader]: csrfToken(opened, caller), 'set-cookie': cookies },
      }
    },
  }
}

const forged = (): TwinReply => ({
  status: 403,
  headers: { 'content-type': 'text/plain;charset=utf-8', [tokenHeader]: 'Required' },
  body: 'CSRF token validation failed',
})

export const unauthorized = (): TwinReply => ({
  status: 401,
  headers: { 'content-type': 'text/html;charset=utf-8', 'www-authenticate': `Basic realm="${realm}"` },
  body: page('Logon failed', 'No logon data was provided, or the user or password is wrong.'),
})

const missingNode = (): TwinReply => ({
  status: 404,
  headers: { 'content-type': 'text/html;charset=utf-8' },
  body: page('Service cannot be reached', 'The resource that you are looking for does not exist.'),
})

const page = (title: string, text: string): string =>
  `<html><head><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>`

const unknownService = (
  request: TwinRequest,
  session: ErpSession,
  name: string,
  parameters: string,
): TwinReply => {
  const version = /;v=0*(\d{1,4})/i.exec(parameters)?.[1] ?? '1'
  session.notEmulated(`service ${name}`)
  const complaint = {
    code: '/IWFND/MED/170',
    text: `No service found for namespace '', name '${name}', version '${version.padStart(4, '0')}'`,
    status: 403,
    business: false,
    target: '',
  }
  return native(
    errorAnswer(complaint, formatFor(request), { service: undefined, now: session.now, trace: request.path }),
  )
}
