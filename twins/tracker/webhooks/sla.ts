import type { TrackerCall } from '../context.ts'
import { slaStatusOf } from '../lists/derived.ts'
import { every } from '../tables.ts'

const levels: Readonly<Record<string, string>> = { HighRisk: 'highRisk', Breached: 'breached' }

/** Notes each level of risk that an issue with a promised time reaches, once. */
export const markRisks = (call: TrackerCall): void => {
  if (call.tables.Issue.count('sla', every) === 0) return
  for (const issue of call.tables.Issue.find('sla', every)) {
    const level = levels[slaStatusOf(issue, call.now) ?? '']
    const mark = call.tables.slaMark.get(issue.id)
    const at = String(issue.slaBreachesAt)
    if (level === undefined || (mark?.level === level && mark.breachesAt === at)) continue
    if (mark) call.tables.slaMark.update(issue.id, { level, breachesAt: at })
    else call.tables.slaMark.insert({ id: issue.id, level, breachesAt: at })
  }
}
