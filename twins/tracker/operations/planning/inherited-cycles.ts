import type { TrackerCall } from '../../context.ts'
import type { CycleRow, TeamRow } from '../../rows.ts'
import { iso } from '../../values/times.ts'
import { addRecord, changeRecord } from '../records.ts'

/** Whether a team's cycles come from above: its parent uses them. */
export const hasInheritedCycles = (call: TrackerCall, team: TeamRow): boolean =>
  typeof team.parentId === 'string' && call.tables.Team.get(team.parentId)?.cyclesEnabled === true

/** The next number of a team's cycles; numbers of deleted cycles are used again. */
export const nextCycleNumber = (call: TrackerCall, teamId: string): number =>
  (call.tables.Cycle.first('number', teamId, { reverse: true })?.number ?? 0) + 1

/** Gives each sub-team a cycle that corresponds to this one, or lets it follow, and so on downwards. */
export const handDownCycle = (call: TrackerCall, cycle: CycleRow): void => {
  for (const team of [...call.tables.Team.find('parentId', cycle.teamId)])
    if (!team.archivedAt && !team.retiredAt) follow(call, team, cycle)
}

const follow = (call: TrackerCall, team: TeamRow, above: CycleRow): void => {
  const { name, description, startsAt, endsAt, archivedAt } = above
  const there = [...call.tables.Cycle.find('number', team.id)].find(
    ({ inheritedFromId }) => inheritedFromId === above.id,
  )
  if (there?.completedAt) return
  const columns = { name, description, startsAt, endsAt, archivedAt, inheritedFromId: above.id }
  const { id } = there
    ? changeRecord(call, 'Cycle', there, columns)
    : addRecord(call, 'Cycle', {
        ...columns,
        number: nextCycleNumber(call, team.id),
        completedAt: null,
        teamId: team.id,
      })
  const own = call.tables.Cycle.get(id)
  if (own) handDownCycle(call, own)
}

/** Gives a team that came under a parent the cycles that the parent still has before it. */
export const inheritCycles = (call: TrackerCall, team: TeamRow): void => {
  if (!hasInheritedCycles(call, team)) return
  changeRecord(call, 'Team', team, { cyclesEnabled: true })
  for (const cycle of [...call.tables.Cycle.find('number', String(team.parentId))])
    if (cycle.archivedAt === null && cycle.completedAt === null && cycle.endsAt > iso(call.now))
      follow(call, team, cycle)
}
