import { type Context, find } from '../context.ts'
import type { EntityRow } from '../rows.ts'
import { day, iso } from '../times.ts'

const week = 7 * day
/** Histories are cut to this many points, so that a very old project stays cheap to read. */
const mostPoints = 104

const points = (issue: EntityRow): number => (typeof issue.estimate === 'number' ? issue.estimate : 1)
const counted = (issues: readonly EntityRow[]): EntityRow[] =>
  issues.filter((issue) => issue.canceledAt === null && issue.trashed !== true)
const sum = (issues: readonly EntityRow[]): number =>
  issues.reduce((total, issue) => total + points(issue), 0)

/** Completed points and a quarter of the started ones, of all. */
export const progressOf = (issues: readonly EntityRow[]): number => {
  const open = counted(issues)
  const total = sum(open)
  if (total === 0) return 0
  const completed = open.filter((issue) => issue.completedAt !== null)
  const started = open.filter((issue) => issue.completedAt === null && issue.startedAt !== null)
  return (sum(completed) + 0.25 * sum(started)) / total
}

export const scopeOf = (issues: readonly EntityRow[]): number => sum(counted(issues))

export const currentProgress = (issues: readonly EntityRow[], context: Context): Record<string, number> => {
  const progress: Record<string, number> = {}
  for (const issue of issues) {
    const type = String(find(context, 'WorkflowState', issue.stateId)?.type ?? 'backlog')
    progress[`${type}IssueCount`] = (progress[`${type}IssueCount`] ?? 0) + 1
    progress[`${type}EstimateCount`] = (progress[`${type}EstimateCount`] ?? 0) + points(issue)
  }
  return progress
}

export interface History {
  readonly issueCountHistory: number[]
  readonly completedIssueCountHistory: number[]
  readonly scopeHistory: number[]
  readonly completedScopeHistory: number[]
  readonly inProgressScopeHistory: number[]
}

/** How the issues stood at the end of each day or week between two moments, told by their own times. */
export const historyOf = (
  issues: readonly EntityRow[],
  span: { from: number; to: number; resolution: 'daily' | 'weekly' },
): History => {
  const step = span.resolution === 'daily' ? day : week
  const length = Math.min(mostPoints, Math.max(0, Math.floor((span.to - span.from) / step) + 1))
  const ends = Array.from({ length }, (_, n) => iso(Math.min(span.to, span.from + (n + 1) * step)))
  const reached = (time: unknown, end: string): boolean => typeof time === 'string' && time <= end
  const at = (end: string) => {
    const there = issues.filter((issue) => reached(issue.createdAt, end) && !reached(issue.canceledAt, end))
    const completed = there.filter((issue) => reached(issue.completedAt, end))
    const started = there.filter((issue) => reached(issue.startedAt, end) && !reached(issue.completedAt, end))
    return { there, completed, started }
  }
  const moments = ends.map(at)
  return {
    issueCountHistory: moments.map(({ there }) => there.length),
    completedIssueCountHistory: moments.map(({ completed }) => completed.length),
    scopeHistory: moments.map(({ there }) => sum(there)),
    completedScopeHistory: moments.map(({ completed }) => sum(completed)),
    inProgressScopeHistory: moments.map(({ started }) => sum(started)),
  }
}
