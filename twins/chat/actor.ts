import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import {
  type Actor,
  integration,
  type Principal,
  type Session,
  type TwinIdentity,
} from '@diorama/twin-kit/kernel/twin'
import type { ChatTables, ChatViews } from './tables.ts'

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A token as the service's clients expect it: `xoxb-` for the bot, `xoxp-` for a person. */
export const token = (subject: string, secret: string, views: ChatViews): string => {
  const hex = sha256(`${subject}:${secret}`)
  const team = digits([...views.team.all()][0]?.id ?? '')
  const user = digits(views.user.first('subject', subject)?.id ?? '')
  return subject === integration
    ? `xoxb-${team}-${user}-${base62(hex, 24)}`
    : `xoxp-${team}-${user}-${user}-${hex.slice(0, 32)}`
}

/** The id as a number of thirteen digits, by FNV-1a: every person's token has two of them, and none is a secret. */
const digits = (id: string): string => {
  let [high, low] = [0x811c9dc5, 0x01000193]
  for (let n = 0; n < id.length; n++) {
    high = Math.imul(high ^ id.charCodeAt(n), 0x01000193)
    low = Math.imul(low + high, 0x85ebca6b) ^ (low >>> 13)
  }
  return String(1_000_000_000_000 + (high >>> 0) * 0x400 + ((low >>> 0) % 0x400))
}

const base62 = (hex: string, length: number): string => {
  let rest = BigInt(`0x${hex}`)
  let text = ''
  for (let n = 0; n < length; n++) {
    text += letters[Number(rest % 62n)] ?? '0'
    rest /= 62n
  }
  return text
}

/** The account that a subject acts as. */
export const actor = (subject: string, views: ChatViews): Actor | undefined => {
  const user = views.user.first('subject', subject)
  return user && { id: user.id, name: user.name, subject }
}

/** The native account of each person. */
export const identities = (views: ChatViews): readonly TwinIdentity[] =>
  [...views.user.find('all', 'all')]
    .filter(({ subject }) => subject !== '')
    .map(({ subject, id, real_name, profile }) => ({
      subject,
      nativeId: id,
      name: real_name,
      email: profile.email ?? '',
    }))

/** The secret of the workspace's incoming webhook: made of the bot's token, which it does not give away. */
export const webhookSecret = (principals: readonly Principal[]): string | undefined => {
  const botToken = principals.find(({ subject }) => subject === integration)?.token
  return botToken === undefined ? undefined : sha256(botToken).slice(0, 24)
}

/** Reports to the session who is calling; returns the refusal where the credential is not valid. */
export const authenticate = (
  session: Session<ChatTables>,
  credential: string | undefined,
): string | undefined => {
  if (credential === undefined) return 'not_authed'
  const principal = session.principals.find((one) => one.token === credential)
  const granted = principal ? undefined : session.views.oauth_token.get(sha256(credential))
  const subject = principal?.subject ?? granted?.subject
  const caller = subject === undefined ? undefined : actor(subject, session.views)
  if (subject === undefined || !caller) return 'invalid_auth'
  if (granted && granted.expires > 0 && granted.expires < session.now) return 'token_expired'
  const key = principal ? subject : sha256(credential)
  if (session.views.revoked_token.has(key)) return 'token_revoked'
  if (session.views.exchanged_token.get(key)?.is_expired) return 'token_expired'
  if (session.views.user.get(caller.id)?.deleted) return 'account_inactive'
  session.authenticate(caller)
  return undefined
}

/** The scopes of a credential where they are fewer than all: those that were granted, or that the app's manifest asks for. */
export const grantedScopes = (
  session: Session<ChatTables>,
  credential: string | undefined,
  kind: 'bot' | 'user',
): readonly string[] | undefined => {
  const granted = credential === undefined ? undefined : session.views.oauth_token.get(sha256(credential))
  if (granted) return granted.scopes
  const [bot] = session.views.bot.all()
  return session.views.app.get(bot?.app_id ?? '')?.manifest.oauth_config.scopes[kind]
}
