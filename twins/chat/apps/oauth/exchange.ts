import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import { integration, VendorError } from '@diorama/twin-kit/kernel/twin'
import type { Chat } from '../../tables.ts'
import { appOf } from '../app.ts'
import { type Exchange, installed, requireClient } from './grants.ts'

/** A token that lasts, by the key under which it is revoked. */
interface LongLived {
  readonly key: string
  readonly subject: string
  readonly scopes: readonly string[]
}

const longLived = (call: Chat, { token_hash, held_scopes }: Exchange): LongLived => {
  const granted = call.tables.oauth_token.get(token_hash ?? '')
  const principal = call.principals.find(({ token }) => sha256(token) === token_hash)
  const subject = granted?.subject ?? principal?.subject
  if (subject === undefined || (granted?.expires ?? 0) > 0) throw new VendorError('invalid_token')
  const kind = subject === integration ? 'bot' : 'user'
  const asked = appOf(call)?.manifest.oauth_config.scopes[kind]
  return {
    key: granted?.id ?? subject,
    subject,
    scopes: granted?.scopes ?? asked ?? held_scopes?.[kind] ?? [],
  }
}

/** Gives an expiring token for one that lasts. The latter ends when the former is first refreshed. */
export const exchange = (call: Chat, given: Exchange) => {
  requireClient(call, given)
  if (!appOf(call)?.manifest.settings.token_rotation_enabled)
    throw new VendorError('token_rotation_not_enabled')
  const { key, subject, scopes } = longLived(call, given)
  if (call.tables.revoked_token.has(key)) throw new VendorError('authorization_not_found')
  if (call.tables.exchanged_token.has(key)) throw new VendorError('token_already_exchanged')
  call.tables.exchanged_token.insert({ id: key, is_expired: false })
  const isBot = subject === integration
  return installed(
    call,
    { bot: isBot ? scopes : [], user: isBot ? [] : scopes },
    { user: isBot ? undefined : call.tables.user.first('subject', subject), replaces: key },
  )
}

/** To be called when a token is refreshed: the one that it was exchanged for ends. */
export const expireReplaced = (call: Chat, key: string | undefined): void => {
  if (key !== undefined) call.tables.exchanged_token.update(key, { is_expired: true })
}
