import type { PersonalField } from '@diorama/twin-kit/datasets/dataset'

const User: Record<string, PersonalField> = {
  handle: 'handle',
  name: 'name',
  displayName: 'name',
  email: 'email',
}

/** Where a workspace keeps what is known of people. */
export const personal = { User, Organization: { apiOwner: 'handle' } as Record<string, PersonalField> }
