import { type Session, type TwinReply, type TwinRequest, VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { decode, readJson, readQueryString } from '@diorama/twin-kit/wires/rest'
import { authenticate } from './actor.ts'
import type { Target } from './operations/index.ts'
import { matchOf } from './operations/replay.ts'
import { answer } from './shapes/answer.ts'
import { fits } from './shapes/document.ts'
import { type Json, objectOf, segmentsOf } from './shapes/json.ts'
import type { Recording, Route, StubTables } from './tables.ts'

type StubSession = Session<StubTables>

/** Finds the service by host, or by the first segment of the path, and answers as its document or recording says. */
export const wire = (request: TwinRequest, session: StubSession): TwinReply => {
  if (!authenticate(request, session)) return answer(401, { error: 'unauthorized' })
  const place = placeOf(request, session)
  if (!place) return refuse(session, `${request.method} ${request.host ?? ''}${request.path}`)
  const { service, path } = place
  const what = `${service} ${request.method} ${path}`
  const route = routeOf(session, { service, method: request.method, path })
  try {
    const reply = route ? answerRoute({ session, request, route, path }) : replay(session, request, place)
    return reply ?? refuse(session, what)
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    return answer(error.status, error.data.body ?? { error: error.code, message: error.message })
  }
}

/** What neither a document nor a recording states is not guessed. */
const refuse = (session: StubSession, what: string): TwinReply => {
  session.label(what.slice(0, 200))
  session.notEmulated(what.slice(0, 200))
  return answer(501, {
    error: 'not_emulated',
    message: `${what.slice(0, 200)} is neither specified nor recorded.`,
  })
}

interface Located {
  readonly service: string
  /** Below the base of the service. */
  readonly path: string
  /** As it was sent to the host of the service. */
  readonly whole: string
}

const placeOf = ({ host, path }: TwinRequest, { views }: StubSession): Located | undefined => {
  const [name = ''] = segmentsOf(path)
  const below = host === undefined ? path.slice(name.length + 1) : path
  const places = host === undefined ? [...views.place.all()] : [...views.place.find('host', host)]
  const found = places
    .filter(({ service, base }) => (host === undefined ? service === name : isBelow(below, base)))
    .sort((a, b) => b.base.length - a.base.length)[0]
  if (!found) return undefined
  const { service, base } = found
  const isFull = isBelow(below, base)
  const own = (isFull ? below.slice(base.length) : below) || '/'
  return { service, path: own, whole: isFull ? below : `${base}${below}` }
}

const isBelow = (path: string, base: string): boolean => path === base || path.startsWith(`${base}/`)

const routeOf = (
  { views }: StubSession,
  { service, method, path }: { service: string; method: string; path: string },
): Route | undefined => {
  const segments = segmentsOf(path)
  const found = [...views.route.find('shape', `${service} ${segments.length}`)].filter(
    (route) => route.method === method && fits(segmentsOf(route.path), segments),
  )
  // A fixed segment wins over a parameter.
  const parameters = ({ path: template }: Route) => template.split('{').length
  return found.sort((a, b) => parameters(a) - parameters(b))[0]
}

interface Asked {
  readonly session: StubSession
  readonly request: TwinRequest
  readonly route: Route
  readonly path: string
}

const answerRoute = (asked: Asked): TwinReply | undefined => {
  const { session, request, route, path } = asked
  session.label(`${route.service} ${route.method} ${route.path}`)
  const segments = segmentsOf(path).map(decode)
  const at = (parts: readonly string[]) => `/${parts.join('/')}`
  const target: Target = { route, collection: at(segments.slice(0, -1)), record: segments.at(-1) ?? '' }
  const shown = (value: unknown) => answer(route.status, route.hasBody ? value : undefined)
  switch (route.role) {
    case 'list':
      return list(asked, at(segments))
    case 'create':
      return shown(session.call('create', { route, collection: at(segments), value: bodyOf(request, route) }))
    case 'replace':
    case 'patch':
      return shown(session.call(route.role, { ...target, value: bodyOf(request, route) }))
    case 'read':
    case 'delete':
      return shown(session.call(route.role, target))
    case 'example':
      return shown(session.call('example', { route }))
    case 'none':
      return undefined
  }
}

/** A filter that is no field of the items would have to be guessed. */
const list = ({ session, request, route }: Asked, collection: string): TwinReply | undefined => {
  const sent = [...readQueryString(request.query)].filter(
    ([, value]) => !session.principals.some(({ token }) => token === value),
  )
  const known = ([name, value]: readonly [string, string]) =>
    route.filters.includes(name) || (['limit', 'offset'].includes(name) && /^\d{1,9}$/.test(value))
  if (!sent.every(known)) return undefined
  const items = session.call('list', { route, collection, query: new Map(sent) })
  return answer(
    route.status,
    route.wrap === null ? items : { ...objectOf(route.example), [route.wrap]: items },
  )
}

const bodyOf = ({ body }: TwinRequest, { required, role, invalidStatus }: Route): Json => {
  const invalid = (message: string) => new VendorError('invalid', message, { status: invalidStatus })
  const read = readJson(body)
  if (!read.ok || !isRecord(read.value)) throw invalid('the body must be a JSON object')
  const { value } = read
  const missing = role === 'patch' ? undefined : required.find((name) => value[name] === undefined)
  if (missing !== undefined) throw invalid(`${missing} is required`)
  return value
}

const replay = (
  session: StubSession,
  request: TwinRequest,
  { service, whole }: Located,
): TwinReply | undefined => {
  const body = new TextDecoder().decode(request.body)
  const match = matchOf({ service, method: request.method, path: whole, query: request.query, body })
  const count = session.views.recording.count('match', match)
  if (count === 0) return undefined
  session.label(`${service} ${request.method} ${whole}`)
  const found = session.call<Recording | undefined>(count === 1 ? 'replay' : 'replayNext', { match })
  return found && replyOf(found)
}

const replyOf = ({ status, contentType, reply, isBase64 }: Recording): TwinReply => ({
  status,
  headers: contentType === '' ? {} : { 'content-type': contentType },
  body: isBase64 ? Uint8Array.from(atob(reply), (character) => character.charCodeAt(0)) : reply,
})
