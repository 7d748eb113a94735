import type { PersonalField } from '@diorama/twin-kit/datasets/dataset'
import { personTable } from '../tables.ts'

const names = { FirstName: 'name', LastName: 'name', MiddleName: 'name' } as const
const reached = {
  Email: 'email',
  Phone: 'phone',
  MobilePhone: 'phone',
  HomePhone: 'phone',
  Fax: 'phone',
} as const

/** Where an organization keeps what is known of people. The name of an account is a company's, unless it is a person's. */
export const personal: Record<string, Record<string, PersonalField>> = {
  User: {
    ...names,
    ...reached,
    Name: 'name',
    Username: 'email',
    Alias: 'handle',
    CommunityNickname: 'handle',
  },
  Contact: { ...names, ...reached, Name: 'name' },
  Lead: { ...names, ...reached, Name: 'name' },
  Account: { ...names, Phone: 'phone', Fax: 'phone', PersonEmail: 'email', PersonMobilePhone: 'phone' },
  [personTable]: { subject: 'handle' },
}
