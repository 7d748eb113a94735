import { find, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import type { CycleRow, TeamRow } from '../../rows.ts'
import { checkLengths } from '../../rules/lengths.ts'
import { inputError, invalidArgument, notFound } from '../../shapes/refusals.ts'
import { day, iso } from '../../values/times.ts'
import { mutation, type Operations } from '../crud.ts'
import { applyIssueChange } from '../issues/issues.ts'
import { addRecord, changeRecord, type Input, payload, readInput, recordInput } from '../records.ts'
import { handDownCycle, hasInheritedCycles, inheritCycles, nextCycleNumber } from './inherited-cycles.ts'

const needCycle = (call: TrackerCall, id: unknown): CycleRow => {
  const row = call.tables.Cycle.get(need(call, 'Cycle', id).id)
  if (!row) throw notFound('Cycle')
  return row
}

/** The live cycles of a team, by number. */
const cyclesOf = (call: TrackerCall, teamId: string): CycleRow[] =>
  [...call.tables.Cycle.find('number', teamId)].filter(({ archivedAt }) => archivedAt === null)

/** The first cycle that has not started. */
const upcoming = (call: TrackerCall, teamId: string): CycleRow | undefined =>
  cyclesOf(call, teamId)
    .filter(({ startsAt }) => startsAt > iso(call.now))
    .sort((a, b) => (a.startsAt < b.startsAt ? -1 : 1))[0]

const shift = (call: TrackerCall, cycle: CycleRow, by: number) =>
  changeRecord(call, 'Cycle', cycle, {
    startsAt: iso(Date.parse(cycle.startsAt) + by),
    endsAt: iso(Date.parse(cycle.endsAt) + by),
  })

const checkSpan = (input: Input, startsAt: string, endsAt: string): void => {
  if (startsAt < endsAt) return
  throw invalidArgument({
    target: { ...input },
    property: 'endsAt',
    value: endsAt,
    constraints: { minDate: 'endsAt must be after startsAt' },
  })
}

/** Completes a cycle before its time: it ends when it is completed, and remembers what was left open. */
const completeEarly = (call: TrackerCall, cycle: CycleRow, at: string): void => {
  const open = [...call.tables.Issue.find('cycleId', cycle.id)].filter(
    ({ completedAt, canceledAt }) => completedAt === null && canceledAt === null,
  )
  changeRecord(call, 'Cycle', cycle, {
    completedAt: at,
    endsAt: at,
    uncompletedIssueIds: open.map(({ id }) => id),
  })
}

/** A team that turns cycles on gets the running one and as many upcoming ones as it asks for. */
export const scheduleCycles = (call: TrackerCall, team: TeamRow): void => {
  if (upcoming(call, team.id)) return
  if (hasInheritedCycles(call, team)) {
    inheritCycles(call, team)
    return
  }
  const weeks = typeof team.cycleDuration === 'number' ? team.cycleDuration : 2
  const count = typeof team.upcomingCycleCount === 'number' ? Math.min(team.upcomingCycleCount, 10) : 2
  const firstDay = typeof team.cycleStartDay === 'number' ? team.cycleStartDay : 1
  const midnight = Date.parse(`${iso(call.now).slice(0, 10)}T00:00:00.000Z`)
  const back = (new Date(midnight).getUTCDay() - firstDay + 7) % 7
  const lastEnd = Math.max(0, ...cyclesOf(call, team.id).map(({ endsAt }) => Date.parse(endsAt)))
  const start = lastEnd > call.now - weeks * 7 * day ? lastEnd : midnight - back * day
  for (let n = 0; n <= count; n++) {
    const startsAt = start + n * weeks * 7 * day
    const { id } = addRecord(call, 'Cycle', {
      number: nextCycleNumber(call, team.id),
      name: null,
      description: null,
      completedAt: null,
      startsAt: iso(startsAt),
      endsAt: iso(startsAt + weeks * 7 * day),
      teamId: team.id,
    })
    handDownCycle(call, needCycle(call, id))
  }
}

/**
 * Completes cycles whose end has passed. What is open in them moves to the running or the next cycle, and a team that
 * uses cycles gets further ones.
 */
export const completeDueCycles = (call: TrackerCall): void => {
  const now = iso(call.now)
  const due = [...call.tables.Cycle.all()].filter(
    ({ endsAt, completedAt, archivedAt }) => endsAt <= now && completedAt === null && archivedAt === null,
  )
  for (const cycle of due.sort((a, b) => (a.endsAt < b.endsAt ? -1 : 1))) {
    completeEarly(call, cycle, cycle.endsAt)
    const team = call.tables.Team.get(cycle.teamId)
    if (team?.cyclesEnabled) scheduleCycles(call, team)
    const next = cyclesOf(call, cycle.teamId)
      .filter(({ endsAt }) => endsAt > now)
      .sort((a, b) => (a.startsAt < b.startsAt ? -1 : 1))[0]
    if (!next) continue
    for (const issue of [...call.tables.Issue.find('cycleId', cycle.id)])
      if (issue.completedAt === null && issue.canceledAt === null)
        applyIssueChange(call, issue, { cycleId: next.id })
  }
}

/** A team that turns cycles off ends what is running and what was planned. */
export const endCycles = (call: TrackerCall, team: TeamRow): void => {
  const now = iso(call.now)
  for (const cycle of cyclesOf(call, team.id))
    if (cycle.endsAt > now) changeRecord(call, 'Cycle', cycle, { endsAt: now, completedAt: now })
}

const startToday = (call: TrackerCall, id: unknown) => {
  const cycle = needCycle(call, id)
  if (upcoming(call, cycle.teamId)?.id !== cycle.id)
    throw inputError('Invalid cycle', 'Only the next upcoming cycle of a team can be started.')
  const midnight = iso(Date.parse(`${iso(call.now).slice(0, 10)}T00:00:00.000Z`))
  for (const other of cyclesOf(call, cycle.teamId))
    if (other.id !== cycle.id && other.startsAt <= iso(call.now) && other.endsAt > midnight)
      completeEarly(call, other, midnight)
  return changeRecord(call, 'Cycle', cycle, { startsAt: midnight })
}

export const cycleOperations: Operations = {
  ...mutation('cycleCreate', (call, { input }) => {
    const given = recordInput(input)
    checkLengths('Cycle', given)
    const columns = readInput(call, 'Cycle', 'CycleCreateInput', given)
    checkSpan(given, String(columns.startsAt), String(columns.endsAt))
    if (!find(call, 'Team', columns.teamId)) throw notFound('Team')
    const start = {
      number: nextCycleNumber(call, String(columns.teamId)),
      name: null,
      description: null,
      completedAt: null,
    }
    const cycle = addRecord(call, 'Cycle', { ...start, ...columns }, given)
    handDownCycle(call, needCycle(call, cycle.id))
    return payload(call, 'Cycle', cycle)
  }),
  ...mutation('cycleUpdate', (call, { id, input }) => {
    const cycle = needCycle(call, id)
    const given = recordInput(input)
    checkLengths('Cycle', given)
    const { completedAt, ...columns } = readInput(call, 'Cycle', 'CycleUpdateInput', given)
    checkSpan(given, String(columns.startsAt ?? cycle.startsAt), String(columns.endsAt ?? cycle.endsAt))
    changeRecord(call, 'Cycle', cycle, completedAt === null ? { ...columns, completedAt } : columns)
    handDownCycle(call, needCycle(call, cycle.id))
    if (typeof completedAt === 'string') completeEarly(call, needCycle(call, cycle.id), completedAt)
    return payload(call, 'Cycle', needCycle(call, cycle.id))
  }),
  ...mutation('cycleArchive', (call, { id }) => {
    const cycle = needCycle(call, id)
    for (const issue of [...call.tables.Issue.find('cycleId', cycle.id)])
      applyIssueChange(call, issue, { cycleId: null })
    return payload(call, 'Cycle', changeRecord(call, 'Cycle', cycle, { archivedAt: iso(call.now) }))
  }),
  ...mutation('cycleShiftAll', (call, { input }) => {
    const given = recordInput(input)
    const first = needCycle(call, given.id)
    const by = Number(given.daysToShift) * day
    for (const cycle of cyclesOf(call, first.teamId))
      if (cycle.startsAt >= first.startsAt) shift(call, cycle, by)
    return payload(call, 'Cycle', needCycle(call, first.id))
  }),
  ...mutation('cycleStartUpcomingCycleToday', (call, { id }) => payload(call, 'Cycle', startToday(call, id))),
}
