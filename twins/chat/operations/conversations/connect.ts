import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { requireMember, selfOf, teamOf, visibleChannel } from '../../access.ts'
import { flag, int, list, method, must, str } from '../../methods/method.ts'
import { clampLimit, makeCursor, nextCursor, readCursor } from '../../methods/pages.ts'
import { type ConnectInvite, inviteSeconds } from '../../shapes/connect-events.ts'
import type { Chat } from '../../tables.ts'
import { nativeId } from '../../values/ids.ts'
import { nowSeconds } from '../../values/time.ts'

const maxRecipients = 1

const shape = (call: Chat, row: ConnectInvite) => {
  const team = teamOf(call)
  const channel = call.tables.channel.get(row.channel)
  return {
    direction: 'outgoing',
    status: row.status,
    date_last_updated: row.updated,
    invite_type: 'channel',
    invite: {
      id: row.id,
      date_created: row.created,
      date_invalid: row.created + inviteSeconds,
      inviting_team: { id: team.id, name: team.name, domain: team.domain },
      inviting_user: { id: row.user, team_id: team.id },
      ...(row.email !== undefined && { recipient_email: row.email }),
      ...(row.recipient !== undefined && { recipient_user_id: row.recipient }),
    },
    channel: { id: row.channel, name: channel?.name ?? '', is_private: channel?.kind === 'private_channel' },
    acceptances: [],
  }
}

const pending = (call: Chat, id: string): ConnectInvite => {
  const row = call.tables.connect_invite.get(id)
  if (!row) throw new VendorError('invite_not_found')
  return row
}

export const connectMethods = {
  'conversations.inviteShared': method({
    effect: 'write',
    args: { channel: must(str), emails: list, user_ids: list, external_limited: flag },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel)
      if (channel.users) throw new VendorError('invalid_channel_type')
      requireMember(call, channel)
      if (channel.is_archived) throw new VendorError('channel_archived')
      if (channel.is_general) throw new VendorError('cannot_share_mandatory_channel')
      const [emails, users] = [args.emails ?? [], args.user_ids ?? []]
      if (emails.length + users.length === 0) throw new VendorError('recipients_not_specified')
      if (emails.length > maxRecipients) throw new VendorError('too_many_emails')
      const [email] = emails
      if (email !== undefined && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email))
        throw new VendorError('invalid_email')
      const [recipient] = users
      // Everyone whom the twin knows belongs to this workspace; outsiders are invited by address.
      if (recipient !== undefined) throw new VendorError('user_not_found')
      const now = nowSeconds(call)
      const row = call.tables.connect_invite.insert({
        id: nativeId('I', call.draw('connect invite')),
        channel: channel.id,
        user: selfOf(call),
        ...(email !== undefined && { email }),
        is_limited: args.external_limited ?? true,
        status: 'sent',
        created: now,
        updated: now,
      })
      return { invite_id: row.id, is_legacy_shared_channel: false }
    },
  }),
  'conversations.listConnectInvites': method({
    effect: 'read',
    args: { team_id: str, count: int, cursor: str },
    run: (call, args) => {
      const rows = [...call.tables.connect_invite.all()]
      const from = readCursor('invite', args.cursor, 'invalid_arguments')
      const start = from === undefined ? 0 : rows.findIndex(({ id }) => id === from)
      if (start === -1) throw new VendorError('invalid_arguments')
      const limit = clampLimit(args.count, 100, 1_000)
      const next = rows[start + limit]
      return {
        invites: rows.slice(start, start + limit).map((row) => shape(call, row)),
        ...nextCursor(next ? makeCursor('invite', next.id) : ''),
      }
    },
  }),
  'conversations.declineSharedInvite': method({
    effect: 'write',
    args: { invite_id: must(str), target_team: str },
    run: (call, args) => {
      const row = pending(call, args.invite_id)
      if (row.status !== 'sent') throw new VendorError('inactive_invite')
      call.tables.connect_invite.update(row.id, { status: 'declined', updated: nowSeconds(call) })
      return {}
    },
  }),
}
