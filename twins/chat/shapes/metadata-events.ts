import { isRecord } from '@diorama/twin-kit/records'
import { botOf, teamOf } from '../access.ts'
import type { ChannelRow, MessageRow } from '../tables.ts'
import { type AppEvent, eventTs, type Rows, type View } from './app-event.ts'

/** What a message's metadata says to other apps, as far as the app's manifest asks for its kind. */
export const metadataEvents = (
  view: View,
  { before, after }: Omit<Rows<MessageRow>, 'id'>,
  channel: ChannelRow,
): AppEvent[] => {
  const row = after ?? before
  const [was, is] = [eventIn(before), eventIn(after)]
  if (!row || JSON.stringify(was) === JSON.stringify(is)) return []
  const app_id = row.app_id ?? ''
  if (!isWanted(view, app_id, String((is ?? was)?.event_type ?? ''))) return []
  const type = `message_metadata_${is === undefined ? 'deleted' : was === undefined ? 'posted' : 'updated'}`
  const event_ts = was === undefined ? row.ts : eventTs(view)
  const event = {
    type,
    app_id,
    ...(row.bot_id !== undefined && { bot_id: row.bot_id }),
    user_id: row.user,
    team_id: teamOf(view).id,
    channel_id: row.channel,
    ...(was && { previous_metadata: was }),
    ...(is && { metadata: is }),
    message_ts: row.ts,
    ...(is === undefined && { deleted_ts: event_ts }),
    event_ts,
  }
  return [{ name: type, channel, event }]
}

const eventIn = (row: MessageRow | null): Readonly<Record<string, unknown>> | undefined => {
  const { metadata } = row ?? {}
  return isRecord(metadata) && typeof metadata.event_type === 'string'
    ? { event_type: metadata.event_type, event_payload: metadata.event_payload }
    : undefined
}

const isWanted = (view: View, appId: string, eventType: string): boolean => {
  const app = view.tables.app.get(botOf(view).app_id)
  const wanted = app?.manifest.settings.event_subscriptions.metadata_subscriptions ?? []
  const fits = (pattern: string, value: string) => pattern === '*' || pattern === value
  return wanted.some(({ app_id, event_type }) => fits(app_id, appId) && fits(event_type, eventType))
}
