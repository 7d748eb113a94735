import { requiredMissing } from '../refusals.ts'
import type { Rules } from '../rule.ts'
import { str } from '../writing.ts'

export const feedItem: Rules = {
  derive: ({ writing, before, draft }) => {
    if (!str(draft, 'Body') && !str(draft, 'LinkUrl') && !str(draft, 'RelatedRecordId'))
      throw requiredMissing(['Body'])
    if (before) Object.assign(draft, { LastEditById: writing.userId, LastEditDate: writing.stamp })
    else {
      if (str(draft, 'LinkUrl')) draft.Type = 'LinkPost'
      if (str(draft, 'RelatedRecordId')) draft.Type = 'ContentPost'
      draft.InsertedById = writing.userId
    }
    draft.HasContent = draft.Type === 'ContentPost'
    draft.HasLink = draft.Type === 'LinkPost'
  },
}

export const feedComment: Rules = {
  derive: ({ writing, before, draft }) => {
    if (before) Object.assign(draft, { LastEditById: writing.userId, LastEditDate: writing.stamp })
    else draft.InsertedById = writing.userId
  },
}
