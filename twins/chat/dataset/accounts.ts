import type { DatasetCompany } from '@diorama/twin-kit/datasets/dataset'
import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import type { TeamRow, UserRow } from '../tables.ts'
import { nativeId } from '../values/ids.ts'

export const teamRow = ({ organization, clock }: DatasetCompany): TeamRow => ({
  id: nativeId('T', sha256(`team ${organization.slug}`)),
  name: organization.name,
  domain: organization.slug,
  email_domain: organization.emailDomain,
  description: organization.description,
  created: Math.floor(clock / 1_000),
})

export const emptyProfile: UserRow['profile'] = {
  title: '',
  phone: '',
  skype: '',
  real_name: '',
  display_name: '',
  first_name: '',
  last_name: '',
  status_text: '',
  status_emoji: '',
  status_expiration: 0,
  avatar_hash: '',
  fields: {},
}

/** An account without a person. */
export const serviceAccount = (id: string, name: string, realName: string, updated: number): UserRow => ({
  id,
  subject: '',
  name,
  real_name: realName,
  color: '757575',
  tz: 'America/Los_Angeles',
  profile: {
    ...emptyProfile,
    real_name: realName,
    display_name: realName,
    first_name: realName,
    avatar_hash: id.toLowerCase().slice(0, 12),
  },
  presence: 'active',
  updated,
  deleted: false,
  is_admin: false,
  is_owner: false,
  is_primary_owner: false,
  is_bot: false,
})
