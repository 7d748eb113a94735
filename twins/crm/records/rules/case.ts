import type { Row } from '../../../kernel/table.ts'
import type { Rules } from '../rules.ts'
import { str, type Writing } from '../writing.ts'

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

export const contract: Rules = {
  derive: ({ writing, before, draft }) => {
    if (!before) draft.ContractNumber = nextNumber(writing, 'Contract', 'ContractNumber', 100)
  },
}

/** Eight digits, one more than the last; numbers that the seed used are passed over. */
const nextNumber = (writing: Writing, object: string, field: string, base: number): string => {
  const schema = writing.org.object(object)
  const indexed = schema.field(field)
  let number: string
  do number = String(base + writing.call.sequence(`number ${object}`)).padStart(8, '0')
  while (indexed?.idLookup === true && writing.org.count(schema, indexed, number) > 0)
  return number
}
