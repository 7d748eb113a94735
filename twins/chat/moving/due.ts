import { postScheduled } from '../operations/messages/schedule.ts'
import { tellReminders } from '../operations/people/reminders.ts'
import type { Chat, ChatViews } from '../tables.ts'

export const due = (call: Chat): void => {
  postScheduled(call)
  tellReminders(call)
}

/** The first scheduled message or reminder. */
export const nextDue = (views: ChatViews): number | undefined => {
  const times = [
    views.scheduled_message.first('due', 'due')?.post_at,
    views.reminder.first('due', 'due')?.time,
  ].filter((time) => time !== undefined)
  return times.length === 0 ? undefined : Math.min(...times) * 1_000
}
