import { type AppEvent, eventTs, type Rows, type View } from './app-event.ts'

interface DndRow {
  readonly id: string
  readonly snooze_endtime: number
}

/** Quiet hours: one event for the person, with the snooze, and one without it for everybody else. */
export const dndEvents = (view: View, { after, id }: Rows<DndRow>): readonly AppEvent[] => {
  const now = Math.floor(view.now / 1_000)
  const end = after?.snooze_endtime ?? 0
  const isOn = end > now
  const event_ts = eventTs(view)
  const dnd_status = { dnd_enabled: isOn, next_dnd_start_ts: 1, next_dnd_end_ts: 1 }
  const own = {
    ...dnd_status,
    snooze_enabled: isOn,
    snooze_endtime: isOn ? end : 0,
    snooze_remaining: isOn ? end - now : 0,
  }
  return [
    { name: 'dnd_updated_user', event: { type: 'dnd_updated_user', user: id, dnd_status, event_ts } },
    {
      name: 'dnd_updated',
      onlyFor: id,
      event: { type: 'dnd_updated', user: id, dnd_status: own, event_ts },
    },
  ]
}

interface ReadStateRow {
  readonly id: string
  readonly is_open: boolean
}

/** A direct message that a person opens or closes in their own list. */
export const readStateEvents = (view: View, { before, after }: Rows<ReadStateRow>): readonly AppEvent[] => {
  if (!after || (before?.is_open ?? false) === after.is_open) return []
  const [id = '', user = ''] = after.id.split(':')
  if (view.tables.channel.get(id)?.kind !== 'im') return []
  const type = after.is_open ? 'im_open' : 'im_close'
  return [{ name: type, onlyFor: user, event: { type, user, channel: id, event_ts: eventTs(view) } }]
}

/** A person who comes into a user group or leaves it. */
export const subteamSelfEvents = (
  view: View,
  subteam_id: string,
  { added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] },
): AppEvent[] => {
  const made =
    (type: string) =>
    (user: string): AppEvent => ({
      name: type,
      onlyFor: user,
      event: { type, subteam_id, event_ts: eventTs(view) },
    })
  return [...added.map(made('subteam_self_added')), ...removed.map(made('subteam_self_removed'))]
}
