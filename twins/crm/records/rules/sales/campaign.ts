import type { Row } from '@diorama/twin-kit/kernel/table'
import { integrity, refuse } from '../../refusals.ts'
import type { Rules } from '../../rule.ts'
import { str, type Writing } from '../../writing.ts'

/** The member statuses that every new campaign begins with. */
const firstStatuses = [
  { Label: 'Sent', SortOrder: 1, IsDefault: true, HasResponded: false },
  { Label: 'Responded', SortOrder: 2, IsDefault: false, HasResponded: true },
]

export const campaign: Rules = {
  derive: ({ draft }) => {
    const [start, end] = [str(draft, 'StartDate'), str(draft, 'EndDate')]
    if (start !== undefined && end !== undefined && end < start)
      throw integrity('End Date cannot be before Start Date.: End Date', ['EndDate'])
  },
  follow: ({ before, after, save }) => {
    if (before) return
    for (const status of firstStatuses)
      save.insert('CampaignMemberStatus', { ...status, CampaignId: after.Id })
  },
}

const statusesOf = (writing: Writing, campaignId: string): Row[] => [
  ...writing.table('CampaignMemberStatus').find('CampaignId', campaignId),
]

/** Labels are unique in a campaign, and exactly one status is its default. */
export const campaignMemberStatus: Rules = {
  derive: ({ writing, before, draft }) => {
    const label = str(draft, 'Label')?.toLowerCase()
    for (const other of statusesOf(writing, str(draft, 'CampaignId') ?? ''))
      if (other.Id !== before?.Id && str(other, 'Label')?.toLowerCase() === label)
        throw refuse('DUPLICATE_VALUE', 'A member status with this label already exists in the campaign', [
          'Label',
        ])
    if (before?.IsDefault === true && draft.IsDefault !== true)
      throw integrity('A campaign needs a default member status: make another one the default.: Is Default', [
        'IsDefault',
      ])
  },
  follow: ({ writing, after }) => {
    if (after.IsDefault !== true) return
    for (const other of statusesOf(writing, str(after, 'CampaignId') ?? ''))
      if (other.Id !== after.Id && other.IsDefault === true)
        writing.table('CampaignMemberStatus').update(String(other.Id), { IsDefault: false })
  },
  keep: ({ row }) => {
    if (row.IsDefault === true)
      throw refuse('DELETE_FAILED', 'The default member status of a campaign cannot be deleted', [])
  },
}

export const campaignMember: Rules = {
  derive: ({ writing, before, draft, given }) => {
    const [lead, contact] = [str(draft, 'LeadId'), str(draft, 'ContactId')]
    if (!before && (lead === undefined) === (contact === undefined))
      throw integrity('Either a Lead or a Contact must be specified, and not both', ['LeadId', 'ContactId'])
    const field = contact ? 'ContactId' : 'LeadId'
    for (const other of before ? [] : writing.table('CampaignMember').find(field, contact ?? lead ?? ''))
      if (other.CampaignId === draft.CampaignId)
        throw refuse('DUPLICATE_VALUE', 'Already a campaign member.', [])
    const own = statusesOf(writing, str(draft, 'CampaignId') ?? '')
    if (!before && given.Status === undefined)
      draft.Status = own.find(({ IsDefault }) => IsDefault === true)?.Label ?? draft.Status
    const status = own.find((row) => row.Label === draft.Status)
    draft.HasResponded = status ? status.HasResponded === true : draft.Status === 'Responded'
    if (draft.HasResponded && before?.HasResponded !== true)
      draft.FirstRespondedDate = writing.stamp.slice(0, 10)
  },
}
