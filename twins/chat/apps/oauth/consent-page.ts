import { type Session, type TwinReply, type TwinRequest, VendorError } from '@diorama/twin-kit/kernel/twin'
import { readForm } from '@diorama/twin-kit/wires/rpc'
import type { ChatTables } from '../../tables.ts'
import { consent } from './oauth.ts'

const safe = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const page = (status: number, title: string, body: string): TwinReply => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  body: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${safe(title)}</title></head><body><h1>${safe(title)}</h1>${body}</body></html>`,
})

const carried = ['client_id', 'scope', 'user_scope', 'redirect_uri', 'state', 'nonce', 'code_challenge']

/** Asks a person whether an app may be installed, and sends them back with a code. Their token takes the place of a login. */
export const consentPage = (request: TwinRequest, session: Session<ChatTables>): TwinReply => {
  const isOpenId = request.path.startsWith('/openid/')
  session.label('oauth authorize')
  const sent = request.method === 'POST' ? new TextDecoder().decode(request.body) : request.query
  const form = readForm(sent)
  const field = (name: string): string => String(form[name] ?? '')
  if (request.method !== 'POST') return asked(request, session, field)
  if (field('answer') === 'deny')
    return back(field('redirect_uri'), { error: 'access_denied', state: field('state') })
  try {
    const { redirect, code } = session.call<{ redirect: string; code: string }>(consent, {
      client_id: field('client_id'),
      scope: field('scope'),
      user_scope: field('user_scope'),
      redirect_uri: field('redirect_uri'),
      nonce: field('nonce'),
      code_challenge: field('code_challenge'),
      credential: field('token'),
      isOpenId,
    })
    return back(redirect, { code, state: field('state') })
  } catch (error) {
    if (!(error instanceof VendorError)) throw error
    return page(400, 'Something went wrong', `<p>${safe(error.code)}</p>`)
  }
}

const back = (redirect: string, given: Readonly<Record<string, string>>): TwinReply => {
  const url = URL.parse(redirect)
  if (!url) return page(400, 'Something went wrong', '<p>bad_redirect_uri</p>')
  for (const [name, value] of Object.entries(given)) url.searchParams.set(name, value)
  return { status: 302, headers: { location: url.href, 'cache-control': 'no-store' }, body: '' }
}

const asked = (
  request: TwinRequest,
  session: Session<ChatTables>,
  field: (name: string) => string,
): TwinReply => {
  const [team] = session.views.team.all()
  const [bot] = session.views.bot.all()
  const scopes = `${field('scope')},${field('user_scope')}`.split(/[\s,]+/).filter(Boolean)
  const hidden = carried.map((name) => `<input type="hidden" name="${name}" value="${safe(field(name))}">`)
  return page(
    200,
    `${bot?.name ?? 'An app'} is requesting permission to access ${team?.name ?? 'the workspace'}`,
    `<ul>${scopes.map((scope) => `<li>${safe(scope)}</li>`).join('')}</ul>
<form method="post" action="${safe(`${request.baseUrl}${request.path}`)}">${hidden.join('')}
<label>Your token in this workspace <input name="token" type="password" required></label>
<button name="answer" value="allow">Allow</button> <button name="answer" value="deny" formnovalidate>Cancel</button></form>`,
  )
}
