import { type Context, find } from '../context.ts'
import type { EntityRow } from '../rows.ts'
import { day } from '../values/times.ts'

const week = 7 * day
/** Histories are cut to this many points, so that a very old project stays cheap to read. */
const maxPoints = 104

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

/** The counts of issues at the end of each day or week between two moments, derived from their own times. */
export const historyOf = (
  issues: readonly EntityRow[],
  span: { from: number; to: number; resolution: 'daily' | 'weekly' },
): History => {
  const step = span.resolution === 'daily' ? day : week
  const length = Math.min(maxPoints, Math.max(0, Math.floor((span.to - span.from) / step) + 1))
  /** The first moment at whose end a time has come; none when it has not come by the last. */
  const momentOf = (time: unknown): number =>
    typeof time === 'string' ? Math.max(0, Math.ceil((Date.parse(time) - span.from) / step) - 1) : length
  const count = new Tally(length)
  const completed = new Tally(length)
  const started = new Tally(length)
  for (const issue of issues) {
    const canceled = momentOf(issue.canceledAt)
    const made = momentOf(issue.createdAt)
    const done = momentOf(issue.completedAt)
    count.add(made, canceled, points(issue))
    completed.add(Math.max(made, done), canceled, points(issue))
    started.add(Math.max(made, momentOf(issue.startedAt)), Math.min(done, canceled), points(issue))
  }
  return {
    issueCountHistory: count.counts(),
    completedIssueCountHistory: completed.counts(),
    scopeHistory: count.sums(),
    completedScopeHistory: completed.sums(),
    inProgressScopeHistory: started.sums(),
  }
}

/** Adds up what holds from one moment to before another, in one pass over the issues and one over the moments. */
class Tally {
  readonly #counts: number[]
  readonly #sums: number[]

  constructor(length: number) {
    this.#counts = Array.from({ length }, () => 0)
    this.#sums = Array.from({ length }, () => 0)
  }

  add(from: number, until: number, value: number): void {
    if (from >= until) return
    this.#step(from, 1, value)
    this.#step(until, -1, -value)
  }

  counts(): number[] {
    return running(this.#counts)
  }

  sums(): number[] {
    return running(this.#sums)
  }

  #step(at: number, count: number, value: number): void {
    if (at >= this.#counts.length) return
    this.#counts[at] = (this.#counts[at] ?? 0) + count
    this.#sums[at] = (this.#sums[at] ?? 0) + value
  }
}

const running = (steps: readonly number[]): number[] => {
  let sum = 0
  return steps.map((step) => {
    sum += step
    return sum
  })
}
