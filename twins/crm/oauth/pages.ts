import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import type { Principal, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { type RestReply, readQueryString } from '@diorama/twin-kit/wires/rest'
import { appOf, type CrmSession, newCode } from './flows.ts'
import { authorizationsIn } from './requests.ts'

const safe = (text: string): string => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)

const html = (status: number, title: string, body: string): RestReply => ({
  status,
  headers: {
    'content-type': 'text/html; charset=UTF-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  },
  body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${safe(title)}</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:24rem;margin:10vh auto;padding:0 1rem}label{display:block;margin:1rem 0 .25rem}input{width:100%;box-sizing:border-box;padding:.5rem;font:inherit}button{font:inherit;padding:.5rem 1rem;margin:1rem .5rem 0 0}.bad{color:#a11}</style></head><body><h1>${safe(title)}</h1>${body}</body></html>`,
})

const field = (name: string, label: string, type = 'text', value = ''): string =>
  `<label for="${name}">${label}</label><input id="${name}" name="${name}" type="${type}" value="${safe(value)}" autocomplete="off">`

/** A login: the password is the secret of the user's token. */
const login = `${field('username', 'Username')}${field('password', 'Password', 'password')}<button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button>`

const back = (redirectUri: string, answer: Record<string, string | undefined>): RestReply => {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(answer))
    if (value !== undefined) url.searchParams.set(name, value)
  return { status: 302, headers: { location: url.href, 'cache-control': 'no-store' } }
}

export interface PageCall {
  readonly request: TwinRequest
  readonly session: CrmSession
  readonly byPassword: (username: string, password: string) => Principal | undefined
}

const fieldsOf = ({ method, query, body }: TwinRequest): Map<string, string> =>
  new Map([
    ...readQueryString(query),
    ...(method === 'POST' ? readQueryString(new TextDecoder().decode(body)) : []),
  ])

const codeMs = 15 * 60_000
const deviceMs = 10 * 60_000

/** `/services/oauth2/authorize`: asks a person, and leads back to the app with a code. */
export const authorizePage = ({ request, session, byPassword }: PageCall): RestReply => {
  session.label('oauth2 authorize')
  const fields = fieldsOf(request)
  const [clientId, redirectUri] = [fields.get('client_id') ?? '', fields.get('redirect_uri') ?? '']
  const app = clientId === '' ? undefined : appOf(clientId, session)
  if (!app) return html(400, 'invalid_client_id', '<p>client identifier invalid</p>')
  const known = app === 'any' ? URL.canParse(redirectUri) : app.redirectUris.includes(redirectUri)
  if (!known) return html(400, 'redirect_uri_mismatch', '<p>redirect_uri must match configuration</p>')
  const state = fields.get('state')
  const refuse = (error: string, error_description: string) =>
    back(redirectUri, { error, error_description, state })
  if (fields.get('response_type') !== 'code') {
    session.notEmulated(`oauth2 response_type ${fields.get('response_type') ?? ''}`)
    return refuse('unsupported_response_type', 'response type must be code')
  }
  const challenge = fields.get('code_challenge') ?? ''
  if (challenge !== '' && !/^[\w-]{43}$/.test(challenge))
    return refuse('invalid_request', 'invalid code challenge')
  if (request.method === 'POST') {
    if (fields.get('decision') === 'deny') return refuse('access_denied', 'end-user denied authorization')
    const principal = byPassword(fields.get('username') ?? '', fields.get('password') ?? '')
    if (principal) {
      const code = newCode(session)
      const { subject } = principal
      const row = { id: sha256(code), kind: 'code', userCode: '', clientId, redirectUri, challenge, subject }
      session.call('keep authorization', { ...row, expiresAt: session.now + codeMs })
      return back(redirectUri, { code, state })
    }
  }
  const carried = [...fields].filter(([name]) => !['username', 'password', 'decision'].includes(name))
  const hidden = carried.map(
    ([name, value]) => `<input type="hidden" name="${safe(name)}" value="${safe(value)}">`,
  )
  const failed =
    request.method === 'POST'
      ? '<p class="bad" role="alert">Please check your username and password.</p>'
      : ''
  return html(
    failed ? 403 : 200,
    'Allow Access?',
    `<p>${safe(clientId)} is asking for access to your account.</p>${failed}<form method="post">${hidden.join('')}${login}</form>`,
  )
}

/** The first step of a device: a code for it, and a short one for the person who connects it. */
export const deviceCode = (form: ReadonlyMap<string, string>, session: CrmSession): RestReply => {
  session.label('oauth2 device_code')
  const clientId = form.get('client_id') ?? ''
  if (clientId === '' || !appOf(clientId, session))
    return {
      status: 400,
      body: { error: 'invalid_client_id', error_description: 'client identifier invalid' },
    }
  const code = newCode(session)
  const userCode = sha256(code).slice(0, 8).toUpperCase()
  const row = {
    id: sha256(code),
    kind: 'device',
    userCode,
    clientId,
    redirectUri: '',
    challenge: '',
    subject: '',
  }
  session.call('keep authorization', { ...row, expiresAt: session.now + deviceMs })
  return {
    status: 200,
    body: {
      user_code: userCode,
      device_code: code,
      interval: 5,
      verification_uri: `${session.baseUrl}/setup/connect`,
    },
  }
}

/** `/setup/connect`: a person types the short code of a device and agrees. */
export const connectPage = ({ request, session, byPassword }: PageCall): RestReply => {
  session.label('setup connect')
  const fields = fieldsOf(request)
  const userCode = (fields.get('user_code') ?? '').trim().toUpperCase()
  const form = (complaint = '') =>
    html(
      complaint ? 403 : 200,
      'Connect Your Device',
      `${complaint ? `<p class="bad" role="alert">${complaint}</p>` : ''}<form method="post">${field('user_code', 'Code', 'text', userCode)}${login}</form>`,
    )
  if (request.method !== 'POST') return form()
  const row = userCode === '' ? undefined : authorizationsIn(session.views).first('userCode', userCode)
  if (!row || row.expiresAt <= session.now) return form('The code is not valid.')
  if (fields.get('decision') === 'deny') {
    session.call('spend authorization', { id: row.id })
    return html(200, 'Denied', '<p>The device was not connected.</p>')
  }
  const principal = byPassword(fields.get('username') ?? '', fields.get('password') ?? '')
  if (!principal) return form('Please check your username and password.')
  session.call('agree to authorization', { id: row.id, subject: principal.subject })
  return html(200, "You're Connected", '<p>The device can go on now.</p>')
}
