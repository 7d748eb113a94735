import type { PersonalField } from '@diorama/twin-kit/datasets/dataset'

const user: Record<string, PersonalField> = {
  subject: 'handle',
  name: 'handle',
  real_name: 'name',
  'profile.real_name': 'name',
  'profile.display_name': 'name',
  'profile.first_name': 'name',
  'profile.last_name': 'name',
  'profile.email': 'email',
  'profile.phone': 'phone',
  'profile.skype': 'handle',
}

/** Where a workspace keeps what is known of people. */
export const personal = { user }
