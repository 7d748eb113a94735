import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import type { Principal, Session, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { type RestReply, readJson, readQueryString } from '@diorama/twin-kit/wires/rest'
import { actor, holderOf, organizationId, secretOf, subjectOf } from '../actor.ts'
import { byAssertion, byClientCredentials, type OAuthRefusal, redeem } from '../oauth/flows.ts'
import { deviceCode } from '../oauth/pages.ts'
import type { CrmTables } from '../tables.ts'
import { identityOf, identityUrl } from './organization.ts'

const refused = (error: string, description: string, status = 400): RestReply => ({
  status,
  body: { error, error_description: description },
})

const formOf = (request: TwinRequest): ReadonlyMap<string, string> => {
  const text = new TextDecoder().decode(request.body)
  const json = /json/.test(request.headers['content-type'] ?? '') ? readJson(request.body) : undefined
  const fields = new Map(readQueryString(request.query))
  if (json?.ok && typeof json.value === 'object' && json.value !== null)
    for (const [name, value] of Object.entries(json.value)) fields.set(name, String(value))
  else for (const [name, value] of readQueryString(text)) fields.set(name, value)
  const basic = /^Basic\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (basic) {
    const [id = '', ...secret] = Buffer.from(basic, 'base64').toString().split(':')
    fields.set('client_id', fields.get('client_id') ?? id)
    fields.set('client_secret', fields.get('client_secret') ?? secret.join(':'))
  }
  return fields
}

/** `POST /services/oauth2/token`: every grant ends in the token that the subject has anyway. */
export const grantToken = (request: TwinRequest, session: Session<CrmTables>): RestReply => {
  const form = formOf(request)
  const grant = form.get('grant_type') ?? ''
  if (grant === '' && form.get('response_type') === 'device_code') return deviceCode(form, session)
  if (grant === '') return refused('unsupported_grant_type', 'grant type not supported')
  const found = principalFor(grant, form, session)
  if (found === 'unsupported') return refused('unsupported_grant_type', 'grant type not supported')
  if (typeof found === 'string') return refused('invalid_grant', found)
  if ('error' in found) return refused(found.error, found.description)
  const caller = actor(found.subject, session.views)
  if (!caller) return refused('invalid_grant', 'authentication failure')
  session.authenticate(caller)
  session.call('login', { subject: found.subject })
  const issued = String(session.now)
  const id = identityUrl(session.baseUrl, organizationId(session.views), caller.id)
  const refreshes = ['password', 'authorization_code', 'device'].includes(grant)
  return {
    status: 200,
    body: {
      access_token: found.token,
      ...(refreshes ? { refresh_token: refreshToken(found) } : {}),
      signature: Buffer.from(sha256(`${id}${issued}`), 'hex').toString('base64'),
      scope: 'refresh_token api id full',
      instance_url: session.baseUrl,
      id,
      token_type: 'Bearer',
      issued_at: issued,
    },
  }
}

const refreshToken = ({ token }: Principal): string => `5Aep861${secretOf(token)}`

/** The subject that a grant proves to be, or why it does not. */
const principalFor = (
  grant: string,
  form: ReadonlyMap<string, string>,
  session: Session<CrmTables>,
): Principal | OAuthRefusal | string => {
  const { principals } = session
  switch (grant) {
    case 'password':
      return (
        byPassword(form.get('username') ?? '', form.get('password') ?? '', session) ??
        'authentication failure'
      )
    case 'client_credentials':
      return byClientCredentials(form, session)
    case 'refresh_token': {
      const given = form.get('refresh_token')
      return principals.find((one) => refreshToken(one) === given) ?? 'expired access/refresh token'
    }
    case 'authorization_code':
      return holderOfCode(form, principals) ?? redeem('code', form, session)
    case 'device':
      return redeem('device', form, session)
    case 'urn:ietf:params:oauth:grant-type:jwt-bearer':
      return byAssertion(form.get('assertion') ?? '', session, (name, given) =>
        byPassword(name, given, session),
      )
    default:
      return 'unsupported'
  }
}

/** The secret of a token serves as a code, for programs that cannot show a page. */
const holderOfCode = (
  form: ReadonlyMap<string, string>,
  principals: readonly Principal[],
): Principal | undefined => {
  const code = form.get('code') ?? ''
  return code === '' ? undefined : holderOf(code, principals)
}

/** `POST /services/oauth2/introspect`: whether a token is good, and whose. */
export const introspect = (request: TwinRequest, session: Session<CrmTables>): RestReply => {
  session.label('oauth2 introspect')
  const form = formOf(request)
  if ((form.get('client_id') ?? '') === '') return refused('invalid_client', 'client identifier invalid', 401)
  const token = form.get('token') ?? ''
  const principal = session.principals.find((one) => one.token === token || refreshToken(one) === token)
  const caller =
    principal && subjectOf(principal.token, session.principals, session.views)
      ? actor(principal.subject, session.views)
      : undefined
  if (!principal || !caller) return { status: 200, body: { active: false } }
  const now = Math.floor(session.now / 1_000)
  return {
    status: 200,
    body: {
      active: true,
      scope: 'refresh_token api id full',
      client_id: form.get('client_id'),
      username: session.views.User?.get(caller.id)?.Username,
      sub: identityUrl(session.baseUrl, organizationId(session.views), caller.id),
      token_type: principal.token === token ? 'access_token' : 'refresh_token',
      exp: now + 7_200,
      iat: now,
      nbf: now,
    },
  }
}

/** A user with a password: the secret of that user's own token, or the integration's for any user. */
export const byPassword = (
  username: string,
  password: string,
  session: Session<CrmTables>,
): Principal | undefined => {
  const holder = password === '' ? undefined : holderOf(password, session.principals)
  const caller = holder && actor(holder.subject, session.views)
  const user = caller && session.views.User?.get(caller.id)
  return String(user?.Username).toLowerCase() === username.toLowerCase() ? holder : undefined
}

export const revoke = (request: TwinRequest, session: Session<CrmTables>): RestReply => {
  const token = formOf(request).get('token') ?? ''
  const principal = session.principals.find((one) => one.token === token || refreshToken(one) === token)
  if (!principal || !subjectOf(principal.token, session.principals, session.views))
    return refused('invalid_token', 'invalid token')
  session.authenticate(actor(principal.subject, session.views))
  session.call('logout', { subject: principal.subject })
  return { status: 200 }
}

export const userInfo = (session: Session<CrmTables>, userId: string): RestReply => {
  const identity = identityOf({ session }, userId)
  return {
    status: 200,
    body: {
      sub: identity.id,
      user_id: identity.user_id,
      organization_id: identity.organization_id,
      preferred_username: identity.username,
      nickname: identity.nick_name,
      name: identity.display_name,
      email: identity.email,
      email_verified: true,
      given_name: identity.first_name,
      family_name: identity.last_name,
      zoneinfo: identity.timezone,
      photos: identity.photos,
      profile: `${session.baseUrl}/${userId}`,
      picture: `${session.baseUrl}/profilephoto/${userId}/F`,
      address: {},
      urls: identity.urls,
      active: identity.active,
      user_type: identity.user_type,
      language: identity.language,
      locale: identity.locale,
      utcOffset: identity.utcOffset,
      updated_at: identity.last_modified_date,
      is_app_installed: true,
    },
  }
}
