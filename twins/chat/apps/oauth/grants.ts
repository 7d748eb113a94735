import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import { integration, VendorError } from '@diorama/twin-kit/kernel/twin'
import { botOf, teamOf } from '../../access.ts'
import type { Chat, UserRow } from '../../tables.ts'
import { appOf } from '../app.ts'
import { credentialsOf } from '../credentials.ts'

const rotatedMs = 12 * 3_600_000

/** What a client sends for tokens. */
export interface Exchange {
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
  readonly code?: string | undefined
  readonly redirect_uri?: string | undefined
  readonly grant_type?: string | undefined
  readonly refresh_token?: string | undefined
  readonly code_verifier?: string | undefined
  /** Of the credential that asks, and the scopes of tokens that were not installed, from the wire. */
  readonly token_hash?: string | undefined
  readonly held_scopes?: Readonly<Record<'bot' | 'user', readonly string[]>> | undefined
}

export const clientOf = (call: Chat) => {
  const { app_id } = botOf(call)
  return credentialsOf(app_id, call.principals, appOf(call)?.signing_secret)
}

export const requireClient = (call: Chat, { client_id, client_secret }: Exchange): void => {
  const known = clientOf(call)
  if (client_id !== known.client_id) throw new VendorError('invalid_client_id')
  if (client_secret !== known.client_secret) throw new VendorError('bad_client_secret')
}

interface Granted {
  readonly subject: string
  readonly scopes: readonly string[]
  readonly prefix: 'xoxb' | 'xoxp'
  /** The long-lived token that it takes the place of. */
  readonly replaces?: string | undefined
}

/** Gives out a token. Only its hash is kept. */
export const grant = (call: Chat, { subject, scopes, prefix, replaces }: Granted) => {
  const rotates = appOf(call)?.manifest.settings.token_rotation_enabled ?? false
  const own = call.draw('oauth token')
  const token = rotates
    ? `xoxe.${prefix}-1-${own}`
    : `${prefix}-${own.slice(0, 12)}-${own.slice(12, 24)}-${own.slice(24, 48)}`
  const refresh = rotates ? `xoxe-1-${call.draw('refresh token')}` : ''
  call.tables.oauth_token.insert({
    id: sha256(token),
    subject,
    scopes: [...scopes],
    expires: rotates ? call.now + rotatedMs : 0,
    refresh: refresh === '' ? '' : sha256(refresh),
    prefix,
    ...(replaces !== undefined && { replaces }),
  })
  return {
    access_token: token,
    scope: scopes.join(','),
    ...(rotates && { refresh_token: refresh, expires_in: rotatedMs / 1_000 }),
  }
}

/** The reply to a client that has installed an app: the tokens and their scopes. */
export const installed = (
  call: Chat,
  scopes: { readonly bot: readonly string[]; readonly user: readonly string[] },
  { user, replaces }: { readonly user: UserRow | undefined; readonly replaces?: string },
) => {
  const bot = botOf(call)
  const { id, name } = teamOf(call)
  const ofBot = scopes.bot.length > 0 && {
    ...grant(call, { subject: integration, scopes: scopes.bot, prefix: 'xoxb', replaces }),
    token_type: 'bot',
    bot_user_id: bot.user_id,
  }
  const ofUser = scopes.user.length > 0 &&
    user && {
      ...grant(call, { subject: user.subject, scopes: scopes.user, prefix: 'xoxp', replaces }),
      token_type: 'user',
    }
  return {
    ...ofBot,
    app_id: bot.app_id,
    team: { id, name },
    enterprise: null,
    is_enterprise_install: false,
    authed_user: { ...(user && { id: user.id }), ...ofUser },
  }
}
