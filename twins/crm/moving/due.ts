import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Call, Views } from '@diorama/twin-kit/kernel/twin'
import { nativeSecond, readMoment } from '../dates.ts'
import { type CrmTables, escalationTable, tableOf } from '../tables.ts'

type CrmViews = Views<CrmTables>

/** What the organization's escalation rules say of a case. */
interface Escalation {
  readonly at: number
  readonly row: Row
  readonly rule: Row
}

/** Marks the cases whose time is over as escalated, and gives them to the person whom the rule names. */
export const due = (call: Call<CrmTables>): void => {
  for (const { at, row, rule } of escalations(call.tables)) {
    if (at > call.now) continue
    const stamp = nativeSecond(call.now)
    tableOf(call.tables, 'Case').update(String(row.Id), {
      IsEscalated: true,
      LastModifiedDate: stamp,
      SystemModstamp: stamp,
      ...(typeof rule.userId === 'string' ? { OwnerId: rule.userId } : {}),
    })
  }
}

export const nextDue = (views: CrmViews): number | undefined => {
  const times = escalations(views).map(({ at }) => at)
  return times.length === 0 ? undefined : Math.min(...times)
}

/** Of each open case that is not escalated yet, when the first rule that fits it escalates it. */
const escalations = (views: CrmViews): Escalation[] => {
  const rules = views[escalationTable] ? [...views[escalationTable].all()] : []
  if (rules.length === 0) return []
  return [...tableOf(views, 'Case').all()].flatMap((row) => {
    if (row.IsClosed === true || row.IsEscalated === true) return []
    const rule = rules.find(({ priority }) => priority === undefined || priority === row.Priority)
    const created = readMoment(String(row.CreatedDate))
    if (!rule || created === undefined) return []
    return [{ at: created + Number(rule.ageOverMinutes) * 60_000, row, rule }]
  })
}
