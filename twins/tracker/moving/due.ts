import type { Views } from '@diorama/twin-kit/kernel/twin'
import { every, type TrackerTables } from '../tables.ts'

/** The first reminder of an issue, or the first cycle that ends. */
export const nextDue = (views: Views<TrackerTables>): number | undefined => {
  const reminder = views.Issue.first('reminder', every)?.reminderAt
  let first = typeof reminder === 'string' ? Date.parse(reminder) : Number.POSITIVE_INFINITY
  for (const { endsAt, completedAt, archivedAt } of views.Cycle.all())
    if (completedAt === null && archivedAt === null) first = Math.min(first, Date.parse(endsAt))
  return Number.isFinite(first) ? first : undefined
}
