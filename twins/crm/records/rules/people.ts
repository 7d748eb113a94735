import type { Row } from '@diorama/twin-kit/kernel/table'
import { refuse } from '../refusals.ts'
import type { Rules } from '../rule.ts'
import { type Draft, str, type Writing } from '../writing.ts'
import { keepContact } from './account.ts'

/** A person's name is made of its parts, and cannot be written itself. */
export const fullName = (draft: Draft): string =>
  [str(draft, 'FirstName'), str(draft, 'LastName')].filter((part) => part !== undefined).join(' ')

export const contact: Rules = {
  derive: ({ draft }) => {
    draft.Name = fullName(draft)
  },
  keep: keepContact,
}

export const lead: Rules = {
  guard: ({ before }) => {
    if (before?.IsConverted === true)
      throw refuse('CANNOT_UPDATE_CONVERTED_LEAD', 'cannot reference converted lead', [])
  },
  derive: ({ draft }) => {
    draft.Name = fullName(draft)
  },
}

export const user: Rules = {
  derive: ({ writing, object, before, draft }) => {
    draft.Name = fullName(draft)
    draft.CommunityNickname ??= str(draft, 'Alias')
    draft.UserType ??= 'Standard'
    if (!before) draft.IsActive = draft.IsActive !== false
    checkNickname(writing, before, draft)
    const username = str(draft, 'Username') ?? ''
    if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(username))
      throw refuse('INVALID_EMAIL_ADDRESS', `Username: invalid email address: ${username}`, ['Username'])
    const field = object.field('Username')
    for (const other of field ? writing.org.find(object, field, username) : [])
      if (other.Id !== before?.Id)
        throw refuse(
          'DUPLICATE_USERNAME',
          'Duplicate Username.<br>The username already exists in this or another Salesforce organization. Usernames must be unique across all Salesforce organizations. To resolve, use a different username (it does not need to match the user\u2019s email address). ',
          ['Username'],
        )
  },
}

/** No two users go by one nickname. */
const checkNickname = (writing: Writing, before: Row | undefined, draft: Draft): void => {
  const nickname = str(draft, 'CommunityNickname')?.toLowerCase()
  if (nickname === undefined || nickname === str(before, 'CommunityNickname')?.toLowerCase()) return
  for (const other of writing.table('User').all())
    if (other.Id !== before?.Id && str(other, 'CommunityNickname')?.toLowerCase() === nickname)
      throw refuse(
        'DUPLICATE_COMM_NICKNAME',
        'Another user has already selected this nickname. Please select another.',
        ['CommunityNickname'],
      )
}

/** Programs know a role by its name, so no two have the same. */
export const userRole: Rules = {
  derive: ({ writing, before, draft }) => {
    const name = (str(draft, 'DeveloperName') ?? (str(draft, 'Name') ?? '').replaceAll(/\W+/g, '_')).slice(
      0,
      80,
    )
    draft.DeveloperName = name
    for (const other of writing.table('UserRole').all())
      if (other.Id !== before?.Id && str(other, 'DeveloperName')?.toLowerCase() === name.toLowerCase())
        throw refuse(
          'DUPLICATE_DEVELOPER_NAME',
          'This developer name already exists or has been previously used. Please choose a different name.: Developer Name',
          ['DeveloperName'],
        )
  },
}
