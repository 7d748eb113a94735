import type { Views } from '@diorama/twin-kit/kernel/twin'
import { nextDueDate } from '../operations/issues/due-dates.ts'
import { nextPruning } from '../operations/issues/pruning.ts'
import type { IssueRow } from '../rows.ts'
import { every, type TrackerTables } from '../tables.ts'

type TrackerViews = Views<TrackerTables>

/** The first reminder or due date of an issue, cycle that ends, agent that goes stale, or promised time that is at risk. */
export const nextDue = (views: TrackerViews): number | undefined => {
  const times = [reminders, nextDueDate, nextPruning, cycleEnds, staleSessions, promises].flatMap((of) =>
    of(views),
  )
  return times.length === 0 ? undefined : Math.min(...times)
}

const reminders = (views: TrackerViews): number[] => {
  const reminder = views.Issue.first('reminder', every)?.reminderAt
  return typeof reminder === 'string' ? [Date.parse(reminder)] : []
}

const cycleEnds = (views: TrackerViews): number[] => {
  const open = [...views.Cycle.all()].filter(
    ({ completedAt, archivedAt }) => completedAt === null && archivedAt === null,
  )
  return open.map(({ endsAt }) => Date.parse(endsAt))
}

const staleSessions = (views: TrackerViews): number[] => {
  const first = views.AgentSession.first('deadline', every)?.staleAt
  return typeof first === 'string' ? [Date.parse(first)] : []
}

/** Each issue with a promised time is looked at when its next level of risk begins; a level is noted once. */
const promises = (views: TrackerViews): number[] => {
  if (views.Issue.count('sla', every) === 0) return []
  return [...views.Issue.find('sla', every)].flatMap((issue) => {
    const mark = views.slaMark.get(issue.id)
    const isNoted = (level: string) => mark?.level === level && mark.breachesAt === issue.slaBreachesAt
    if (isNoted('breached')) return []
    return isNoted('highRisk') ? timeOf(issue, 'slaBreachesAt') : firstRiskOf(issue)
  })
}

const firstRiskOf = (issue: IssueRow): number[] => {
  const high = timeOf(issue, 'slaHighRiskAt')
  return high.length > 0 ? high : timeOf(issue, 'slaBreachesAt')
}

const timeOf = (issue: IssueRow, field: 'slaHighRiskAt' | 'slaBreachesAt'): number[] => {
  const value = issue[field]
  return typeof value === 'string' ? [Date.parse(value)] : []
}
