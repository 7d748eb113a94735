import type { Row } from '@diorama/twin-kit/kernel/table'
import type { TrackerCall } from '../../context.ts'
import type { CycleRow, IssueRow, TeamRow, WorkflowStateRow } from '../../rows.ts'
import { isRunning } from '../../shapes/project.ts'
import { day, iso } from '../../values/times.ts'

interface Change {
  readonly team: TeamRow
  /** The state that the issue is in after the change. */
  readonly state: WorkflowStateRow
  readonly columns: Row
  readonly before?: IssueRow
}

/** Columns that the service sets automatically when a caller changes others. */
export const automatic = (call: TrackerCall, change: Change): Row => ({
  ...joinedCycle(call, change),
  ...triageTimes(call, change),
  ...snoozer(call, change.columns),
  ...promise(call, change),
})

/** Teams can have issues join the running cycle when they are started or completed, or while they are active. */
const joinedCycle = (call: TrackerCall, { team, state, columns, before }: Change): Row => {
  if (!team.cyclesEnabled || 'cycleId' in columns || before?.stateId === state.id) return {}
  if (before && before.cycleId !== null) return {}
  const joins =
    (state.type === 'started' && team.cycleIssueAutoAssignStarted !== false) ||
    (state.type === 'completed' && team.cycleIssueAutoAssignCompleted !== false) ||
    ((state.type === 'unstarted' || state.type === 'started') && team.cycleLockToActive === true)
  const cycle = joins ? runningCycle(call, team.id) : undefined
  return cycle ? { cycleId: cycle.id } : {}
}

const runningCycle = (call: TrackerCall, teamId: string): CycleRow | undefined =>
  [...call.tables.Cycle.find('number', teamId)].find(
    (cycle) => cycle.archivedAt === null && isRunning(cycle, call.now),
  )

/** When the issue entered triage, and when it left. */
const triageTimes = (call: TrackerCall, { state, before }: Change): Row => {
  const was = before && call.tables.WorkflowState.get(before.stateId)?.type === 'triage'
  const is = state.type === 'triage'
  if (is && !was) return { startedTriageAt: iso(call.now), triagedAt: null }
  return was && !is ? { triagedAt: iso(call.now), snoozedUntilAt: null, snoozedById: null } : {}
}

const snoozer = (call: TrackerCall, columns: Row): Row => {
  if (columns.snoozedUntilAt === undefined) return {}
  if (columns.snoozedUntilAt === null) return { snoozedById: null }
  return { snoozedById: columns.snoozedById ?? call.actor?.id ?? null }
}

/**
 * A promised time runs from now, in calendar days, unless the caller says otherwise. It is at medium risk for its last
 * half and at high risk for its last quarter, each at most the last seven days and the last day.
 */
const promise = (call: TrackerCall, { columns, before }: Change): Row => {
  const { slaBreachesAt } = columns
  if (slaBreachesAt === undefined) return {}
  if (slaBreachesAt === null)
    return { slaStartedAt: null, slaType: null, slaMediumRiskAt: null, slaHighRiskAt: null }
  const startedAt = columns.slaStartedAt ?? before?.slaStartedAt ?? iso(call.now)
  const end = Date.parse(String(slaBreachesAt))
  const span = Math.max(0, end - Date.parse(String(startedAt)))
  return {
    slaStartedAt: startedAt,
    slaType: columns.slaType ?? before?.slaType ?? 'all',
    slaMediumRiskAt: iso(end - Math.min(span / 2, 7 * day)),
    slaHighRiskAt: iso(end - Math.min(span / 4, day)),
  }
}
