import {
  integration,
  type Session,
  type TwinReply,
  type TwinRequest,
  VendorError,
} from '@diorama/twin-kit/kernel/twin'
import { credentialOf, readArguments, readForm } from '@diorama/twin-kit/wires/rpc'
import { readMultipart } from '@diorama/twin-kit/wires/rpc-multipart'
import { actor, webhookSecret } from '../actor.ts'
import { consentPage } from '../apps/oauth/consent-page.ts'
import { openIdDocument } from '../apps/oauth/openid.ts'
import { respond } from '../apps/response-urls.ts'
import { linkReply } from '../apps/socket-mode.ts'
import { squarePng } from '../operations/files/picture.ts'
import { type Downloaded, downloadFile, incomingWebhook, uploadBytes } from '../operations/files/transfers.ts'
import type { ChatTables } from '../tables.ts'
import { bytesReply, fileReply, textReply } from './reply.ts'

type ChatSession = Session<ChatTables>

/** What the service answers beside its methods. */
export const otherPaths = (request: TwinRequest, session: ChatSession): TwinReply => {
  const { path } = request
  if (path === '/link' || path === '/link/') return linkReply(request, session.call)
  const picture = /^\/(?:avatars|emoji)\/([\w-]+?)(?:_(\d{1,4}))?\.png$/.exec(path)
  if (picture) return bytesReply('image/png', squarePng(Number(picture[2] ?? 64), colourOf(picture[1] ?? '')))
  const ticket = /^\/upload\/v1\/([A-Z0-9]+)$/.exec(path)?.[1]
  if (ticket !== undefined) return upload(request, session, ticket)
  const file = /^\/files-(pri|pub|tmb)\/[A-Z0-9]+-([A-Z0-9]+)\//.exec(path)
  if (file) return download(request, session, file[2] ?? '', file[1] === 'pub')
  if (/^\/(?:oauth\/v2|openid\/connect)\/authorize$/.test(path)) return consentPage(request, session)
  const openId = openIdDocument(path, session.baseUrl)
  if (openId) return openId
  const response = /^\/actions\/[A-Z0-9]+\/([0-9a-f]+)$/.exec(path)?.[1]
  if (response !== undefined) return answerAction(request, session, response)
  const hook = /^\/services\/([A-Z0-9]+)\/([A-Z0-9]+)\/(\w+)$/.exec(path)
  if (hook) return webhook(request, session, { team: hook[1], bot: hook[2], secret: hook[3] })
  if (path.startsWith('/services/')) return textReply(404, 'no_service')
  session.notEmulated(`${request.method} ${path}`)
  return page(404, 'There’s been a glitch…', 'This page does not exist in this workspace.')
}

const page = (status: number, title: string, text: string): TwinReply => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>`,
})

const colourOf = (name: string): string =>
  [...name]
    .reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 0xffffff, 7)
    .toString(16)
    .padStart(6, '5')

/** Clients send the bytes raw or as the one file of a multipart body, whatever the content type says. */
const upload = (request: TwinRequest, session: ChatSession, ticket: string): TwinReply => {
  session.label(uploadBytes)
  const parts = readMultipart(request.body, request.headers['content-type'] ?? '')
  const bytes = Object.values(parts?.files ?? {})[0]?.bytes ?? request.body
  try {
    const { length } = session.call<{ length: number }>(uploadBytes, { ticket, bytes })
    return textReply(200, `OK - ${length}`)
  } catch (error) {
    if (error instanceof VendorError) return textReply(error.status, error.code)
    throw error
  }
}

const signIn = (session: ChatSession, path: string): TwinReply => ({
  status: 302,
  headers: { location: `${session.baseUrl}/?redir=${encodeURIComponent(path)}`, 'content-type': 'text/html' },
  body: '',
})

const download = (request: TwinRequest, session: ChatSession, file: string, isPublic: boolean): TwinReply => {
  session.label(downloadFile)
  const credential = credentialOf(request, readForm(request.query), 't')
  const principal = session.principals.find(({ token }) => token === credential)
  const caller = principal && actor(principal.subject, session.views)
  if (caller) session.authenticate(caller)
  if (!caller && !isPublic) return signIn(session, request.path)
  try {
    const isDownload = request.path.includes('/download/')
    return fileReply({ ...session.call<Downloaded>(downloadFile, { file, isPublic }), isDownload })
  } catch (error) {
    if (error instanceof VendorError)
      return page(404, 'File not found', 'The file is gone or not yours to see.')
    throw error
  }
}

interface Hook {
  readonly team: string | undefined
  readonly bot: string | undefined
  readonly secret: string | undefined
}

/** Incoming webhooks answer in plain text. */
const webhook = (request: TwinRequest, session: ChatSession, hook: Hook): TwinReply => {
  session.label(incomingWebhook)
  const principal = session.principals.find(({ subject }) => subject === integration)
  const caller = principal && actor(principal.subject, session.views)
  if (!caller || !session.views.team.has(hook.team ?? '') || !session.views.bot.has(hook.bot ?? ''))
    return textReply(404, 'no_service')
  if (hook.secret !== webhookSecret(session.principals)) return textReply(403, 'invalid_token')
  session.authenticate(caller)
  try {
    session.call(incomingWebhook, readPayload(request))
    return textReply(200, 'ok')
  } catch (error) {
    if (error instanceof VendorError) return textReply(error.status, error.code)
    throw error
  }
}

/** What an app says at a response URL, which is credential enough. */
const answerAction = (request: TwinRequest, session: ChatSession, id: string): TwinReply => {
  session.label(respond)
  try {
    session.call(respond, { id, said: readPayload(request) })
    return textReply(200, 'ok')
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    return {
      status: error.status === 404 ? 404 : 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ ok: false, error: error.code }),
    }
  }
}

/** JSON, or a form whose `payload` is JSON. */
const readPayload = (request: TwinRequest): unknown => {
  const { args, fault } = readArguments(request, { takesJson: true })
  if (fault === undefined && args.payload === undefined) return args
  const text = typeof args.payload === 'string' ? args.payload : new TextDecoder().decode(request.body)
  try {
    return JSON.parse(text)
  } catch {
    throw new VendorError('invalid_payload', 'the payload is no JSON', { status: 400 })
  }
}
