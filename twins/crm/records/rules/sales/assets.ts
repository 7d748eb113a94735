import { integrity } from '../../refusals.ts'
import type { Rules } from '../../rule.ts'
import { str, type Writing } from '../../writing.ts'

export const asset: Rules = {
  derive: ({ writing, draft }) => {
    if (draft.AccountId === undefined || draft.AccountId === null)
      draft.AccountId = accountOfContact(writing, str(draft, 'ContactId')) ?? null
    if (!str(draft, 'AccountId') && !str(draft, 'ContactId'))
      throw integrity('Every asset needs an account, a contact, or both.: Account ID, Contact ID', [
        'AccountId',
        'ContactId',
      ])
  },
}

const accountOfContact = (writing: Writing, contact: string | undefined): string | undefined =>
  contact === undefined ? undefined : str(writing.table('Contact').get(contact), 'AccountId')
