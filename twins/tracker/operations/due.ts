import type { TrackerCall } from '../context.ts'
import { every } from '../tables.ts'
import { iso } from '../values/times.ts'
import { markRisks } from '../webhooks/sla.ts'
import { staleSessions } from './agents/sessions.ts'
import { notify } from './issues/changes.ts'
import { tellDueDates } from './issues/due-dates.ts'
import { pruneIssues } from './issues/pruning.ts'
import { completeDueCycles } from './planning/cycles.ts'

/** What happens as the clock moves on: cycles end, agents go stale, and reminders and due dates arrive. */
export const due = (call: TrackerCall): void => {
  completeDueCycles(call)
  staleSessions(call)
  markRisks(call)
  tellDueDates(call)
  pruneIssues(call)
  const now = iso(call.now)
  for (const issue of [...call.tables.Issue.find('reminder', every)]) {
    if (String(issue.reminderAt) > now) break
    if (typeof issue.remindedUserId === 'string') notify(call, issue, issue.remindedUserId, 'issueReminder')
    call.tables.Issue.update(issue.id, { reminderAt: undefined, remindedUserId: undefined })
  }
}
