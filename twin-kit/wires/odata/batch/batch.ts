import { sha256 } from '../../../kernel/canonical.ts'
import { VendorError } from '../../../kernel/twin.ts'
import { type Answer, type Context, formatOf, type ODataRequest } from '../context.ts'
import { fault } from '../faults.ts'
import { parseQuery } from '../query/options.ts'
import {
  boundaryOf,
  composeMultipart,
  type HttpMessage,
  type Part,
  parseMultipart,
  parseRequest,
} from './multipart.ts'

/** The parsers of batches look at the words, not at the numbers alone. */
const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  204: 'No Content',
  304: 'Not Modified',
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  428: 'Precondition Required',
  500: 'Internal Server Error',
  501: 'Not Implemented',
}

type Perform = (request: ODataRequest, context: Context) => Answer

/** Answers a `$batch`: reads one by one, each changeset whole or not at all. */
export const batch = (request: ODataRequest, context: Context, perform: Perform): Answer => {
  if (request.method.toUpperCase() !== 'POST') throw fault('method_not_allowed', { method: request.method })
  const boundary = boundaryOf(request.headers['content-type'] ?? '')
  if (boundary === undefined)
    throw fault('batch_malformed', { reason: 'it is not multipart/mixed with a boundary' })
  const text = new TextDecoder().decode(request.body)
  const parts = parseMultipart(text, boundary)
  const changesets = parts.map(({ headers }) => boundaryOf(headers['content-type'] ?? ''))
  if (changesets.some((inner) => inner !== undefined)) context.beforeChanges()
  // Some clients split at the outer boundary wherever it is, so the inner ones must not begin with it.
  const mark = sha256(text).slice(0, 24)
  const answers = parts.map((part, n) => {
    const inner = changesets[n]
    return inner === undefined
      ? alone(part, context, perform)
      : changeset(part, inner, `${n}_${mark}`, context, perform)
  })
  context.session.label('POST $batch')
  return {
    status: 202,
    headers: { 'content-type': `multipart/mixed; boundary=${mark}`, dataserviceversion: '2.0' },
    body: composeMultipart(answers, mark),
  }
}

/** Runs work that may be refused, and gives the refusal the vendor's shape. */
const attempt = (
  accept: string | undefined,
  format: string | undefined,
  context: Context,
  work: () => Answer,
): Answer => {
  try {
    return work()
  } catch (error) {
    if (error instanceof VendorError) return context.refuse(error, formatOf(format, accept))
    throw error
  }
}

const alone = (part: Part, context: Context, perform: Perform): string =>
  writePart(
    attempt(undefined, 'json', context, () => {
      const message = messageOf(part)
      const request = inner(message, context, new Map())
      return attempt(message.headers.accept, formatParameter(request.query), context, () => {
        if (message.method !== 'GET' && message.method !== 'HEAD') throw fault('batch_write_outside')
        return perform(request, context)
      })
    }),
    undefined,
  )

const formatParameter = (query: string): string | undefined => {
  try {
    return parseQuery(query).get('$format')
  } catch {
    return undefined
  }
}

const messageOf = (part: Part): HttpMessage => {
  if (!/^application\/http\b/i.test(part.headers['content-type'] ?? ''))
    throw fault('batch_malformed', { reason: 'a part is not application/http' })
  return parseRequest(part.body)
}

/** All requests of a changeset, or the one refusal that took them back. */
const changeset = (
  part: Part,
  boundary: string,
  mark: string,
  context: Context,
  perform: Perform,
): string => {
  let accept: string | undefined
  try {
    const answers = context.session.atomic(() => {
      const places = new Map<string, string>()
      return parseMultipart(part.body, boundary).map((each) => {
        const message = messageOf(each)
        accept = message.headers.accept
        if (message.method === 'GET' || message.method === 'HEAD') throw fault('batch_read_inside')
        const contentId = each.headers['content-id'] ?? message.headers['content-id']
        const answer = perform(inner(message, context, places), context)
        const { location } = answer.headers
        if (contentId !== undefined && location !== undefined)
          places.set(contentId, location.slice(context.root.length + 1))
        return writePart(answer, contentId)
      })
    })
    const body = composeMultipart(answers, mark)
    return `Content-Type: multipart/mixed; boundary=${mark}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    return writePart(
      context.refuse(error, formatOf(accept === undefined ? 'json' : undefined, accept)),
      undefined,
    )
  }
}

/** The request inside a part: its address may be whole, from the host's root, or below the service. */
const inner = (message: HttpMessage, context: Context, places: ReadonlyMap<string, string>): ODataRequest => {
  const { method, url, headers, body } = message
  const address = relative(url, context)
  const [path = '', ...query] = address.split('?')
  const referred = path.replace(/^\/?\$([^/()]+)/, (whole, id: string) => places.get(id) ?? whole)
  return { method, path: referred, query: query.join('?'), headers, body: Buffer.from(body) }
}

const relative = (url: string, { rootPath }: Context): string => {
  const path = url.replace(/^https?:\/\/[^/]+/i, '')
  const below = path.toLowerCase().indexOf(`${rootPath.toLowerCase()}/`)
  if (below !== -1) return path.slice(below + rootPath.length)
  if (path.startsWith('/')) {
    // Another spelling of the same root still names this service.
    const name = rootPath.split('/').at(-1)?.split(';')[0] ?? ''
    const at = path.indexOf(`/${name}`)
    if (at !== -1) return path.slice(at + name.length + 1).replace(/^;[^/]*/, '')
  }
  return path
}

const writePart = ({ status, headers, body }: Answer, contentId: string | undefined): string => {
  const line = `HTTP/1.1 ${status} ${reasons[status] ?? 'Error'}`
  // Clients read the body as the last line, so it must be one.
  const flat = body.replace(/\r?\n/g, ' ')
  const all = { ...headers, 'content-length': String(Buffer.byteLength(flat)) }
  const message = [line, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`), '', flat].join(
    '\r\n',
  )
  const own = [
    'Content-Type: application/http',
    `Content-Length: ${Buffer.byteLength(message)}`,
    'content-transfer-encoding: binary',
    ...(contentId === undefined ? [] : [`Content-ID: ${contentId}`]),
  ]
  return `${own.join('\r\n')}\r\n\r\n${message}`
}
