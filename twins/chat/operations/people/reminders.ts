import { type RowOf, VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { knownUser, selfOf } from '../../access.ts'
import { invalidArguments, json, method, must, str } from '../../methods/method.ts'
import type { ChannelRow, Chat, ChatTables } from '../../tables.ts'
import { nativeId } from '../../values/ids.ts'
import { nowSeconds, seconds } from '../../values/time.ts'
import { insertMessage } from '../messages/post.ts'
import { nextTime, type Recurrence, readWhen, timeOfDay, type When, weekdayOf } from './when.ts'

type Reminder = RowOf<ChatTables['reminder']>

const slackbot = 'USLACKBOT'
const day = 86_400
const maxText = 4_000

/** Seconds from now up to a day, a moment, or words. */
const readTime = (call: Chat, text: string, tz: string): When => {
  const now = nowSeconds(call)
  const clock = { nowSeconds: now, timeZone: tz }
  const number = /^\d{1,12}$/.test(text.trim()) ? Number(text) : undefined
  const when = number === undefined ? readWhen(text, clock) : { time: number <= day ? now + number : number }
  if (!when || when.time <= now) throw new VendorError('cannot_parse')
  return when
}

/** The `recurrence` argument: how often, and for weekly reminders on which days. */
const readRecurrence = (value: unknown): Recurrence | undefined => {
  if (value === undefined) return undefined
  if (!isRecord(value)) throw new VendorError('cannot_parse')
  const { frequency, weekdays } = value
  if (frequency === 'daily') return { frequency }
  const days = Array.isArray(weekdays) ? weekdays.map((name) => weekdayOf(String(name).toLowerCase())) : []
  const known = days.flatMap((one) => one ?? [])
  if (frequency !== 'weekly' || known.length === 0 || known.length !== days.length)
    throw new VendorError('cannot_parse')
  return { frequency, weekdays: known }
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
  if (!row || (row.user !== selfOf(call) && row.creator !== selfOf(call))) throw new VendorError('not_found')
  return row
}

export const reminderMethods = {
  'reminders.add': method({
    effect: 'write',
    args: { text: must(str), time: must(str), user: str, recurrence: json(), team_id: str },
    run: (call, args) => {
      const user = knownUser(call, args.user || selfOf(call))
      if (user.id === slackbot) throw new VendorError('cannot_add_slackbot')
      if (user.is_bot) throw new VendorError('cannot_add_bot')
      if (user.id !== selfOf(call)) throw new VendorError('cannot_add_others')
      if (args.text.length > maxText)
        throw invalidArguments(`must be less than ${maxText + 1} characters [json-pointer:/text]`)
      const when = readTime(call, args.time, user.tz)
      const recurrence = readRecurrence(args.recurrence) ?? when.recurrence
      const row = call.tables.reminder.insert({
        id: nativeId('Rm', call.draw('reminder')),
        creator: selfOf(call),
        user: user.id,
        text: args.text,
        recurring: recurrence !== undefined,
        ...(recurrence && { recurrence }),
        time: when.time,
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
      if (row.user !== selfOf(call)) throw new VendorError('cannot_complete_others')
      if (row.recurring) throw new VendorError('cannot_complete_recurring')
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
    const timeZone = call.tables.user.get(row.user)?.tz ?? 'UTC'
    const clock = { nowSeconds: seconds(call.now), timeZone }
    call.tables.reminder.update(
      row.id,
      row.recurrence
        ? { time: nextTime(timeOfDay(row.time, timeZone), row.recurrence, clock) }
        : { reminded: true },
    )
    insertMessage(call, {
      channel: serviceDirect(call, row.user),
      user: slackbot,
      text: `Reminder: ${row.text}.`,
      atMs: row.time * 1_000,
    })
  }
}
