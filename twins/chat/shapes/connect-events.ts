import type { RowOf } from '@diorama/twin-kit/kernel/twin'
import { teamOf } from '../access.ts'
import type { ChatTables } from '../tables.ts'
import { type AppEvent, eventTs, type Fields, type Rows, type View } from './app-event.ts'
import { profileShape } from './user.ts'

export type ConnectInvite = RowOf<ChatTables['connect_invite']>

/** How long an invitation to another company can be answered. */
export const inviteSeconds = 14 * 86_400

/** An invitation to a channel was declined on behalf of this workspace. */
export const connectEvents = (view: View, { before, after }: Rows<ConnectInvite>): readonly AppEvent[] => {
  if (!after || after.status !== 'declined' || before?.status === 'declined') return []
  const channel = view.tables.channel.get(after.channel)
  const team = teamOf(view)
  const shown = {
    ...{ id: team.id, name: team.name, domain: team.domain, is_verified: false },
    icon: { image_default: true },
    date_created: team.created,
  }
  return [
    {
      name: 'shared_channel_invite_declined',
      channel,
      event: {
        type: 'shared_channel_invite_declined',
        invite: {
          id: after.id,
          date_created: after.created,
          date_invalid: after.created + inviteSeconds,
          inviting_team: shown,
          inviting_user: person(view, after.user),
          ...(after.email !== undefined && { recipient_email: after.email }),
          ...(after.recipient !== undefined && { recipient_user_id: after.recipient }),
        },
        channel: {
          id: after.channel,
          is_private: channel?.kind === 'private_channel',
          is_im: false,
          name: channel?.name,
        },
        declining_team_id: team.id,
        teams_in_channel: [shown],
        declining_user: person(view, view.by),
        event_ts: eventTs(view),
      },
    },
  ]
}

const person = (view: View, id: string): Fields => {
  const user = view.tables.user.get(id)
  const team_id = teamOf(view).id
  return user
    ? { id, team_id, name: user.name, updated: user.updated, profile: profileShape(view, user) }
    : { id, team_id }
}
