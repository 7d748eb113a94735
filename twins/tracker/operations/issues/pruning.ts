import type { Views } from '@diorama/twin-kit/kernel/twin'
import type { TrackerCall } from '../../context.ts'
import type { IssueRow, TeamRow } from '../../rows.ts'
import type { TrackerTables } from '../../tables.ts'
import { instantOf, iso } from '../../values/times.ts'
import { applyIssueChange } from './issues.ts'

type TrackerViews = Views<TrackerTables>

/** Months that a team has set, after which its issues are closed or archived. */
const periodOf = (team: TeamRow, setting: 'autoClosePeriod' | 'autoArchivePeriod'): number =>
  typeof team[setting] === 'number' ? team[setting] : 0

const isClosed = ({ completedAt, canceledAt }: IssueRow): boolean => (completedAt ?? canceledAt) !== null

const monthsAfter = (time: string, months: number): number =>
  instantOf(`P${Math.round(months)}M`, Date.parse(time))

/** When an issue is closed for want of activity, or archived because it was closed long ago. */
const prunedAt = (team: TeamRow, issue: IssueRow): number | undefined => {
  const closed = issue.completedAt ?? issue.canceledAt
  const period = periodOf(team, closed === null ? 'autoClosePeriod' : 'autoArchivePeriod')
  return period > 0 ? monthsAfter(closed ?? issue.updatedAt, period) : undefined
}

const candidates = function* (
  views: TrackerViews,
): Generator<{ team: TeamRow; issue: IssueRow; at: number }> {
  for (const team of views.Team.all()) {
    if (periodOf(team, 'autoClosePeriod') + periodOf(team, 'autoArchivePeriod') === 0) continue
    for (const issue of views.Issue.find('liveTeamId', team.id)) {
      const at = prunedAt(team, issue)
      if (at !== undefined) yield { team, issue, at }
    }
  }
}

export const nextPruning = (views: TrackerViews): number[] => {
  let next: number | undefined
  for (const { at } of candidates(views)) next = Math.min(next ?? at, at)
  return next === undefined ? [] : [next]
}

/** Closes and archives what the periods of the teams leave behind. */
export const pruneIssues = (call: TrackerCall): void => {
  const now = iso(call.now)
  for (const { team, issue, at } of [...candidates(call.tables)]) {
    if (at > call.now) continue
    if (isClosed(issue)) applyIssueChange(call, issue, { archivedAt: now, autoArchivedAt: now })
    else {
      const state = closingState(call, team)
      if (state) applyIssueChange(call, issue, { stateId: state, canceledAt: now, autoClosedAt: now })
    }
  }
}

const closingState = (call: TrackerCall, team: TeamRow): string | undefined =>
  typeof team.autoCloseStateId === 'string'
    ? team.autoCloseStateId
    : [...call.tables.WorkflowState.find('teamId', team.id)].find(
        ({ type, archivedAt }) => type === 'canceled' && archivedAt === null,
      )?.id
