import { Refusal, type RowOf } from '../../kernel/twin.ts'
import { knownUser, selfOf } from '../access.ts'
import { insertMessage } from '../messages/post.ts'
import { json, method, must, str } from '../methods/method.ts'
import type { ChannelRow, Chat, ChatTables } from '../tables.ts'
import { nativeId } from '../values/ids.ts'
import { lookup } from '../values/records.ts'
import { nowSeconds, seconds } from '../values/time.ts'
import { zoneAt } from './zone.ts'

type Reminder = RowOf<ChatTables['reminder']>

const slackbot = 'USLACKBOT'
const units: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
}
const day = 86_400

/** Seconds from now, a moment, or a few words such as `in 20 minutes` and `tomorrow at 9am`. */
const readTime = (call: Chat, text: string, tz: string): number => {
  const now = nowSeconds(call)
  const words = text.trim().toLowerCase()
  if (/^\d+$/.test(words)) {
    const number = Number(words)
    const time = number <= day ? now + number : number
    if (time <= now) throw new Refusal('cannot_parse')
    return time
  }
  const span = /^in (\d+|an?) (second|minute|hour|day|week)s?$/.exec(words)
  if (span)
    return now + (/^an?$/.test(span[1] ?? '') ? 1 : Number(span[1])) * (lookup(units, span[2] ?? '') ?? 0)
  const clock = /^(today|tomorrow)?(?: ?at)? ?(\d{1,2})?(?::(\d{2}))? ?(am|pm)?$/.exec(words)
  if (!clock || words === '') throw new Refusal('cannot_parse')
  const [, when, hour = '9', minute = '0', half] = clock
  const hours = (Number(hour) % 12) + (half === 'pm' || (!half && Number(hour) >= 12) ? 12 : 0)
  const offset = zoneAt(tz, call.now).offsetSeconds
  const midnight = Math.floor((now + offset) / day) * day - offset
  const time = midnight + hours * 3_600 + Number(minute) * 60 + (when === 'tomorrow' ? day : 0)
  return time > now ? time : time + day
}

const shape = (row: Reminder) => ({
  id: row.id,
  creator: row.creator,
  user: row.user,
  text: row.text,
  recurring: row.recurring,
  ...(!row.recurring && { time: row.time, complete_ts: row.complete_ts }),
})

const own = (call: Chat, id: string): Reminder => {
  const row = call.tables.reminder.get(id)
  if (!row || (row.user !== selfOf(call) && row.creator !== selfOf(call))) throw new Refusal('not_found')
  return row
}

export const reminderMethods = {
  'reminders.add': method({
    effect: 'write',
    args: { text: must(str), time: must(str), user: str, recurrence: json(), team_id: str },
    run: (call, args) => {
      const user = knownUser(call, args.user || selfOf(call))
      if (user.id === slackbot) throw new Refusal('cannot_add_slackbot')
      if (user.is_bot) throw new Refusal('cannot_add_bot')
      if (user.id !== selfOf(call)) throw new Refusal('cannot_add_others')
      const row = call.tables.reminder.insert({
        id: nativeId('Rm', call.draw('reminder')),
        creator: selfOf(call),
        user: user.id,
        text: args.text,
        recurring: false,
        time: readTime(call, args.time, user.tz),
        complete_ts: 0,
        reminded: false,
      })
      return { reminder: shape(row) }
    },
  }),
  'reminders.complete': method({
    effect: 'write',
    args: { reminder: must(str), team_id: str },
    run: (call, args) => {
      const row = own(call, args.reminder)
      if (row.user !== selfOf(call)) throw new Refusal('cannot_complete_others')
      call.tables.reminder.update(row.id, { complete_ts: nowSeconds(call) })
      return {}
    },
  }),
  'reminders.delete': method({
    effect: 'write',
    args: { reminder: must(str), team_id: str },
    run: (call, args) => {
      call.tables.reminder.delete(own(call, args.reminder).id)
      return {}
    },
  }),
  'reminders.info': method({
    effect: 'read',
    args: { reminder: must(str), team_id: str },
    run: (call, args) => ({ reminder: shape(own(call, args.reminder)) }),
  }),
  'reminders.list': method({
    effect: 'read',
    args: { team_id: str },
    run: (call) => ({ reminders: [...call.tables.reminder.find('user', selfOf(call))].map(shape) }),
  }),
}

/** The direct message in which the service itself speaks to somebody. */
const serviceDirect = (call: Chat, user: string): ChannelRow => {
  const users = [slackbot, user].sort()
  const found = call.tables.channel.first('users', users.join(','))
  if (found) return found
  const none = { value: '', creator: '', last_set: 0 }
  const channel = call.tables.channel.insert({
    id: nativeId('D', call.draw('channel')),
    name: '',
    kind: 'im',
    created: seconds(call.now),
    creator: slackbot,
    is_archived: false,
    is_general: false,
    topic: none,
    purpose: none,
    previous_names: [],
    updated: call.now,
    users,
  })
  for (const [place, member] of users.entries())
    call.tables.channel_member.insert({
      id: `${channel.id}:${member}`,
      channel: channel.id,
      user: member,
      joined: call.now * 1_000 + place,
    })
  return channel
}

/** Tells people what they wanted to be reminded of. */
export const tellReminders = (call: Chat): void => {
  const before = seconds(call.now) + 1
  if (!call.tables.reminder.first('due', 'due', { before })) return
  for (const row of [...call.tables.reminder.find('due', 'due', { before })]) {
    call.tables.reminder.update(row.id, { reminded: true })
    insertMessage(call, {
      channel: serviceDirect(call, row.user),
      user: slackbot,
      text: `Reminder: ${row.text}.`,
      atMs: row.time * 1_000,
    })
  }
}
