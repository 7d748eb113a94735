import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Rules } from '../rule.ts'
import { str } from '../writing.ts'
import { nextNumber } from './numbers.ts'

/** Whether a status closes a case: the organization's list of statuses says so. */
export const closes = (statuses: Iterable<Row>, status: string | undefined): boolean => {
  for (const row of statuses)
    if (str(row, 'ApiName')?.toLowerCase() === status?.toLowerCase()) return row.IsClosed === true
  return false
}

export const caseRules: Rules = {
  derive: ({ writing, before, draft, given }) => {
    if (!before) draft.CaseNumber = nextNumber(writing, 'Case', 'CaseNumber', 1_000)
    const closed = closes(writing.table('CaseStatus').all(), str(draft, 'Status'))
    if (closed !== (before?.IsClosed === true)) draft.ClosedDate = closed ? writing.stamp : null
    draft.IsClosed = closed
    if (!before) draft.IsClosedOnCreate = closed
    const contact = str(draft, 'ContactId')
    if (contact && given.ContactId !== undefined && given.AccountId === undefined) {
      const account = writing.table('Contact').get(contact)?.AccountId
      if (account !== undefined && (!before || draft.AccountId === undefined)) draft.AccountId = account
    }
    delete draft.Comments
  },
  follow: ({ after, given, save }) => {
    const comment = str(given, 'Comments')
    if (!comment) return
    save.insert('CaseComment', {
      ParentId: after.Id,
      CommentBody: comment,
      IsPublished: false,
    })
  },
}

export const caseComment: Rules = {
  derive: ({ draft }) => {
    draft.IsPublished = draft.IsPublished === true
  },
}
