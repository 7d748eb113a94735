import type { Views } from '@diorama/twin-kit/kernel/twin'
import type { TrackerCall } from '../../context.ts'
import type { IssueRow } from '../../rows.ts'
import { every, type TrackerTables } from '../../tables.ts'
import { notify } from './changes.ts'

/**
 * The open issues whose assignee is still to be notified of their due date, the earliest date first. A date that had
 * passed when it was set is not announced.
 */
const awaited = function* (views: Views<TrackerTables>): Generator<IssueRow> {
  for (const issue of views.Issue.find('dueDate', every)) {
    if (dueAt(issue) <= Date.parse(issue.updatedAt) || issue.assigneeId === null) continue
    if (views.dueMark.get(issue.id)?.dueDate !== issue.dueDate) yield issue
  }
}

/** An issue is due when its day begins. */
const dueAt = ({ dueDate }: IssueRow): number => Date.parse(String(dueDate))

export const nextDueDate = (views: Views<TrackerTables>): number[] => {
  for (const issue of awaited(views)) return [dueAt(issue)]
  return []
}

/** Notifies the assignee of each issue whose due date has come, once for each date. */
export const tellDueDates = (call: TrackerCall): void => {
  for (const issue of [...awaited(call.tables)]) {
    if (dueAt(issue) > call.now) break
    notify(call, issue, issue.assigneeId, 'issueDue')
    const dueDate = String(issue.dueDate)
    if (call.tables.dueMark.get(issue.id)) call.tables.dueMark.update(issue.id, { dueDate })
    else call.tables.dueMark.insert({ id: issue.id, dueDate })
  }
}
