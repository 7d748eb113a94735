import { readFile } from 'node:fs/promises'
import { extname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Sealing } from '../../storage/secrets/sealing.ts'
import { ApiError } from '../api-error.ts'
import type { Caller } from '../handler.ts'
import { parseJson } from '../parsing/body.ts'
import { mountHandbook } from '../reference/served-docs.ts'
import { consoleHeader, readSessionCookie, sessionCookie, sessionCookiePath } from './session-cookie.ts'

export interface ConsoleParts {
  /** Sessions hold on every node that has the same encryption key. */
  readonly sealing: Sealing
  readonly random: (bytes: number) => Uint8Array
  readonly now: () => number
  readonly authenticate: (authorization: string | undefined) => Caller | Promise<Caller>
  /** Where clients reach the service: over https the cookie is sent over https alone. */
  readonly baseUrl: () => string
  /** The built files; those of this checkout when left out. */
  readonly folder?: string
}

const builtFolder = fileURLToPath(new URL('../../../../console/dist', import.meta.url))

/** The addresses that the console answers for on its own; every other path stays the service's own. */
const pages = [
  'worlds',
  'evaluations',
  'suites',
  'scorers',
  'agents',
  'telemetry',
  'settings',
  'twins',
  'deliveries',
  'models',
  'datasets',
]
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.html': 'text/html; charset=utf-8',
}
const sessionHours = 12
/** Anybody can send this, so it is read into memory only where it can be a key. */
const maxSignInBytes = 4_096

/** Serves the console, and lets it in by a cookie that its own scripts cannot read. */
export const mountConsole = async (edge: FastifyInstance, parts: ConsoleParts): Promise<void> => {
  const folder = resolve(parts.folder ?? builtFolder)
  mountHandbook(edge)
  edge.addHook('onRequest', (request, _reply, done) => {
    const isConsole =
      request.headers.authorization === undefined && request.headers[consoleHeader] !== undefined
    if (isConsole && request.raw.url?.startsWith(`${sessionCookiePath}/`)) {
      const secret = openSession(readSessionCookie(request.headers.cookie), parts)
      if (secret !== undefined) request.headers.authorization = `Bearer ${secret}`
    }
    done()
  })
  const page = (_request: FastifyRequest, reply: FastifyReply) => sendPage(folder, parts, reply)
  // Somebody who mistyped an address in a browser gets the product's own page; programs get an error as everywhere.
  edge.get('/*', { exposeHeadRoute: false }, async (request, reply) =>
    isVisit(request) ? sendPage(folder, parts, reply, 404) : reply.callNotFound(),
  )
  edge.get('/', page)
  for (const name of pages) {
    edge.get(`/${name}`, page)
    edge.get(`/${name}/*`, page)
  }
  edge.get<{ Params: { '*': string } }>('/assets/*', (request, reply) =>
    sendAsset(folder, request.params['*'], reply),
  )
  edge.post('/console/session', { bodyLimit: maxSignInBytes }, async (request, reply) => {
    demandMark(request)
    const key = keyIn(request.body)
    await parts.authenticate(`Bearer ${key}`)
    return reply
      .header('set-cookie', cookie(sealSession(key, parts), parts, sessionHours * 3_600))
      .status(204)
      .send()
  })
  edge.delete('/console/session', async (request, reply) => {
    demandMark(request)
    return reply
      .header('set-cookie', [cookie('', parts, 0), olderCookie])
      .status(204)
      .send()
  })
}

const isVisit = ({ method, headers, raw }: FastifyRequest): boolean =>
  method === 'GET' &&
  headers.accept?.includes('text/html') === true &&
  !/^\/(v1|t|mcp|assets|console)(\/|\?|$)/.test(raw.url ?? '')

const demandMark = (request: FastifyRequest): void => {
  if (request.headers[consoleHeader] === undefined)
    throw new ApiError('forbidden', `Send the header ${consoleHeader}: 1; it shows that no other page asks.`)
}

const keyIn = (body: unknown): string => {
  const value = body instanceof Uint8Array ? parseJson(body) : undefined
  const key = typeof value === 'object' && value !== null ? Reflect.get(value, 'key') : undefined
  if (typeof key === 'string' && /^\S{1,200}$/.test(key)) return key
  throw new ApiError('malformed', 'Send {"key": "dk_…"}.', {
    details: [{ pointer: '/key', message: 'must be an API key' }],
  })
}

const cookie = (value: string, { baseUrl }: ConsoleParts, maxAge: number): string => {
  const secure = baseUrl().startsWith('https:') ? '; Secure' : ''
  return `${sessionCookie}=${value}; Path=${sessionCookiePath}; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure}`
}

/** Sessions of before 0.2.0 were sent everywhere; signing out ends them as well. */
const olderCookie = `${sessionCookie}=; Path=/; Max-Age=0`

const sealContext = 'console session'
const maxCookieLength = 2_000

const sealSession = (secret: string, { sealing, now }: ConsoleParts): string =>
  sealing.seal(JSON.stringify([now() + sessionHours * 3_600_000, secret]), sealContext)

/** A cookie that was changed, forged or is too old opens to nothing. */
const openSession = (value: string | undefined, { sealing, now }: ConsoleParts): string | undefined => {
  if (value === undefined || value.length > maxCookieLength) return undefined
  try {
    const [until, secret]: unknown[] = JSON.parse(sealing.open(value, sealContext))
    return typeof until === 'number' && until > now() && typeof secret === 'string' ? secret : undefined
  } catch {
    return undefined
  }
}

const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

const sendPage = async (folder: string, { random }: ConsoleParts, reply: FastifyReply, found = 200) => {
  const nonce = Buffer.from(random(16)).toString('base64url')
  const built = await readText(join(folder, 'index.html'))
  return reply
    .headers({
      'content-security-policy': policy(nonce),
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    .status(built === undefined ? 503 : found)
    .type('text/html; charset=utf-8')
    .send(built === undefined ? notBuilt : built.replace('%NONCE%', nonce))
}

const sendAsset = async (folder: string, name: string, reply: FastifyReply) => {
  const path = resolve(folder, 'assets', name)
  const type = types[extname(path)]
  const bytes = path.startsWith(`${folder}${sep}assets${sep}`) && type ? await readBytes(path) : undefined
  if (!bytes || !type) throw new ApiError('not_found', 'There is no such file of the console.')
  return reply
    .headers({ 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' })
    .type(type)
    .send(bytes)
}

const readBytes = (path: string): Promise<Buffer | undefined> => readFile(path).catch(absent)
const readText = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(absent)
const absent = (): undefined => undefined

const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Diorama</title>
<h1>The console is not built</h1><p>The service runs; its reference is at <a href="/docs">/docs</a>.
Build the console with <code>node console/build.mjs</code>, or start with <code>npm start</code>, and load this page again.</p></html>`
