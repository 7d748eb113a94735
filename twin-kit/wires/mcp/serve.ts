import type { Coverage, Fault, Session, Tables, Twin, TwinReply, TwinRequest } from '../../kernel/twin.ts'
import { answerAuthorization, json, signInPage, unauthorized } from './authorization.ts'
import { codes, idOf, isReadable, McpError, readMessage, rpcError, rpcReply } from './messages.ts'
import { answerMethod } from './methods.ts'
import { isStateless } from './revision.ts'
import { callOf, type McpEndpoint, type McpFace } from './tool.ts'

/**
 * Gives a twin its face in the Model Context Protocol, beside its own wire: at `/mcp`, and at the real host names of
 * the vendor's server. The transport is Streamable HTTP without sessions: every request is answered on its own.
 */
export const withMcp = <Section, T extends Tables>(
  twin: Twin<Section, T>,
  face: McpFace<T>,
): Twin<Section, T> => {
  const listed = coverageOf(face)
  return Object.defineProperties(
    {
      ...Object.fromEntries(
        Object.entries(Object.getOwnPropertyDescriptors(twin))
          .filter(([name]) => name !== 'coverage')
          .map(([name, { value }]) => [name, value]),
      ),
      mcp: { path: '/mcp' },
      wire: (request: TwinRequest, session: Session<T>) =>
        // A face is written for the tables of its twin, and only ever meets sessions of it.
        serveMcp(face as unknown as McpFace, request, session as unknown as Session) ??
        twin.wire(request, session),
      fault: (fault: Fault, request: TwinRequest) =>
        isMcp(face, request) ? mcpFault(fault, request) : twin.fault(fault, request),
    } as unknown as Twin<Section, T>,
    // Some twins make their coverage from data that is loaded when it is first asked for.
    { coverage: { enumerable: true, get: () => [...twin.coverage, ...listed] } },
  )
}

const coverageOf = <T extends Tables>(face: McpFace<T>): readonly Coverage[] => [
  ...face.tools.map(
    ({ name, missing, evidence = 'observed' }): Coverage =>
      missing === undefined
        ? { operation: callOf(name), status: 'done', evidence }
        : { operation: callOf(name), status: 'partial', missing, evidence },
  ),
  ...face.notEmulated.map((name): Coverage => ({ operation: callOf(name), status: 'not emulated' })),
  { operation: signInPage, status: 'not emulated' },
]

const ownPath = /^\/(?:mcp(?:\/.*)?|\.well-known\/(?:oauth-[a-z-]+|openid-configuration)(?:\/.*)?)$/

/** Whether a request is for the face: by the host where there is one, by the path otherwise. */
const isMcp = <T extends Tables>(face: McpFace<T>, { host, path }: TwinRequest): boolean =>
  host !== undefined && face.hosts.length > 0
    ? face.hosts.includes(host)
    : ownPath.test(path) || face.endpoint(path) !== undefined

/** Answers a request to the face; undefined where the request is the native wire's. */
const serveMcp = (face: McpFace, request: TwinRequest, session: Session): TwinReply | undefined => {
  if (!isMcp(face, request)) return undefined
  if (!isSameOrigin(request)) return json(403, { error: 'Forbidden: the Origin is not allowed' })
  const authorization = answerAuthorization(face, request, session)
  if (authorization) return authorization
  const endpoint = face.endpoint(request.path.replace(/\/+$/, ''))
  if (!endpoint) return json(404, { error: 'not_found' })
  if (request.method !== 'POST') return json(405, { error: 'Method not allowed' }, { allow: 'POST' })
  if (!isReadable(request.headers.accept ?? ''))
    return rpcError(
      request,
      null,
      new McpError(codes.server, 'Not Acceptable: accept application/json and text/event-stream', {
        status: 406,
      }),
    )
  if (!face.authenticate(request, session)) return unauthorized(request)
  return answer(face, endpoint, request, session)
}

const answer = (
  face: McpFace,
  { includes }: McpEndpoint,
  request: TwinRequest,
  session: Session,
): TwinReply => {
  const tools = includes ? face.tools.filter(includes) : face.tools
  let id: string | number | null = null
  try {
    const message = readMessage(request.body)
    if (message === 'no answer') {
      session.label('notification')
      return { status: 202, headers: {}, body: '' }
    }
    id = message.id
    const stateless = isStateless(request, message)
    return rpcReply(request, 200, {
      id,
      result: answerMethod({ face, tools, request, session }, message, stateless),
    })
  } catch (error) {
    if (error instanceof McpError) return rpcError(request, id, error)
    throw error
  }
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** Refuses pages of other sites, which a browser could be made to send here by rebinding a name. */
export const isSameOrigin = ({
  headers: { origin },
  baseUrl,
}: Pick<TwinRequest, 'headers' | 'baseUrl'>): boolean => {
  if (origin === undefined) return true
  try {
    const [theirs, ours] = [new URL(origin).hostname, new URL(baseUrl).hostname]
    return theirs === ours || (loopback.test(theirs) && loopback.test(ours))
  } catch {
    return false
  }
}

const faults: Readonly<Record<Exclude<Fault['kind'], 'unauthorized'>, readonly [number, number, string]>> = {
  not_found: [404, codes.server, 'Not found'],
  rate_limited: [429, codes.server, 'Rate limit exceeded'],
  internal: [500, codes.internal, 'Internal error'],
  unavailable: [503, codes.server, 'Service unavailable'],
  too_large: [413, codes.invalidRequest, 'The request is too large'],
}

const mcpFault = (fault: Fault, request: TwinRequest): TwinReply => {
  if (fault.kind === 'unauthorized') return unauthorized(request)
  const [status, code, message] = faults[fault.kind]
  const reply = rpcError(request, idOf(request.body), new McpError(code, message, { status }))
  const retry = 'retryAfterSeconds' in fault ? { 'retry-after': String(fault.retryAfterSeconds) } : {}
  return { ...reply, headers: { ...reply.headers, ...retry } }
}
