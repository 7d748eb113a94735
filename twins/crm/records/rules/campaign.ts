import { refuse } from '../refusals.ts'
import type { Rules } from '../rules.ts'
import { str } from '../writing.ts'

export const campaignMember: Rules = {
  derive: ({ writing, before, draft }) => {
    const [lead, contact] = [str(draft, 'LeadId'), str(draft, 'ContactId')]
    if (!before && !lead && !contact)
      throw refuse('FIELD_INTEGRITY_EXCEPTION', 'Either a Lead or a Contact must be specified', [])
    const field = contact ? 'ContactId' : 'LeadId'
    for (const other of before ? [] : writing.table('CampaignMember').find(field, contact ?? lead ?? ''))
      if (other.CampaignId === draft.CampaignId)
        throw refuse('DUPLICATE_VALUE', 'Already a campaign member.', [])
    const campaign = str(draft, 'CampaignId') ?? ''
    const own = [...writing.table('CampaignMemberStatus').find('CampaignId', campaign)]
    const status = own.find((row) => row.Label === draft.Status)
    draft.HasResponded = status ? status.HasResponded === true : draft.Status === 'Responded'
    if (draft.HasResponded && before?.HasResponded !== true)
      draft.FirstRespondedDate = writing.stamp.slice(0, 10)
  },
}
