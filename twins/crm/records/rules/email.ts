import { refuse } from '../refusals.ts'
import type { Rules } from '../rule.ts'

const draftStatus = '5'
/** What an e-mail says and to whom: written once, unless it is a draft. */
const content = [
  'BccAddress',
  'CcAddress',
  'FromAddress',
  'FromName',
  'Headers',
  'HtmlBody',
  'Incoming',
  'MessageDate',
  'Subject',
  'TextBody',
  'ToAddress',
]

export const emailMessage: Rules = {
  guard: ({ before, given }) => {
    if (before?.Status === draftStatus) return
    const changed = content.filter(
      (name) => given[name] !== undefined && given[name] !== (before?.[name] ?? null),
    )
    if (changed.length > 0)
      throw refuse('INSUFFICIENT_ACCESS_OR_READONLY', 'Only drafts of e-mail messages can be edited', changed)
  },
  derive: ({ writing, before, draft }) => {
    if (!before) draft.MessageDate ??= writing.stamp
  },
}
